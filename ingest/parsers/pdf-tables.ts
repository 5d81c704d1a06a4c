// Tables of a PDF: the tagged ones, or else neighbouring lines whose parts stand in the same columns.
import { paragraphBlock, tableBlock } from '../markdown-blocks.ts';
import { joinText, type KnownWords } from './pdf-join.ts';
import type { PdfLine, Segment } from './pdf-lines.ts';
import type { PdfBlock } from './pdf-pages.ts';

/** The rows of a table and the number of lines they take. */
export interface FoundTable {
  readonly rows: readonly (readonly string[])[];
  readonly lines: number;
}

// Two lines with a gap are a coincidence (a form, a letterhead); three in the same columns are a table.
const MIN_ROWS = 3;
const MAX_COLUMNS = 12;
// Longer parts are columns of prose, not cells.
const MAX_CELL_LENGTH = 60;
// In font sizes: rows of one table are not further apart.
const MAX_ROW_DISTANCE = 3;

/** The table that begins at `from`, or null. */
export function tableAt(lines: readonly PdfLine[], from: number): FoundTable | null {
  const rows: PdfLine[] = [];
  for (const line of lines.slice(from)) {
    const last = rows.at(-1);
    if (line.segments.length < 2) break;
    if (last && (last.y <= line.y || last.y - line.y > MAX_ROW_DISTANCE * line.size)) break;
    rows.push(line);
  }
  if (rows.length < MIN_ROWS) return null;
  const columns = findColumns(rows);
  if (columns.length < 2 || columns.length > MAX_COLUMNS) return null;
  const cells = rows.map((row) => row.segments.map((segment) => segment.text.length));
  const mean = cells.flat().reduce((sum, length) => sum + length, 0) / cells.flat().length;
  if (mean > MAX_CELL_LENGTH) return null;
  return { rows: rows.map((row) => placeCells(row, columns)), lines: rows.length };
}

// Parts that overlap from row to row are a column.
function findColumns(rows: readonly PdfLine[]): { x0: number; x1: number }[] {
  const segments = rows.flatMap((row) => [...row.segments]).sort((a, b) => a.x0 - b.x0);
  const columns: { x0: number; x1: number }[] = [];
  for (const segment of segments) {
    const last = columns.at(-1);
    if (last && segment.x0 < last.x1) last.x1 = Math.max(last.x1, segment.x1);
    else columns.push({ x0: segment.x0, x1: segment.x1 });
  }
  return columns;
}

function placeCells(row: PdfLine, columns: readonly { x0: number; x1: number }[]): string[] {
  return columns.map((column) =>
    row.segments
      .filter((segment: Segment) => segment.x0 < column.x1 && segment.x1 > column.x0)
      .map((segment) => segment.text)
      .join(' '),
  );
}

/** The tagged table that begins at `from`, or null. One of a single column is a frame: its cells are paragraphs. */
export function taggedTableAt(
  lines: readonly PdfLine[],
  from: number,
  words: KnownWords,
): { readonly blocks: readonly PdfBlock[]; readonly lines: number } | null {
  const number = lines[from]?.tag?.cell?.table;
  if (number === undefined) return null;
  const rows: string[][] = [];
  let to = from;
  for (let line = lines[to]; line?.tag?.cell?.table === number; line = lines[++to]) {
    const { row, column } = line.tag.cell;
    rows[row] ??= [];
    const cells = rows[row];
    cells[column] = joinText(cells[column] ?? '', line.text, words);
  }
  const filled = rows.filter(Boolean).map((row) => Array.from(row, (cell) => cell ?? ''));
  const isFrame = filled.every((row) => row.length === 1);
  if (isFrame) return { blocks: filled.map(([cell = '']) => paragraphBlock(cell)), lines: to - from };
  const table = { rows: filled, firstRow: rows.findIndex(Boolean), lastRow: rows.length - 1 };
  return { blocks: [{ ...tableBlock(filled), table }], lines: to - from };
}
