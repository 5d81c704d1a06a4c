import { ProblemError } from './problem.ts';

// No call takes more: an audience of 1,000 and its commas, or two lists of 100 principals. Beside a question or a text of
// megabytes these are few, and millions of values cost seconds to parse and to find fault with.
const MAX_MARKS = 4_000;
const MAX_DEPTH = 16; // the deepest body has two levels

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const BETWEEN = new Set([0x2c, 0x3a]);

/**
 * Counts what JSON text is made of before it is parsed, in one pass over its bytes (UTF-8).
 * @throws ProblemError 400 for more values or deeper nesting than any call takes.
 */
export function refuseLargeJson(bytes: Buffer): void {
  let marks = 0;
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) {
      at = endOfString(bytes, at);
      continue;
    }
    if (OPENING.has(byte)) depth++;
    else if (CLOSING.has(byte)) depth--;
    else if (!BETWEEN.has(byte)) continue;
    marks++;
    if (depth > MAX_DEPTH)
      throw new ProblemError('invalid_request', `the body is nested in more than ${MAX_DEPTH} levels`);
    if (marks > MAX_MARKS) throw new ProblemError('invalid_request', 'the body has more values than any call takes');
  }
}

// Where the closing quote stands; the end of the text when there is none.
function endOfString(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(QUOTE, start + 1); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    let before = at - 1;
    while (bytes[before] === BACKSLASH) before--;
    if ((at - 1 - before) % 2 === 0) return at;
  }
  return bytes.length;
}
