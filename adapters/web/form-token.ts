// Forms carry a token that another site can neither read nor make: SameSite alone does not hold on sibling domains.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import { FORM_COOKIE, readCookie, SESSION_COOKIE, writeCookie } from './cookies.ts';
import { PageError } from './page-error.ts';

const SECRET = /^[\w-]{43}$/; // 32 bytes in base64url

/** The token for the forms of a page; gives the browser its half when it has none. */
export function formToken(request: Request, response: Response): string {
  const sent = readCookie(request, FORM_COOKIE);
  const secret = sent !== null && SECRET.test(sent) ? sent : randomBytes(32).toString('base64url');
  if (secret !== sent) writeCookie(request, response, FORM_COOKIE, secret);
  return tokenOf(secret, readCookie(request, SESSION_COOKIE));
}

/**
 * Accepts a form that a page of this browser's session sent.
 * @throws PageError 403 for every other.
 */
export function checkForm(request: Request): void {
  const secret = readCookie(request, FORM_COOKIE);
  const given: unknown = request.body?.form;
  const site = request.get('sec-fetch-site');
  const foreign = site !== undefined && site !== 'same-origin' && site !== 'none';
  const expected = secret !== null && SECRET.test(secret) ? tokenOf(secret, readCookie(request, SESSION_COOKIE)) : null;
  if (foreign || expected === null || typeof given !== 'string' || !equal(given, expected)) {
    throw new PageError(403, 'This form is no longer valid. Go back, load the page again, and send it once more.');
  }
}

// Bound to the session, so that a cookie planted by a sibling domain is worth nothing.
function tokenOf(secret: string, session: string | null): string {
  return createHmac('sha256', secret)
    .update(`form:${session ?? ''}`)
    .digest('base64url');
}

function equal(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
