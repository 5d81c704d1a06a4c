import { DatabaseTimeoutError, DatabaseUnavailableError, UsageError, VerbatimError } from '../../retrieval/errors.ts';
import { SearchFailedError } from '../../retrieval/search.ts';
import { ProblemError, type ProblemKind } from './problem.ts';

const RETRY_SECONDS = '5';

// What Express and its body parser say, by the status that they give it.
const BY_STATUS: Readonly<Record<number, readonly [ProblemKind, string]>> = {
  400: ['invalid_request', 'the request cannot be read: it is not valid JSON, or its address is not valid'],
  413: ['too_large', 'the body is larger than this call takes'],
  415: ['unsupported_type', 'send the body as UTF-8 without compression'],
};

/** What to answer to an error. Only what is meant for people passes; null: a fault of ours, for the log. */
export function toProblem(error: unknown): ProblemError | null {
  if (error instanceof ProblemError) return error;
  if (error instanceof UsageError) return new ProblemError('invalid_request', error.message);
  const unavailable = [DatabaseUnavailableError, DatabaseTimeoutError, SearchFailedError];
  if (unavailable.some((type) => error instanceof type)) {
    const headers = { 'retry-after': RETRY_SECONDS };
    return new ProblemError('unavailable', 'the documents cannot be searched at the moment; try again', { headers });
  }
  if (error instanceof VerbatimError && error.code === 'overloaded') {
    return new ProblemError('unavailable', error.message, { headers: { 'retry-after': RETRY_SECONDS } });
  }
  const { status, expose } = (error ?? {}) as { status?: unknown; expose?: unknown };
  const known = typeof status === 'number' && expose !== false ? BY_STATUS[status] : undefined;
  return known ? new ProblemError(...known) : null;
}

/** What is said about a fault of ours. */
export function internalProblem(): ProblemError {
  return new ProblemError('internal', 'something went wrong on our side; the log has it under this request id');
}
