import type { Request, RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import { PageError } from './page-error.ts';

/** Refuses requests of a key above a number in a time. `keyOf` gives what counts together. */
export function limitRequests(options: {
  readonly limit: number;
  readonly windowMs: number;
  readonly keyOf: (request: Request) => string;
  readonly message: string;
}): RequestHandler {
  return rateLimit({
    limit: options.limit,
    windowMs: options.windowMs,
    keyGenerator: options.keyOf,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    handler: (_request, _response, next) => next(new PageError(429, options.message)),
  });
}
