// Columns and pages put together: what runs over the end of one becomes a single paragraph, item or table again.
import { tableBlock } from '../markdown-blocks.ts';
import type { DraftBlock } from './build-document.ts';
import { joinText, type KnownWords } from './pdf-join.ts';
import type { PdfLine } from './pdf-lines.ts';

/** A block with what is needed to continue it. */
export interface PdfBlock extends DraftBlock {
  /** Of a tagged table: its rows, and their numbers in the whole table, which may begin on an earlier page. */
  readonly table?: {
    readonly rows: readonly (readonly string[])[];
    readonly firstRow: number;
    readonly lastRow: number;
  };
}

/** The blocks of one column. */
export interface Column {
  /** 1-based. */
  readonly page: number;
  readonly blocks: readonly PdfBlock[];
}

/** Cuts a page where its content goes back up. Rows of a tagged table go up and down and are not cut. */
export function splitColumns(lines: readonly PdfLine[]): PdfLine[][] {
  const columns: PdfLine[][] = [];
  let last: PdfLine | undefined;
  for (const line of lines) {
    const goesUp = last !== undefined && line.y > last.y + line.size && !(line.tag?.cell && last.tag?.cell);
    if (!last || goesUp) columns.push([]);
    columns.at(-1)?.push(line);
    last = line;
  }
  return columns;
}

/** All blocks in order, each page's beginning marked. */
export function joinColumns(columns: readonly Column[], words: KnownWords): DraftBlock[] {
  const blocks: PdfBlock[] = [];
  let page = 0;
  for (const column of columns) {
    const [first, ...rest] = column.blocks;
    if (!first) continue;
    const last = blocks.at(-1);
    const joined = last ? join(last, first, words) : null;
    const start = (at: number): DraftBlock['pageStarts'] => (column.page > page ? [{ number: column.page, at }] : []);
    if (last && joined) {
      const pageStarts = [...(last.pageStarts ?? []), ...(start(joined.at) ?? [])];
      blocks[blocks.length - 1] = { ...joined.block, pageStarts };
    } else {
      blocks.push({ ...first, pageStarts: start(0) ?? [] });
    }
    blocks.push(...rest);
    page = column.page;
  }
  return blocks.map(({ table: _, ...block }) => block);
}

interface Joined {
  readonly block: PdfBlock;
  /** Where the second part begins in the joined text. */
  readonly at: number;
}

function join(last: PdfBlock, first: PdfBlock, words: KnownWords): Joined | null {
  if (last.table && first.table && first.table.firstRow > 1) return joinTables(last.table, first.table, words);
  if (!runsOver(last, first)) return null;
  const text = joinText(last.text, first.text, words);
  return { block: { ...last, text }, at: text.length - first.text.length };
}

// Only what is certain: no end of a sentence before the break, a small letter after it.
function runsOver(last: PdfBlock, first: PdfBlock): boolean {
  if ((last.kind !== 'paragraph' && last.kind !== 'list') || first.kind !== 'paragraph') return false;
  return /[\p{L}\p{N},;\-\u00ad]$/u.test(last.text) && last.text.length > 40 && /^\p{Ll}/u.test(first.text);
}

// Some writers tag the rest of a broken row as a row: its cells begin in the middle of a sentence.
function isRestOfRow(row: readonly string[]): boolean {
  return row[0] === '' && row.every((cell) => cell === '' || /^\p{Ll}/u.test(cell));
}

type Table = NonNullable<PdfBlock['table']>;

function joinTables(upper: Table, lower: Table, words: KnownWords): Joined {
  const rows = upper.rows.map((row) => [...row]);
  const added = lower.rows.map((row) => [...row]);
  const broken = rows.at(-1);
  if (broken && (upper.lastRow === lower.firstRow || isRestOfRow(added[0] ?? []))) {
    // The row itself is broken: its cells go on in the first row below.
    for (const [column, cell] of (added.shift() ?? []).entries()) {
      broken[column] = joinText(broken[column] ?? '', cell, words);
    }
  }
  const at = tableBlock(rows).text.length;
  const table = { rows: [...rows, ...added], firstRow: upper.firstRow, lastRow: lower.lastRow };
  const text = tableBlock(table.rows).text;
  return { block: { kind: 'table', text, table }, at: Math.min(added.length > 0 ? at + 1 : at, text.length - 1) };
}
