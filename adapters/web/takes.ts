import type { RequestHandler } from 'express';
import { PageError } from './page-error.ts';

/** Behind an address's own handlers: says which methods it takes to whoever came with another one. */
export function takes(...methods: readonly ('GET' | 'POST')[]): RequestHandler {
  const allowed: readonly string[] = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const allow = allowed.join(', ');
  return (request, response, next) => {
    // Its own handler has passed it on.
    if (allowed.includes(request.method)) return next();
    if (request.method !== 'OPTIONS') {
      throw new PageError(405, `This address takes ${allowed.join(' and ')} only.`, { allow });
    }
    response.set('allow', allow).status(204).end();
  };
}
