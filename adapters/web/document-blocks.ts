// The light Markdown that the parsers write, cut into what a page shows differently. Offsets stay those of the text.
import type { Span } from '../../retrieval/model.ts';

/** A stretch of lines of one kind. */
export interface TextBlock extends Span {
  readonly kind: 'heading' | 'paragraph' | 'item' | 'table' | 'code';
  /** Lines without what only marks them, such as `- `. */
  readonly lines: readonly Span[];
  /** Of a heading: 1 to 6. Of an item: its depth, from 1. */
  readonly level: number;
  /** Of an item: what stands before it, such as `•` or `2.`. */
  readonly marker: string;
}

/**
 * Cuts a text. With `headings` only lines that begin at these offsets are headings; a `#` elsewhere is the author's. Everything
 * but markers and blank lines is in exactly one line.
 */
export function readBlocks(text: string, headings?: ReadonlySet<number>): TextBlock[] {
  const blocks: TextBlock[] = [];
  let fenced = false;
  for (const line of splitLines(text)) {
    const words = text.slice(line.start, line.end);
    if (/^ {0,3}```/.test(words)) {
      fenced = !fenced;
      blocks.push({ ...line, kind: 'code', lines: [], level: 0, marker: '' });
    } else if (fenced) append(blocks, line, 'code');
    else if (words.trim() !== '') addLine(blocks, line, words, headings);
    else blocks.push({ ...line, kind: 'paragraph', lines: [], level: 0, marker: '' });
  }
  return blocks.filter((block) => block.lines.length > 0);
}

function addLine(blocks: TextBlock[], line: Span, words: string, headings: ReadonlySet<number> | undefined): void {
  const heading = /^(#{1,6})\s+(?=\S)/.exec(words);
  if (heading && (headings?.has(line.start) ?? true)) {
    const level = heading[1]?.length ?? 1;
    blocks.push({ ...line, kind: 'heading', lines: [behind(line, heading[0])], level, marker: '' });
    return;
  }
  const item = /^(\s*)([-*•]|\d{1,4}[.)])\s+(?=\S)/.exec(words);
  if (item) {
    const level = 1 + Math.floor((item[1]?.length ?? 0) / 2);
    const marker = /\d/.test(item[2] ?? '') ? (item[2] ?? '') : '•';
    blocks.push({ ...line, kind: 'item', lines: [behind(line, item[0])], level, marker });
  } else if (words.trimStart().startsWith('|')) append(blocks, line, 'table');
  else append(blocks, line, 'paragraph');
}

// A line goes on with the block before it when that is of its kind; a paragraph's line also goes on with an item.
function append(blocks: TextBlock[], line: Span, kind: 'paragraph' | 'table' | 'code'): void {
  const last = blocks.at(-1);
  const joins = last && (last.kind === kind || (last.kind === 'item' && kind === 'paragraph'));
  const open = joins && (last.lines.length > 0 || kind === 'code');
  if (open) blocks[blocks.length - 1] = { ...last, end: line.end, lines: [...last.lines, line] };
  else blocks.push({ ...line, kind, lines: [line], level: 0, marker: '' });
}

const behind = (line: Span, marker: string): Span => ({ start: line.start + marker.length, end: line.end });

function* splitLines(text: string): Generator<Span> {
  for (let start = 0; start <= text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    yield { start, end };
    start = end + 1;
  }
}

/** Cells of a table's line, without the pipes; null for the line under the head. */
export function readCells(text: string, line: Span): Span[] | null {
  const words = text.slice(line.start, line.end);
  if (/^\s*\|(\s*:?-{2,}:?\s*\|)+\s*$/.test(words)) return null;
  const cells: Span[] = [];
  let start = line.start + words.indexOf('|') + 1;
  for (let at = start; at <= line.end; at++) {
    const atPipe = text[at] === '|' && text[at - 1] !== '\\';
    if (!atPipe && !(at === line.end && text.slice(start, at).trim() !== '')) continue;
    cells.push(trimSpan(text, { start, end: at }));
    start = at + 1;
  }
  return cells;
}

function trimSpan(text: string, { start, end }: Span): Span {
  const words = text.slice(start, end);
  const before = words.length - words.trimStart().length;
  return { start: start + before, end: start + Math.max(before, words.trimEnd().length) };
}
