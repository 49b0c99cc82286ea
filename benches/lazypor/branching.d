// Branching with 6 processes, after the pseudo-code of listing 6.3 of [Metzler2014].
// All operators bind equally: $ + 1 % 6 is the next process. There are 1010 traces.
<"branching" 6, x 6>
<{6
  [
    if x[$] == 0 then {
      x[$ + 1 % 6] := 1
    }
    if x[$] == 0 then {
      x[$ + 1 % 6] := 1
    }
  ]
}>
