// What the process and the thread of the embedded server say to each other.

/** What the thread is started with. */
export interface EmbeddedWorkerData {
  /** PostgreSQL's own directory. */
  readonly clusterDir: string;
  /** The socket's file, or null for a TCP port of the loopback interface. */
  readonly socketPath: string | null;
}

/** What the thread reports. `failed` is followed by its end. */
export type EmbeddedWorkerMessage =
  | { readonly kind: 'ready'; readonly port: number | null }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'closed' };
