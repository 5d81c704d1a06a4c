// Errors as problem documents of RFC 9457. What went wrong inside is in the log, under the same request id.
import type { Response } from 'express';

const KINDS = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  unauthorized: { status: 401, title: 'No valid token' },
  forbidden: { status: 403, title: 'Not allowed' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  not_acceptable: { status: 406, title: 'Not acceptable' },
  timeout: { status: 408, title: 'The request took too long' },
  conflict: { status: 409, title: 'The same request is running' },
  too_large: { status: 413, title: 'The body is too large' },
  misdirected: { status: 421, title: 'Not a name of this service' },
  unsupported_type: { status: 415, title: 'Unsupported media type' },
  key_reused: { status: 422, title: 'The Idempotency-Key was used for another request' },
  too_many_requests: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'The address or the headers are too long' },
  internal: { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Unavailable' },
} as const;

/** What a problem is about. */
export type ProblemKind = keyof typeof KINDS;

/** One fault of a request; `at` is a JSON pointer, empty for the whole. */
export interface RequestFault {
  readonly at: string;
  readonly message: string;
}

/** Ends a request with a problem document. The message is its detail, and is shown. */
export class ProblemError extends Error {
  readonly kind: ProblemKind;
  readonly headers: Readonly<Record<string, string>>;
  readonly faults: readonly RequestFault[];
  constructor(
    kind: ProblemKind,
    detail: string,
    {
      headers = {},
      faults = [],
    }: { headers?: Readonly<Record<string, string>>; faults?: readonly RequestFault[] } = {},
  ) {
    super(detail);
    this.name = 'ProblemError';
    this.kind = kind;
    this.headers = headers;
    this.faults = faults;
  }
}

/** The HTTP status of a kind. */
export function statusOf(kind: ProblemKind): number {
  return KINDS[kind].status;
}

/** The problem as a document. */
export function problemDocument(error: ProblemError, requestId: string): object {
  const { status, title } = KINDS[error.kind];
  return {
    type: `urn:verbatim:problem:${error.kind.replaceAll('_', '-')}`,
    title,
    status,
    detail: error.message,
    requestId,
    ...(error.faults.length > 0 ? { errors: error.faults } : {}),
  };
}

/** Sends the problem, unless the response has begun. */
export function sendProblem(response: Response, error: ProblemError, requestId: string): void {
  if (response.headersSent) return void response.end();
  response
    .status(statusOf(error.kind))
    .set({ 'cache-control': 'no-store', ...error.headers })
    .type('application/problem+json')
    .send(JSON.stringify(problemDocument(error, requestId)));
}
