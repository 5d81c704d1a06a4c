// What forms send, checked before anything is done with it.
import express, { type Request, type RequestHandler } from 'express';
import { MAX_QUESTION_CHARACTERS } from '../../retrieval/answer-question.ts';
import { PageError } from './page-error.ts';

// A question of the greatest length in four-byte characters, each written as 12 (`%F0%9F%…`), and the fields around it.
const MAX_FORM_BYTES = 12 * MAX_QUESTION_CHARACTERS + 16_384;

/** Reads the fields of a form into `request.body`, each once. */
export const readForm: RequestHandler = express.urlencoded({
  extended: false,
  limit: MAX_FORM_BYTES,
  parameterLimit: 20,
  verify: (_request, _response, bytes) => refuseBadEncoding(bytes),
});

// The parser would take what cannot be decoded as it stands, and a question would be stored as `%ff`.
function refuseBadEncoding(bytes: Buffer): void {
  try {
    decodeURIComponent(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new PageError(400, UNREADABLE);
  }
}

const UNREADABLE = 'The text contains control characters or characters that cannot be read. Type it anew.';

/** A field of a form as a text; empty when it was not sent. @throws PageError 400 for a field that was sent twice. */
export function field(request: Request, name: string): string {
  const value: unknown = request.body?.[name] ?? '';
  if (typeof value !== 'string')
    throw new PageError(400, `The form has more than one "${name}". Go back and try again.`);
  return value;
}

/**
 * Text that a person typed, with `\n` line ends and without blanks around it.
 * @throws PageError 400 for characters that nobody types: they would be invisible to people and not to programs.
 */
export function typedText(request: Request, name: string): string {
  const text = field(request, name).replaceAll(/\r\n?/g, '\n').trim();
  // U+FFFD is what is left of bytes that are not UTF-8.
  if (!text.isWellFormed() || /[\p{Cc}\uFFFD]/u.test(text.replaceAll(/[\n\t]/g, ''))) {
    throw new PageError(400, UNREADABLE);
  }
  return text;
}
