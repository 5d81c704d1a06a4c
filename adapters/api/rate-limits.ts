import type { Request, RequestHandler, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { networkOf } from '../network-of.ts';
import type { Person } from '../ports.ts';
import { ProblemError } from './problem.ts';

const MINUTE_MS = 60_000;
const REFUSED_TOKENS_OF_NETWORK = 60;

/** Limits, each counted in this process for a minute. */
export interface RateLimits {
  /** All calls of one person. */
  readonly person: RequestHandler;
  /** Requests of one network whose token is refused. Others of the network are not concerned. */
  readonly refused: RequestHandler;
}

/** Makes the limits. A request above one ends with 429 and `Retry-After`. */
export function createRateLimits(ratePerMinute: number): RateLimits {
  return {
    person: limit(ratePerMinute, (_request, response) => personKey(response)),
    refused: limit(REFUSED_TOKENS_OF_NETWORK, networkOf),
  };
}

function personKey({ locals }: Response): string {
  const { tenantId, email } = (locals as { person: Person }).person;
  return `${tenantId} ${email}`;
}

function limit(count: number, keyGenerator: (request: Request, response: Response) => string): RequestHandler {
  return rateLimit({
    windowMs: MINUTE_MS,
    limit: count,
    keyGenerator,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    // The library has set Retry-After by then.
    handler: (_request, _response, next) => {
      next(new ProblemError('too_many_requests', `more than ${count} requests in a minute; see Retry-After`));
    },
  });
}
