/** Resolves at the first SIGTERM or SIGINT. A second one ends the process at once, as the shell expects. */
export function stopSignal(): {
  readonly signalled: Promise<void>;
  /** Which one it was; null before it came. */
  received(): NodeJS.Signals | null;
  dispose(): void;
} {
  let resolve = () => {};
  const signalled = new Promise<void>((done) => {
    resolve = done;
  });
  let received: NodeJS.Signals | null = null;
  const stop = (signal: NodeJS.Signals) => {
    received ??= signal;
    resolve();
  };
  process.once('SIGTERM', stop).once('SIGINT', stop);
  return {
    signalled,
    received: () => received,
    dispose: () => process.off('SIGTERM', stop).off('SIGINT', stop),
  };
}
