// The one way in which headings, lists, tables and code are written down, whatever format they come from.
import type { DraftBlock } from './parsers/build-document.ts';

/** An item of a list: its first line's marker is chosen by `listBlock`. */
export interface ListItem {
  /** Canonical text, several lines allowed; nested blocks are already rendered. */
  readonly text: string;
  /** Of a task list: whether it is done. */
  readonly checked?: boolean;
  /** An item that holds nothing but a nested list: it gets no marker of its own. */
  readonly nestedOnly?: boolean;
}

/** A heading of `level` 1 to 6; `words` is put on one line. */
export function headingBlock(level: number, words: string): DraftBlock {
  const depth = Math.min(6, Math.max(1, level));
  const line = words.replace(/\s+/g, ' ').trim();
  return { kind: 'heading', level: depth, text: line ? `${'#'.repeat(depth)} ${line}` : '' };
}

/** A paragraph; lines within it are kept. */
export function paragraphBlock(text: string): DraftBlock {
  // No-break spaces stay: code of Google Docs is indented with them.
  const lines = text.split('\n').map((line) => line.replace(/^[ \t]+|[ \t]+$/g, ''));
  return { kind: 'paragraph', text: lines.filter((line) => line !== '').join('\n') };
}

/** Fenced code. The fence is longer than any run of backticks inside. */
export function codeBlock(code: string, language = ''): DraftBlock {
  const body = code
    .replace(/\r\n?/g, '\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
  if (body === '') return { kind: 'code', text: '' };
  const longest = (body.match(/`{3,}/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return { kind: 'code', text: `${fence}${language.replace(/[^\w+#.-]/g, '')}\n${body}\n${fence}` };
}

/** A list; `start` is the first number of an ordered one, absent for bullets. */
export function listBlock(items: readonly ListItem[], start?: number): DraftBlock {
  // A list that holds nothing but another one is that one.
  if (items.every((item) => item.nestedOnly)) return { kind: 'list', text: items.map((item) => item.text).join('\n') };
  const lines: string[] = [];
  let number = start ?? 0;
  for (const item of items) {
    if (item.text.trim() === '') continue;
    const marker = start === undefined ? '- ' : `${number}. `;
    if (item.nestedOnly) {
      lines.push(indentLines(item.text, marker.length));
      continue;
    }
    const task = item.checked === undefined ? '' : item.checked ? '[x] ' : '[ ] ';
    lines.push(`${marker}${task}${indentLines(item.text, marker.length).trimStart()}`);
    number += 1;
  }
  return { kind: 'list', text: lines.join('\n') };
}

/** `text` with every line but the empty ones moved right. */
export function indentLines(text: string, columns: number): string {
  return text.replace(/^(?=.*\S)/gm, ' '.repeat(columns));
}

/**
 * A pipe table; the first row is the header, because nearly every table's is, marked or not. Rows are filled up to the
 * widest one and cells are put on one line.
 */
export function tableBlock(rows: readonly (readonly string[])[]): DraftBlock {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const filled = rows.filter((row) => row.some((cell) => cell.trim() !== ''));
  const [header, ...body] = filled;
  if (!header) return { kind: 'table', text: '' };
  const separator = `|${' --- |'.repeat(width)}`;
  return {
    kind: 'table',
    text: [tableRow(header, width), separator, ...body.map((row) => tableRow(row, width))].join('\n'),
  };
}

function tableRow(cells: readonly string[], width: number): string {
  const padded = Array.from({ length: width }, (_, column) => tableCell(cells[column] ?? ''));
  return `| ${padded.join(' | ')} |`;
}

function tableCell(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|');
}
