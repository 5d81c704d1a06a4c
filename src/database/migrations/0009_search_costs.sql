-- Costs by which the searches are planned. Their pages are in memory or on a solid-state disk, where a page at random costs
-- hardly more than the next one: by the default of 4 the planner read the ACL index from end to end, 100,000 entries in 8 ms,
-- to spare the word search a few of its 1,500 chunks, though the reader may see nearly all. Compiling such short
-- statements (`jit`) takes longer than running them.
alter function match_chunks(text, text[], int[], tsquery, sparsevec, int) set random_page_cost = 1.1;
alter function match_chunks(text, text[], int[], tsquery, sparsevec, int) set jit = off;
alter function nearest_chunks(text, text[], int[], text, text, int, int, float8, int) set random_page_cost = 1.1;
alter function nearest_chunks(text, text[], int[], text, text, int, int, float8, int) set jit = off;
