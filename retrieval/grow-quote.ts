import type { Span } from './model.ts';
import { MAX_GROWN_CHARACTERS } from './sentence-score-quotes.ts';
import type { Unit } from './sentence-score-units.ts';

const ENDS_WITH_COLON = /[:：]\W*$/;

/**
 * Grows a stretch of a chunk's text to the whole sentences, rows or items that it touches, and an item to the lead-in of its
 * list where that is no more than a screenful: "fly business class" can stand in "may not fly business class", and an item
 * under "Not reimbursed:". `units` are those of the text, which one text has for all its quotes.
 */
export function toWholeUnits(span: Span, text: string, units: readonly Unit[]): Span {
  const at = units.findIndex(({ end }) => end > span.start);
  const first = units[at];
  if (first === undefined) return span;
  const grown = {
    start: Math.min(span.start, first.start),
    end: Math.max(span.end, units.findLast(({ start }) => start < span.end)?.end ?? span.end),
  };
  if (first.kind !== 'item') return grown;
  let top = at;
  while (units[top - 1]?.kind === 'item') top--;
  const leadIn = units[top - 1];
  if (leadIn?.kind !== 'sentence' || !ENDS_WITH_COLON.test(text.slice(leadIn.start, leadIn.end))) return grown;
  return grown.end - leadIn.start <= MAX_GROWN_CHARACTERS ? { start: leadIn.start, end: grown.end } : grown;
}
