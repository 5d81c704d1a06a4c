// Plain text: paragraphs are what stands between blank lines; lines are kept.
import type { ParsedDocument } from '../parsed-document.ts';
import { buildDocument, cleanText, type DraftBlock } from './build-document.ts';

/** Reads plain text. It has no title: the first line of a note or a log is not one. */
export function parseText(source: string): ParsedDocument {
  return buildDocument({ title: null, blocks: textBlocks(source) });
}

/** The paragraphs of a plain text. */
export function textBlocks(source: string): DraftBlock[] {
  return cleanText(source)
    .split(/\n(?:[ \t]*\n)+/)
    .map((text) => ({ kind: 'paragraph', text: text.replace(/[ \t]+$/gm, '') }));
}
