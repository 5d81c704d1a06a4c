// The inside of a parsing thread: one file a message, one reply each.
import { parentPort } from 'node:worker_threads';
import type { FileInput } from '../detect-type.ts';
import { type ParsedDocument, ParseError, type ParseFailure } from '../parsed-document.ts';
import { parseBytes } from './parse-bytes.ts';

/** What a thread answers. Errors lose their class on the way between threads, so their parts are sent. */
export type ParseReply =
  | { readonly document: ParsedDocument }
  | { readonly failure: { code: ParseFailure; message: string; cause: string } };

parentPort?.on('message', async (input: FileInput) => {
  parentPort?.postMessage(await reply(input));
});

async function reply(input: FileInput): Promise<ParseReply> {
  try {
    return { document: await parseBytes(input) };
  } catch (error) {
    if (error instanceof ParseError) {
      const cause = error.cause instanceof Error ? error.cause.message : '';
      return { failure: { code: error.code, message: error.message, cause } };
    }
    return { failure: { code: 'corrupt', message: 'the file cannot be read; save it again', cause: String(error) } };
  }
}
