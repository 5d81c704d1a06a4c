// A form of another site is refused by where it comes from, before its token is looked at.
import type { Request, RequestHandler } from 'express';
import { PageError } from './page-error.ts';

/**
 * Refuses what changes something and comes from a page of another site: by `Origin`, or without it by `Referer`. Neither
 * of them is no page. Ours is the host that was asked, the one that a proxy on this machine was asked, and `publicUrl`'s.
 * @throws PageError 403
 */
export function refuseForeignForms(publicUrl: string | null): RequestHandler {
  return (request, _response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD' && !isOurs(request, publicUrl)) {
      throw new PageError(403, FOREIGN);
    }
    next();
  };
}

const FOREIGN =
  'This form came from a page of another address. Open the page here, and send it once more. If this is the right address, ' +
  'whoever runs Verbatim sets it as VERBATIM_PUBLIC_URL.';

function isOurs(request: Request, publicUrl: string | null): boolean {
  const from = request.get('origin') ?? request.get('referer');
  if (from === undefined) return true;
  // `null` is what a page without an address sends, such as one in a sandbox.
  if (!URL.canParse(from)) return false;
  const { protocol, host } = new URL(from);
  const ours = [request.headers.host, request.host, publicUrl === null ? undefined : new URL(publicUrl).host];
  // With the sender's scheme, so that `:443` after a proxy's name is no other host.
  return ours.some((each) => each !== undefined && hostOf(`${protocol}//${each}`) === host);
}

function hostOf(address: string): string | null {
  return URL.canParse(address) ? new URL(address).host : null;
}
