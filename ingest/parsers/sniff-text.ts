// The kind of a text without a telling name, by how it begins.
import { decodeText } from '../decode-text.ts';
import type { DocumentType } from '../detect-type.ts';
import { isStorageFormat } from './confluence-elements.ts';

// A heading, list, fence, table or front matter within this much shows that a text is Markdown.
const BEGINNING_LENGTH = 20_000;
const MARKDOWN_SIGN = /^(?:#{1,6} \S|```|~~~|\|.+\|$|[-*+] \S|\d+\. \S|> \S|\[\^?\w+\]: )/m;
const HTML_SIGN =
  /^(?:<!--[\s\S]{0,2000}?-->\s*)?<(?:!doctype html|html|head|body|meta|div|p|h[1-6]|table|ul|ol|section|article)\b/i;

/** The format of a text: HTML, XML, JSON and JSON Lines by their syntax, Markdown by its marks, else plain text. */
export function sniffText(bytes: Uint8Array): DocumentType {
  const text = decodeText(bytes).trimStart();
  if (HTML_SIGN.test(text) || /^<(?:ac|ri):/.test(text)) return 'html';
  if (text.startsWith('<?xml')) return /<html\b/i.test(text.slice(0, BEGINNING_LENGTH)) ? 'html' : 'xml';
  if (/^[[{]/.test(text)) return jsonKind(text) ?? 'text';
  const beginning = text.slice(0, BEGINNING_LENGTH);
  if (isStorageFormat(beginning)) return 'html';
  return /^---\r?\n/.test(text) || MARKDOWN_SIGN.test(beginning) ? 'markdown' : 'text';
}

function jsonKind(text: string): DocumentType | null {
  if (isJson(text)) return 'json';
  const [first = '', second] = text.split('\n', 2);
  return second !== undefined && isJson(first) ? 'jsonl' : null;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (cause) {
    if (cause instanceof SyntaxError) return false;
    throw cause;
  }
}
