// What every parser makes of a file: one text, and where its parts are.

/** A part of the text. Blocks are in order, do not overlap, and cover all text but the blank lines between them. */
export interface Block {
  readonly kind: 'heading' | 'paragraph' | 'list' | 'table' | 'code';
  /** Offsets into `text`, UTF-16 code units, without surrounding blank lines. */
  readonly start: number;
  readonly end: number;
  /** Only of a heading: 1 to 6. */
  readonly level?: number;
  /** Only of a heading: its words, without markers. */
  readonly heading?: string;
}

/** Where a page (PDF), slide (PPTX) or sheet (XLSX) begins in `text`. */
export interface Page {
  /** 1-based. */
  readonly number: number;
  readonly start: number;
}

/**
 * A document as text. `text` is light Markdown: `# ` headings, `- ` and `1. ` lists, pipe tables, fenced code; no emphasis
 * markers, no link targets, no HTML; `\n` line ends; Unicode NFC is not applied (offsets and quotes stay the author's).
 */
export interface ParsedDocument {
  /** From the document itself (front matter, `<title>`, first heading, file properties); null when it has none. */
  readonly title: string | null;
  readonly text: string;
  readonly blocks: readonly Block[];
  /** Empty for formats without pages. */
  readonly pages: readonly Page[];
  /** Front matter or file properties that the tagger and the effective dates read; keys in lower case. */
  readonly properties: Readonly<Record<string, string>>;
}

/** Why a file did not become a document; stored and shown to admins. */
export const PARSE_FAILURES = [
  'empty',
  'no_text_layer',
  'encrypted',
  'corrupt',
  'not_what_its_name_says',
  'unsupported_type',
  'too_large',
  'zip_bomb',
  'undecodable',
] as const;
export type ParseFailure = (typeof PARSE_FAILURES)[number];

/** A file that cannot be read as a document. The message says what is wrong with it and what to do. */
export class ParseError extends Error {
  readonly code: ParseFailure;
  constructor(code: ParseFailure, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ParseError';
    this.code = code;
  }
}
