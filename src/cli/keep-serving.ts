import type { Logger } from '../../retrieval/ports.ts';

/**
 * Lets the service go on when a promise was rejected and nobody had waited for it: by default Node ends the process. What a
 * part of it (the SDK of a chat platform above all) left undone concerns that part, while ending takes the pages, the API and
 * every answer that is being written along. An exception that was thrown outside of promises still ends the process: it has
 * left something half done, and whoever supervises the service starts it anew.
 * @returns what restores Node's default.
 */
export function keepServing(logger: Logger): () => void {
  const onRejection = (error: unknown) => {
    logger.error({ err: error }, 'something failed that nobody waited for; the service goes on');
  };
  process.on('unhandledRejection', onRejection);
  return () => void process.off('unhandledRejection', onRejection);
}
