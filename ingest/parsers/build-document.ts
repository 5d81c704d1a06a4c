// The last step of every parser: blocks become one text with offsets, so the invariants of a document live in one place.
import { type Block, type Page, type ParsedDocument, ParseError } from '../parsed-document.ts';

/** A block before it has a place in the text. `text` is canonical (see `ParsedDocument`), markers included. */
export interface DraftBlock {
  readonly kind: Block['kind'];
  readonly text: string;
  /** Only of a heading: 1 to 6. */
  readonly level?: number;
  /** Pages that begin in this block: 1-based number, and the offset in `text` where it begins. */
  readonly pageStarts?: readonly { readonly number: number; readonly at: number }[];
}

/** A document before its blocks have places. */
export interface DraftDocument {
  readonly title?: string | null;
  readonly blocks: readonly DraftBlock[];
  readonly properties?: Readonly<Record<string, string>>;
}

// What PostgreSQL cannot store (U+0000) or nobody can read: control characters, byte order marks, and soft hyphens, which
// would split a word for the lexical search.
// biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the purpose
const UNREADABLE = /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u00ad\ufeff\ufffe\uffff]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: form feed and vertical tab end a line
const LINE_ENDS = /\r\n?|[\u000b\u000c\u0085\u2028\u2029]/g;
// A lone half of a surrogate pair cannot be stored as UTF-8.
const LONE_SURROGATES = /\p{Surrogate}/gu;

/** `text` with `\n` line ends, plain spaces for no-break ones, and without characters that cannot be stored or read. */
export function cleanText(text: string): string {
  return text
    .replace(LINE_ENDS, '\n')
    .replace(UNREADABLE, '')
    .replace(/[\u00a0\u202f\u2007]/g, ' ')
    .replace(LONE_SURROGATES, '\ufffd');
}

function withoutOuterBlankLines(text: string): string {
  const end = text.trimEnd();
  const firstWord = end.search(/\S/);
  return firstWord <= 0 ? end : end.slice(end.lastIndexOf('\n', firstWord) + 1);
}

/** The text of a block as it is stored. Only a block without page starts may change its length. */
function blockText(block: DraftBlock): string {
  if (block.pageStarts?.some((page) => page.at > 0)) return block.text;
  const clean = withoutOuterBlankLines(cleanText(block.text));
  if (block.kind === 'paragraph') return clean.trim().replace(/\n[ \t\n]*\n/g, '\n');
  return block.kind === 'heading' ? clean.replace(/\s+/g, ' ').trim() : clean;
}

/** The words of a heading's line, without its `#` marks. */
export function headingWords(line: string): string {
  return line.replace(/^#{1,6}\s+/, '');
}

const HAS_WORD = /[\p{L}\p{N}]/u;

/** Whether `text` has a letter or a digit of any script. */
export function hasWord(text: string): boolean {
  return HAS_WORD.test(text);
}

/**
 * Places `draft.blocks` in one text, one blank line between them; blocks without content are dropped.
 * The title is `draft.title`, or else the first heading unless it is numbered; none when `draft.title` is null.
 * @throws ParseError `empty` when no block has a word
 */
export function buildDocument(draft: DraftDocument): ParsedDocument {
  const blocks: Block[] = [];
  const pages: Page[] = [];
  const parts: string[] = [];
  let length = 0;
  for (const block of draft.blocks) {
    const text = blockText(block);
    if (text === '' || (block.kind === 'heading' && !/[^#\s]/.test(text))) continue;
    const start = length === 0 ? 0 : length + 2;
    for (const page of block.pageStarts ?? []) {
      if ((pages.at(-1)?.number ?? 0) < page.number) pages.push({ number: page.number, start: start + page.at });
    }
    const place = { kind: block.kind, start, end: start + text.length };
    blocks.push(
      block.kind === 'heading' ? { ...place, level: clampLevel(block.level ?? 1), heading: headingWords(text) } : place,
    );
    parts.push(text);
    length = place.end;
  }
  const text = parts.join('\n\n');
  if (!hasWord(text)) {
    throw new ParseError('empty', 'the document has no words; nothing can be quoted from it');
  }
  return { title: titleOf(draft, blocks), text, blocks, pages, properties: cleanProperties(draft.properties ?? {}) };
}

function clampLevel(level: number): number {
  return Math.min(6, Math.max(1, Math.trunc(level)));
}

function titleOf(draft: DraftDocument, blocks: readonly Block[]): string | null {
  const own = draft.title === undefined ? null : oneLine(draft.title ?? '');
  if (own) return own;
  if (draft.title === null) return null;
  // "1. Purpose" is the first section, not what the document is called.
  const first = blocks.find((block) => block.kind === 'heading')?.heading ?? '';
  return first === '' || /^\d+(?:\.\d+)*\.?\s/.test(first) ? null : first;
}

/** `text` on one line, runs of white space as one space. */
export function oneLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ').trim();
}

function cleanProperties(properties: Readonly<Record<string, string>>): Record<string, string> {
  const clean: Record<string, string> = {};
  for (const [key, value] of Object.entries(properties)) {
    const name = oneLine(key).toLowerCase();
    const text = cleanText(value).trim();
    // Defined rather than assigned: a property called `__proto__` must stay a property.
    if (name && text) {
      Object.defineProperty(clean, name, { value: text, enumerable: true, configurable: true, writable: true });
    }
  }
  return clean;
}
