import type { Request, Response } from 'express';

/** The session token of `Sessions`. */
export const SESSION_COOKIE = 'verbatim_session';
/** The browser's half of the protection against forged forms. */
export const FORM_COOKIE = 'verbatim_form';

const SESSION_MS = 8 * 3_600_000; // as long as the token is valid

/** The value of a cookie; null when the browser sent none. The first of several wins, as browsers send the closest first. */
export function readCookie(request: Request, name: string): string | null {
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const at = part.indexOf('=');
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return null;
}

/** Sets a cookie that no script reads and no other site's form sends. */
export function writeCookie(request: Request, response: Response, name: string, value: string): void {
  response.cookie(name, value, {
    httpOnly: true,
    sameSite: 'lax',
    secure: request.secure,
    path: '/',
    maxAge: SESSION_MS,
    // Both are tokens of URL-safe characters already.
    encode: String,
  });
}

/** Takes a cookie back. */
export function clearCookie(request: Request, response: Response, name: string): void {
  response.clearCookie(name, { httpOnly: true, sameSite: 'lax', secure: request.secure, path: '/' });
}
