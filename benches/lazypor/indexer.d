// Indexer with 13 processes, after the pseudo-code of listing 6.2 of [Metzler2014].
// Up to 11 processes never meet in the table; from there on there are 8^(N-11) traces, here 64.
<"indexer" 13, const max 1 4, const size 1 128, local m 1, local w 1, local h 1, table 128>
<{13
  [indexer(max, size, m, w, h, table[h], 11)]
}>
