import { UsageError } from '../../retrieval/errors.ts';
import { TooManyTriesError } from '../too-many-tries-error.ts';
import { RETRY_AFTER, unavailableText } from '../unavailable.ts';
import { ProblemError, type ProblemKind } from './problem.ts';

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
  const unavailable = unavailableText(error);
  if (unavailable !== null) {
    return new ProblemError('unavailable', unavailable, { headers: RETRY_AFTER });
  }
  if (error instanceof TooManyTriesError) {
    const headers = { 'retry-after': String(error.retryAfterSeconds) };
    return new ProblemError('too_many_requests', error.message, { headers });
  }
  const { status, expose } = (error ?? {}) as { status?: unknown; expose?: unknown };
  const known = typeof status === 'number' && expose !== false ? BY_STATUS[status] : undefined;
  return known ? new ProblemError(...known) : null;
}

/** What is said about a fault of ours. */
export function internalProblem(): ProblemError {
  return new ProblemError('internal', 'something went wrong on our side; the log has it under this request id');
}
