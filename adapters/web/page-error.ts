import { VerbatimError } from '../../retrieval/errors.ts';

/** A request that a page cannot be given for; the message is shown to the person. */
export class PageError extends VerbatimError {
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 429;
  /** What the response says besides. */
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: PageError['status'], message: string, headers: PageError['headers'] = {}) {
    super(`page_${status}`, message);
    this.status = status;
    this.headers = headers;
  }
}

/** The same for what does not exist and for what the person may not see. */
export function notFound(): PageError {
  return new PageError(
    404,
    'There is nothing here that you may see. It may have moved, been deleted, or never been here.',
  );
}
