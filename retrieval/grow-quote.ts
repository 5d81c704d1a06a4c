import type { Span } from './model.ts';
import { leadInOf, MAX_GROWN_CHARACTERS } from './sentence-score-quotes.ts';
import type { Unit } from './sentence-score-units.ts';

/**
 * Grows a stretch of a chunk's text to the whole sentences, rows or items that it touches, and an item to the lead-in of its
 * list where that is no more than a screenful: "fly business class" can stand in "may not fly business class", and an item
 * under "Not reimbursed:". `units` are those of the text, which one text has for all its quotes.
 */
export function toWholeUnits(span: Span, units: readonly Unit[]): Span {
  const at = units.findIndex(({ end }) => end > span.start);
  const first = units[at];
  if (first === undefined) return span;
  const grown = {
    start: Math.min(span.start, first.start),
    end: Math.max(span.end, units.findLast(({ start }) => start < span.end)?.end ?? span.end),
  };
  const leadIn = first.kind === 'item' ? units[leadInOf(units, at) ?? -1] : undefined;
  if (leadIn === undefined || grown.end - leadIn.start > MAX_GROWN_CHARACTERS) return grown;
  return { start: leadIn.start, end: grown.end };
}
