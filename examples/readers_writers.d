// One writer and twenty readers of the same variable, in dlang: listing A.1 of [Metzler2014].
// Process i reads a cell of its own before it reads x. Only x matters: 2^20 traces.
<"readers-writers" 21, x 1, l 20>
[x := 42]
<{20
  [
    if l[$] == 0
    if x == 0
  ]
}>
