// A sheet often holds several tables with a gap between them, and a line of title above one.
import type { Row } from './rows-to-blocks.ts';

/**
 * Cuts the cells of a sheet at empty rows and empty columns into tables, in reading order. A first line with one value above
 * wider rows becomes a table of its own. Rows of a table have equal length.
 */
export function sheetTables(cells: readonly Row[]): Row[][] {
  return cutAtEmptyRows(cells).flatMap((rows) => {
    const parts = cutAtEmptyColumns(rows);
    // Parts that stand side by side may have gaps of their own rows.
    return parts.length > 1 ? parts.flatMap(sheetTables) : parts.flatMap(splitTitle);
  });
}

function isEmptyRow(row: Row): boolean {
  return row.every((value) => value.trim() === '');
}

function cutAtEmptyRows(cells: readonly Row[]): Row[][] {
  const parts: Row[][] = [];
  let part: Row[] = [];
  for (const row of [...cells, []]) {
    if (!isEmptyRow(row)) {
      part.push(row);
    } else if (part.length > 0) {
      parts.push(part);
      part = [];
    }
  }
  return parts;
}

function cutAtEmptyColumns(rows: readonly Row[]): Row[][] {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const used = Array.from({ length: width }, (_, column) => rows.some((row) => (row[column] ?? '').trim() !== ''));
  const parts: Row[][] = [];
  for (let from = used.indexOf(true); from >= 0; from = used.indexOf(true, from)) {
    const gap = used.indexOf(false, from);
    const to = gap < 0 ? width : gap;
    parts.push(rows.map((row) => Array.from({ length: to - from }, (_, index) => row[from + index] ?? '')));
    from = to;
  }
  return parts;
}

function splitTitle(rows: readonly Row[]): Row[][] {
  const [first, second] = rows;
  const values = (row: Row | undefined): string[] => (row ?? []).filter((value) => value.trim() !== '');
  const [title] = values(first);
  if (title === undefined || values(first).length !== 1 || values(second).length < 2) return [[...rows]];
  return [[[title]], ...splitTitle(rows.slice(1))];
}
