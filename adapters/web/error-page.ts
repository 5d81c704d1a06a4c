import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { UsageError } from '../../retrieval/errors.ts';
import type { Logger } from '../../retrieval/ports.ts';
import { RETRY_AFTER, unavailableText } from '../unavailable.ts';
import { FAILURE_TEXT } from '../wording.ts';
import { type Html, html } from './html.ts';
import { icon } from './icons.ts';
import { brand, documentPage } from './layout.ts';
import { notFound, PageError } from './page-error.ts';
import { sendPage, setPageHeaders } from './send-page.ts';

const TITLES: Readonly<Record<number, string>> = {
  400: 'That did not work',
  401: 'Please sign in',
  403: 'Not for you',
  404: 'Nothing here',
  405: 'Not here',
  413: 'That is too long',
  421: 'Another address',
  429: 'A moment, please',
  503: 'A moment, please',
};

/** What a person is told about an error, and with which HTTP status. Never a cause, a path or a stack. */
export function messageFor(error: unknown): { readonly status: number; readonly message: string } {
  if (error instanceof PageError) return { status: error.status, message: error.message };
  const unavailable = unavailableText(error);
  if (unavailable !== null) return { status: 503, message: sentence(unavailable) };
  if (error instanceof UsageError) return { status: 400, message: `${error.message}.` };
  const status = httpStatusOf(error);
  if (status === 413) return { status, message: 'What you sent is too long.' };
  if (status !== null) return { status: 400, message: 'What you sent could not be read. Go back and try again.' };
  return { status: 500, message: FAILURE_TEXT };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

// Express and its body parser mark the client's faults.
function httpStatusOf(error: unknown): number | null {
  const status = error instanceof Error && 'status' in error ? error.status : null;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : null;
}

/** Shows errors as pages, or in few words to the script. */
export function createErrorPages(logger: Logger): ErrorRequestHandler {
  return (error, request, response, next) => {
    // Too late for a page: the connection is all that can be ended.
    if (response.headersSent) return next(error);
    const { status, message } = messageFor(error);
    if (status === 503) response.set(RETRY_AFTER);
    if (status >= 500) logger.error({ err: error, path: request.path }, 'a page failed');
    if (error instanceof PageError) response.set(error.headers);
    if (request.get('accept')?.includes('text/html')) {
      const requestId = status >= 500 ? String(response.get('x-request-id') ?? '') : '';
      sendErrorPage(response, { status, message, requestId });
      return;
    }
    setPageHeaders(response);
    response.status(status).json({ title: TITLES[status] ?? 'Something went wrong', detail: message });
  };
}

/** Answers a browser's request for a page that does not exist; everything else is somebody else's. */
export const missingPage: RequestHandler = (request, _response, next) => {
  const wantsPage = request.method === 'GET' && request.get('accept')?.includes('text/html');
  next(wantsPage ? notFound() : undefined);
};

/** Sends a page that says what is wrong. An empty `requestId` is not shown. */
export function sendErrorPage(
  response: Response,
  { status, message, requestId }: { readonly status: number; readonly message: string; readonly requestId: string },
): void {
  sendPage(response, errorPage(status, message, requestId), status);
}

function errorPage(status: number, message: string, requestId: string): Html {
  const title = TITLES[status] ?? 'Something went wrong';
  const body = html`<div class="lonely"><header>${brand()}</header><main id="main">
<p class="eyebrow">${icon('warning')}<span>${status}</span></p><h1>${title}</h1><p>${message}</p>
${requestId && html`<p class="muted">If it goes on, tell an admin this number: <code>${requestId}</code></p>`}
<p><a class="button" href="${status === 401 ? '/sign-in' : '/'}">${icon('back')}<span>${status === 401 ? 'Sign in' : 'Back to your questions'}</span></a></p>
</main></div>`;
  return documentPage({ title, body, name: 'plain' });
}
