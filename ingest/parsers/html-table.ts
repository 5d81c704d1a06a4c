// Tables of HTML: data tables become rows, tables used for layout give way to their content.
import { paragraphBlock, tableBlock } from '../markdown-blocks.ts';
import { type DraftBlock, headingWords } from './build-document.ts';
import { isHidden } from './html-elements.ts';
import type { InlineContext } from './html-inline.ts';
import { isElement, type MarkupElement, type MarkupNode } from './markup-tree.ts';

// HTML allows 1,000; a hostile page must not make a table of a billion cells out of two attributes.
const MAX_SPAN = 100;

type Flow = (nodes: readonly MarkupNode[], context: InlineContext) => DraftBlock[];

/** The blocks of a table: its caption, and its rows; a spanning row's value is repeated, a spanning column's is not. */
export function htmlTable(table: MarkupElement, context: InlineContext, flow: Flow): DraftBlock[] {
  const rows = tableRows(table);
  const caption = table.children.filter((child) => isElement(child, 'caption')) as MarkupElement[];
  const before = caption.flatMap((element) => flow(element.children, context));
  if (isLayout(table, rows)) {
    return [...before, ...rows.flatMap((row) => row.flatMap((cell) => flow(cell.children, context)))];
  }
  const texts = fillSpans(rows, (cell) => cellText(cell, context, flow));
  return [...before, tableBlock(texts)].map((block) => (block.kind === 'heading' ? paragraphBlock(block.text) : block));
}

function tableRows(table: MarkupElement): MarkupElement[][] {
  const rows: MarkupElement[][] = [];
  const visit = (element: MarkupElement): void => {
    for (const child of element.children) {
      if (!isElement(child) || isHidden(child)) continue;
      if (child.name === 'tr') rows.push(rowCells(child));
      else if (['thead', 'tbody', 'tfoot'].includes(child.name)) visit(child);
    }
  };
  visit(table);
  return rows.filter((row) => row.length > 0);
}

function rowCells(row: MarkupElement): MarkupElement[] {
  return row.children.filter((child) => isElement(child, 'td', 'th') && !isHidden(child)) as MarkupElement[];
}

// A table of one column is a frame around its content.
function isLayout(table: MarkupElement, rows: readonly MarkupElement[][]): boolean {
  if (table.attributes.role === 'presentation' || table.attributes.role === 'none') return true;
  return rows.every((row) => row.length === 1);
}

function cellText(cell: MarkupElement, context: InlineContext, flow: Flow): string {
  return flow(cell.children, context).map(cellBlockText).join(' ');
}

function cellBlockText(block: DraftBlock): string {
  if (block.kind === 'table') return nestedTableText(block.text);
  if (block.kind === 'code') return block.text.split('\n').slice(1, -1).join('\n');
  return block.kind === 'heading' ? headingWords(block.text) : block.text;
}

// A table in a cell has no lines of its own: its cells, row by row.
function nestedTableText(rows: string): string {
  return rows
    .split('\n')
    .filter((_, index) => index !== 1)
    .map((row) => row.slice(2, -2).replaceAll(' | ', ', '))
    .join('; ');
}

function fillSpans(rows: readonly MarkupElement[][], textOf: (cell: MarkupElement) => string): string[][] {
  const grid: (string | undefined)[][] = rows.map(() => []);
  rows.forEach((row, rowIndex) => {
    let column = 0;
    for (const cell of row) {
      while (grid[rowIndex]?.[column] !== undefined) column += 1;
      const text = textOf(cell);
      for (let down = 0; down < span(cell, 'rowspan') && rowIndex + down < rows.length; down += 1) {
        for (let right = 0; right < span(cell, 'colspan'); right += 1) {
          const target = grid[rowIndex + down];
          if (target) target[column + right] = right === 0 ? text : '';
        }
      }
      column += span(cell, 'colspan');
    }
  });
  return grid.map((row) => Array.from(row, (text) => text ?? ''));
}

function span(cell: MarkupElement, name: 'rowspan' | 'colspan'): number {
  const value = Number.parseInt(cell.attributes[name] ?? '1', 10);
  return Number.isFinite(value) ? Math.min(Math.max(value, 1), MAX_SPAN) : 1;
}
