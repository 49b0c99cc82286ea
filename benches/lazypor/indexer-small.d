// Indexer with two messages for each of 10 processes, a variant of section 6.3.3 of [Metzler2014].
// Here 2 processes never meet and N processes have 2^(N-2) traces: 256.
<"indexer-small" 10, const max 1 2, const size 1 128, local m 1, local w 1, local h 1, table 128>
<{10
  [indexer(max, size, m, w, h, table[h], 2)]
}>
