// Bytes to text: byte order marks, UTF-16 without one, declared charsets, and Windows-1252 for what is left.
import { ParseError } from './parsed-document.ts';

// Enough to see the pattern of zero bytes, and where HTML and XML must have declared their charset.
const SAMPLE_BYTES = 4096;
// UTF-16 of European text has a zero in nearly every second byte, UTF-8 has none; measured on prose, above 0.9 and 0.
const ZERO_SHARE = 0.4;
// Real text in an eight-bit charset has no control characters but tabs and line ends; a few slips are forgiven.
const MAX_CONTROL_SHARE = 0.02;

/**
 * The text of `bytes`, without a byte order mark. A charset declared in HTML or XML counts when the bytes are not UTF-8.
 * @throws ParseError `undecodable` when the bytes are no text in any of these encodings
 */
export function decodeText(bytes: Uint8Array, markup: 'html' | 'xml' | 'none' = 'none'): string {
  const marked = markedEncoding(bytes) ?? zeroByteEncoding(bytes);
  if (marked) return decode(bytes, marked);
  if (bytes.subarray(0, SAMPLE_BYTES).includes(0)) throw undecodable('it has zero bytes');
  const declared = markup === 'none' ? null : declaredEncoding(bytes, markup);
  // ISO-2022 writes everything in seven bits: the bytes are valid UTF-8 and still something else.
  if (declared?.startsWith('iso-2022')) return decode(bytes, declared);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
  }
  if (isNearlyUtf8(bytes)) return decode(bytes, 'utf-8');
  const text = decode(bytes, declared ?? 'windows-1252');
  if (controlShare(text) > MAX_CONTROL_SHARE) throw undecodable('it is full of control characters');
  return text;
}

/** Whether the beginning of `bytes` can be text: no zero bytes but those of UTF-16, and hardly any control characters. */
export function looksLikeText(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const marked = markedEncoding(sample) ?? zeroByteEncoding(sample);
  if (!marked && sample.includes(0)) return false;
  return controlShare(decode(sample, marked ?? 'windows-1252')) <= MAX_CONTROL_SHARE;
}

function markedEncoding(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return null;
}

function zeroByteEncoding(bytes: Uint8Array): string | null {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const pairs = Math.floor(sample.length / 2);
  if (pairs < 2) return null;
  let even = 0;
  let odd = 0;
  for (let index = 0; index < pairs * 2; index += 2) {
    if (sample[index] === 0) even += 1;
    if (sample[index + 1] === 0) odd += 1;
  }
  if (odd / pairs >= ZERO_SHARE && even === 0) return 'utf-16le';
  return even / pairs >= ZERO_SHARE && odd === 0 ? 'utf-16be' : null;
}

function declaredEncoding(bytes: Uint8Array, markup: 'html' | 'xml'): string | null {
  const head = decode(bytes.subarray(0, SAMPLE_BYTES), 'windows-1252');
  const xml = /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1];
  const html = markup === 'html' ? /<meta[^>]*\bcharset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head)?.[1] : undefined;
  const label = (html ?? xml)?.toLowerCase();
  // The declaration itself was read as one-byte text, so UTF-16 is not true; and UTF-8 has been tried.
  if (!label || label.startsWith('utf-')) return null;
  try {
    return new TextDecoder(label).encoding;
  } catch (cause) {
    if (cause instanceof RangeError) return null; // an unknown name says nothing
    throw cause;
  }
}

// A long UTF-8 text with one broken sequence (cut off, or pasted from elsewhere) is not Windows-1252.
function isNearlyUtf8(bytes: Uint8Array): boolean {
  const text = decode(bytes, 'utf-8');
  const broken = text.split('\ufffd').length - 1;
  const foreign = text.match(/[\u0080-\ufffc\u{10000}-\u{10ffff}]/gu)?.length ?? 0;
  return foreign >= 10 * broken;
}

// The characters of 0x80 to 0x9f (WHATWG Encoding, index windows-1252). Node 20 decodes them as Latin-1 controls.
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

function decode(bytes: Uint8Array, encoding: string): string {
  const text = new TextDecoder(encoding).decode(bytes);
  if (encoding !== 'windows-1252') return text;
  return text.replace(/[\u0080-\u009f]/g, (control) => WINDOWS_1252[control.charCodeAt(0) - 0x80] ?? control);
}

function controlShare(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: counting them is the purpose
  const controls = text.match(/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/g)?.length ?? 0;
  return text.length === 0 ? 0 : controls / text.length;
}

function undecodable(reason: string): ParseError {
  return new ParseError(
    'undecodable',
    `the file is not text in UTF-8, UTF-16 or Windows-1252: ${reason}; save it as UTF-8`,
  );
}
