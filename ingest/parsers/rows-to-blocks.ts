// Rows of a sheet or a delimited file as lines that can be quoted alone: each value with the name of its column.
import type { DraftBlock } from './build-document.ts';

/** Cells as text; '' for an empty one. */
export type Row = readonly string[];

/** A list block with one line a row, `- Name: Ann; Grade: 7.`; without a header row, `- Ann; 7.`. */
export function rowsToBlock(rows: readonly Row[]): DraftBlock {
  const filled = rows.map((row) => row.map(cell)).filter((row) => row.some((value) => value !== ''));
  const [first, ...rest] = filled;
  const header = first && rest.length > 0 && isHeader(first, rest) ? first : null;
  const lines = (header ? rest : filled).map((row) => rowLine(row, header ?? []));
  return { kind: 'list', text: lines.join('\n') };
}

function cell(value: string): string {
  return value.replace(/\s+/g, ' ').trim();
}

function rowLine(row: Row, header: Row): string {
  const values = row.flatMap((value, column) => {
    if (value === '') return [];
    const name = header[column] ?? '';
    return [name === '' ? value : `${name.replace(/\s*:$/, '')}: ${value}`];
  });
  const line = values.join('; ');
  return `- ${line}${/[.!?。]$/.test(line) ? '' : '.'}`;
}

const NUMBER = /^[-+]?[\p{Sc}]?\s?[\d.,\s]*\d\s?(?:%|\p{Sc})?$/u;
const YEAR = /^(?:19|20)\d\d$/;

/**
 * Whether the first of several rows names the columns: names are distinct and not data. Numbers are data, except years and
 * 1, 2, 3…, which head columns; a first row that has the same kind of value as all rows below (an e-mail, a date) is data.
 */
function isHeader(first: Row, rest: readonly Row[]): boolean {
  const names = first.filter((name) => name !== '');
  if (names.length === 0 || new Set(names).size < names.length) return false;
  if (names.some((name) => name.length > 120)) return false;
  if (names.every((name, index) => name === String(index + 1))) return true;
  return !first.some((name, column) => {
    if (name === '') return false;
    if (NUMBER.test(name) && !YEAR.test(name)) return true;
    return isTypedData(name) && rest.some((row) => isTypedData(row[column] ?? ''));
  });
}

function isTypedData(value: string): boolean {
  return /^\S+@\S+\.\w+$/.test(value) || /^https?:\/\//.test(value) || /^\d{4}-\d\d-\d\d/.test(value);
}
