// Bodies come in after their sender is known, within limits, and as valid UTF-8.
import { isUtf8 } from 'node:buffer';
import express, { type Request, type RequestHandler, type Response } from 'express';
import multer, { MulterError } from 'multer';
import type { UploadedFile } from './call.ts';
import { ProblemError } from './problem.ts';

/** A body as it was sent, not yet validated. `body` of a form has its file's name under `file`. */
export interface SentBody {
  readonly mediaType: string;
  readonly body: unknown;
  readonly file: UploadedFile | null;
}

const MAX_FILE_BYTES = 50 * 2 ** 20; // the largest document that ingest reads
const MAX_FIELDS = 300; // two lists of principals and the rest
const MAX_FIELD_BYTES = 16 * 2 ** 10;
const LISTS = ['allow', 'require'];

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
    verify: (_request, _response, bytes) => {
      if (!isUtf8(bytes)) throw new ProblemError('invalid_request', 'the body is not valid UTF-8');
    },
  });
  const form = multer({
    storage: multer.memoryStorage(),
    limits: { fileSize: MAX_FILE_BYTES, files: 1, fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES, headerPairs: 20 },
    defParamCharset: 'utf8',
    // The whole name as it was sent, so that a path is refused and not cut.
    preservePath: true,
  }).single('file');
  return async (request, response) => {
    const mediaType = mediaTypes.find((each) => request.is(each));
    if (mediaType === undefined) {
      throw new ProblemError('unsupported_type', `send the body as ${mediaTypes.join(' or ')}`);
    }
    if (mediaType !== 'multipart/form-data') {
      await run(json, request, response);
      return { mediaType, body: request.body, file: null };
    }
    await run(form, request, response).catch((error: unknown) => {
      throw formProblem(error);
    });
    return readForm(request, mediaType);
  };
}

/** Runs a middleware of Express as a promise. */
export function run(middleware: RequestHandler, request: Request, response: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    void middleware(request, response, (error?: unknown) => (error ? reject(error) : resolve()));
  });
}

function formProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof MulterError && error.code === 'LIMIT_FILE_SIZE') {
    return new ProblemError('too_large', `the file is larger than ${MAX_FILE_BYTES / 2 ** 20} MiB; split it`);
  }
  const reason = error instanceof MulterError ? error.message.toLowerCase() : 'it is broken or cut off';
  return new ProblemError('invalid_request', `the form cannot be read: ${reason}`);
}

function readForm({ body: fields, file }: Request, mediaType: string): SentBody {
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries((fields ?? {}) as object)) {
    body[name] = LISTS.includes(name) && typeof value === 'string' ? [value] : value;
  }
  if (file) body.file = file.originalname;
  // The parser puts U+FFFD where the bytes were no UTF-8.
  if (JSON.stringify(body).includes('\uFFFD')) {
    throw new ProblemError('invalid_request', 'a field or the file name is not valid UTF-8');
  }
  if (file) refuseBadName(file.originalname);
  return {
    mediaType,
    body,
    file: file ? { name: file.originalname, mediaType: file.mimetype, bytes: file.buffer } : null,
  };
}

function refuseBadName(name: string): void {
  const isPath = /[\\/]/.test(name) || /^\.{1,2}$/.test(name);
  if (name.trim() === '' || name.length > 200 || isPath || /\p{C}/u.test(name)) {
    throw new ProblemError('invalid_request', 'the file name is not one; send a plain name such as handbook.pdf', {
      faults: [{ at: '/file', message: 'must be a name without a path and control characters, 200 at the most' }],
    });
  }
}
