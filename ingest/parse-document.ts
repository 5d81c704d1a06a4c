// The way in for every file: one size limit, one time limit, one memory limit.
import type { FileInput } from './detect-type.ts';
import { type ParsedDocument, ParseError } from './parsed-document.ts';
import { createParsePool, type ParseLimits, type ParsePool } from './parsers/parse-pool.ts';

/** The largest file that is read: the promise of the product (50 MiB). */
export const MAX_DOCUMENT_BYTES = 50 * 1024 * 1024;

const MEBIBYTE = 1024 * 1024;
// Measured on two busy cores: Markdown, the slowest to read, takes 5 s a MiB; loading a library takes up to 2 s.
const TIMEOUT_MS = 60_000;
const TIMEOUT_MS_PER_MEBIBYTE = 8_000;
// A workbook is held as objects, some thirty times its XML; the rest of the product keeps its own heap.
const MAX_HEAP_MEGABYTES = 2048;

function defaultLimits(bytes: Uint8Array): ParseLimits {
  const timeoutMs = TIMEOUT_MS + Math.ceil(bytes.length / MEBIBYTE) * TIMEOUT_MS_PER_MEBIBYTE;
  return { timeoutMs, maxHeapMegabytes: MAX_HEAP_MEGABYTES };
}

let pool: ParsePool | null = null;

/**
 * Makes text, blocks and pages of a file. The format is found by name, media type and content (see `detect-type.ts`).
 * @param input `name` may be a path or the last part of a URL; the bytes are copied, not taken
 * @throws ParseError with the reason why the file cannot be a document
 */
export async function parseDocument(input: FileInput, limits?: ParseLimits): Promise<ParsedDocument> {
  const { bytes } = input;
  if (bytes.length > MAX_DOCUMENT_BYTES) {
    const mebibytes = Math.ceil(bytes.length / MEBIBYTE);
    throw new ParseError('too_large', `the file has ${mebibytes} MiB, more than the limit of 50 MiB; split it`);
  }
  if (bytes.length === 0) throw new ParseError('empty', 'the file has no bytes; upload it again');
  pool ??= createParsePool();
  // A view of a larger buffer would send that buffer whole.
  return pool(
    { ...input, bytes: bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice() },
    limits ?? defaultLimits(bytes),
  );
}
