// A time limit that holds whatever is done with its signal. A signal alone is not enough: a library may not pass it on, and
// on Node 20 a signal that follows another one (`AbortSignal.any`, the one inside `fetch`) is forgotten when it is collected
// as garbage, which happens while a reply is being read.

/** How long something may take. */
export interface Deadline {
  /** From now on. */
  readonly timeoutMs: number;
  /** Each of them ends it earlier. */
  readonly signals?: readonly AbortSignal[];
  /** What is thrown when it has not ended by itself. */
  readonly late: () => Error;
}

/**
 * Runs something with a signal that is aborted at the deadline. What has not ended one turn of the event loop later is left
 * behind: who heeds the signal can say better what was late.
 * @throws `late()` then; else what `run` throws.
 */
export async function withDeadline<T>(
  { timeoutMs, signals = [], late }: Deadline,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const left = new Promise<never>((_, reject) => {
    ending.signal.addEventListener('abort', () => setImmediate(() => reject(late())), { once: true });
  });
  const end = () => ending.abort();
  const timer = setTimeout(end, timeoutMs);
  for (const signal of signals) signal.addEventListener('abort', end, { once: true });
  if (signals.some(({ aborted }) => aborted)) end();
  try {
    return await Promise.race([run(ending.signal), left]);
  } finally {
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener('abort', end);
  }
}
