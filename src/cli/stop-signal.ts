/** Resolves at the first SIGTERM or SIGINT. A second one ends the process at once, as the shell expects. */
export function stopSignal(): { readonly signalled: Promise<void>; dispose(): void } {
  let stop = () => {};
  const signalled = new Promise<void>((resolve) => {
    stop = resolve;
  });
  process.once('SIGTERM', stop).once('SIGINT', stop);
  return { signalled, dispose: () => process.off('SIGTERM', stop).off('SIGINT', stop) };
}
