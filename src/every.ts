import type { Logger } from '../retrieval/ports.ts';

/** Runs again and again, never twice at a time; what fails is logged with `failure`. Does not keep the process alive. */
export function every(ms: number, run: () => Promise<void>, logger: Logger, failure: string): NodeJS.Timeout {
  let busy = false;
  return setInterval(() => {
    if (busy) return;
    busy = true;
    run()
      .catch((error: unknown) => logger.warn({ err: error }, failure))
      .finally(() => {
        busy = false;
      });
  }, ms).unref();
}
