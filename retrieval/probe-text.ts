/** A text that no embedder has a reason to refuse: its vector tells the size of all, and who fails on it is away. */
export const PROBE_TEXT = 'word';
