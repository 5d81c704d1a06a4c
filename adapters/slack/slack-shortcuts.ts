/** Callback ids of the message shortcuts: the manifest declares them, the listeners know them. */
export const SHORTCUTS = { ask: 'ask_about_this', ingest: 'ingest_this_file' } as const;
