import type { Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import type { Person } from '../ports.ts';
import { ProblemError } from './problem.ts';

const MINUTE_MS = 60_000;
const SIGN_INS_OF_USER = 5; // a person mistypes; a guesser needs thousands
const SIGN_INS_OF_NETWORK = 30; // an office signs in through one address
const REFUSED_TOKENS_OF_NETWORK = 60;

/** Limits, each counted in this process for a minute. */
export interface RateLimits {
  /** All calls of one person. */
  readonly person: RequestHandler;
  /** Tries to sign in as one user from one network, and all of one network. */
  readonly signIn: readonly RequestHandler[];
  /** Requests of one network whose token is refused. Others of the network are not concerned. */
  readonly refused: RequestHandler;
}

/** Makes the limits. A request above one ends with 429 and `Retry-After`. */
export function createRateLimits(ratePerMinute: number): RateLimits {
  const network = (request: Request) => ipKeyGenerator(request.ip ?? '');
  const user = (request: Request) => String((request.body as { user?: unknown } | undefined)?.user ?? '').toLowerCase();
  return {
    person: limit(ratePerMinute, (_request, response) => personKey(response)),
    signIn: [
      limit(SIGN_INS_OF_NETWORK, network),
      limit(SIGN_INS_OF_USER, (request) => `${network(request)} ${user(request)}`),
    ],
    refused: limit(REFUSED_TOKENS_OF_NETWORK, network),
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
