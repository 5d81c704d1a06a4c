// What a window is made of: the parts of a block that are never cut.
import type { Span } from '../retrieval/model.ts';
import { splitSentences } from '../retrieval/sentences.ts';
import type { Block } from './parsed-document.ts';

/** A part of a section's text that stays in one piece. `sentence`s may be repeated in the next window, others are not. */
export interface Piece extends Span {
  readonly kind: 'sentence' | 'item' | 'row' | 'code' | 'whole';
}

// A list item begins with one of the markers of `ParsedDocument.text`, nested ones indented.
const ITEM_MARKER = /^(?:[-*+]|\d+[.)])\s/;

/**
 * The pieces of one block, ascending and trimmed, covering its text. A list, a table or fenced code of at most `maxChars`
 * is one `whole` piece; a longer one is cut into items, rows and the blank-line groups of the code.
 * @param text the document's text
 */
export function piecesOf(
  text: string,
  block: Pick<Block, 'kind' | 'start' | 'end'>,
  limits: { readonly recordChars: number; readonly maxChars: number },
): Piece[] {
  const units = splitSentences(text.slice(block.start, block.end)).map(({ start, end }) => ({
    start: block.start + start,
    end: block.start + end,
  }));
  const [first, last] = [units[0], units.at(-1)];
  if (!first || !last) return [];
  if (block.kind === 'paragraph' || block.kind === 'heading')
    return units.map((span) => ({ ...span, kind: 'sentence' }));
  if (last.end - first.start <= limits.maxChars) return [{ start: first.start, end: last.end, kind: 'whole' }];
  if (block.kind === 'list') return itemsOf(text, units, limits.recordChars);
  return units.map((span) => ({ ...span, kind: block.kind === 'table' ? 'row' : 'code' }));
}

/** Joins the sentences of a list item, as long as the item has the size of a record. */
function itemsOf(text: string, units: readonly Span[], recordChars: number): Piece[] {
  const items: Piece[] = [];
  for (const unit of units) {
    const item = items.at(-1);
    const begins = ITEM_MARKER.test(text.slice(unit.start, unit.start + 12));
    if (item && !begins && unit.end - item.start <= recordChars) items[items.length - 1] = { ...item, end: unit.end };
    else items.push({ ...unit, kind: 'item' });
  }
  return items;
}
