import { DatabaseTimeoutError, DatabaseUnavailableError, VerbatimError } from '../retrieval/errors.ts';
import { SearchFailedError } from '../retrieval/search.ts';

/** The header that says when a request may be tried again that found something away: in seconds. */
export const RETRY_AFTER = { 'retry-after': '5' } as const;

/** What is said when the database is away or too slow. */
export const UNAVAILABLE_TEXT = 'the documents cannot be searched at the moment; try again';

// Too many wait, and this instance of the service ends: each says so itself.
const PASSING: ReadonlySet<string> = new Set(['overloaded', 'ending']);

/** What to say about an error that passes by itself, such as a database that restarts; null for every other. */
export function unavailableText(error: unknown): string | null {
  const away = [DatabaseUnavailableError, DatabaseTimeoutError, SearchFailedError];
  if (away.some((type) => error instanceof type)) return UNAVAILABLE_TEXT;
  return error instanceof VerbatimError && PASSING.has(error.code) ? error.message : null;
}
