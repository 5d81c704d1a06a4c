// Bodies come in after their sender is known, within limits, and as valid UTF-8.
import { isUtf8 } from 'node:buffer';
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { UploadedFile } from './call.ts';
import { ProblemError } from './problem.ts';
import { readForm } from './read-form.ts';
import { refuseLargeJson } from './refuse-large-json.ts';

/** A body as it was sent, not yet validated. `body` of a form has its file's name under `file`. */
export interface SentBody {
  readonly mediaType: string;
  readonly body: unknown;
  readonly file: UploadedFile | null;
}

/** Reads bodies of the given media types. */
export function createBodyReader(
  mediaTypes: readonly string[],
  maxJsonBytes: number,
): (request: Request, response: Response) => Promise<SentBody> {
  const json = express.json({
    limit: maxJsonBytes,
    type: 'application/json',
    // What is small on the wire may be large in memory.
    inflate: false,
    // A number or a text is JSON too, and told to be of the wrong type by whoever validates.
    strict: false,
    verify: (_request, _response, bytes, encoding) => {
      if (encoding !== 'utf-8') throw new ProblemError('unsupported_type', 'send the body as UTF-8');
      if (!isUtf8(bytes)) throw new ProblemError('invalid_request', 'the body is not valid UTF-8');
      refuseLargeJson(bytes);
    },
  });
  return async (request, response) => {
    const mediaType = mediaTypes.find((each) => request.is(each));
    if (mediaType === undefined) {
      throw new ProblemError('unsupported_type', `send the body as ${mediaTypes.join(' or ')}`);
    }
    if (mediaType === 'multipart/form-data') return { mediaType, ...(await readForm(request)) };
    await run(json, request, response);
    return { mediaType, body: request.body, file: null };
  };
}

/** Runs a middleware of Express as a promise. */
export function run(middleware: RequestHandler, request: Request, response: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    void middleware(request, response, (error?: unknown) => (error ? reject(error) : resolve()));
  });
}
