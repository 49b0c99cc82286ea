// Readers-writers with 12 readers: listing A.1 of [Metzler2014] in a smaller size.
// N threads have 2^(N-1) traces; here N = 13 and there are 4096.
<"readers-writers" 13, x 1, l 12>
[x := 42]
<{12
  [
    if l[$] == 0
    if x == 0
  ]
}>
