import type { Response } from 'express';
import { type Html, renderHtml } from './html.ts';

// No script but ours, no styles in the markup, nothing from elsewhere, in nobody's frame.
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types verbatim',
].join('; ');

/** Headers of everything that these pages send. */
export function setPageHeaders(response: Response): void {
  response.set({
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    // What somebody may read is not for the next person at the machine, nor for a proxy.
    'cache-control': 'no-store',
  });
}

/** Sends a page. */
export function sendPage(response: Response, page: Html, status = 200): void {
  setPageHeaders(response);
  response.status(status).type('html').send(renderHtml(page));
}
