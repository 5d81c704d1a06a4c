// From a unit that answers to the stretch of text that can be read alone: lead-ins, lists of steps, table headers.
import type { Span } from './model.ts';
import type { ContextChunk } from './ports.ts';
import type { AnswerKind } from './sentence-score-cues.ts';
import { isTableRule, listEnd, listStart, type Unit, unitsOf } from './sentence-score-units.ts';

/** A grown quote stays below this, in UTF-16 code units: a screenful in a chat. The sentence itself may be longer. */
export const MAX_GROWN_CHARACTERS = 700;

/**
 * A paragraph up to this long is quoted whole: what stands beside a sentence qualifies it. Share of the gold spans of
 * chunking-eval that the quotes cover with 0 / 320 / 450: 0.37 / 0.39 / 0.40, of the quotes that is gold 0.26 / 0.27 / 0.28.
 */
const MAX_PARAGRAPH_CHARACTERS = 400;

/** Begins in the middle of a thought: what it points to stands in the sentence before. */
const POINTS_BACK =
  /^(?:it|its|this|that|these|those|they|their|he|she|his|her|such|however|therefore|otherwise|instead|also|additionally|then|but|and|or|so|in (?:this|that) case|if (?:so|not)|the (?:same|latter|former|following)|anything (?:above|else|more)|(?:above|over|beyond|below|under) (?:that|this|it))\b/i;
const ENDS_WITH_COLON = /[:：]\W*$/;
const ENDS_WITH_QUESTION = /\?\W*$/;
/**
 * Text that gives orders to whoever answers from it, or would call people together when posted. Instructions hidden in
 * documents look like this; nothing that an employee asks for does.
 */
const ORDERS_THE_READER =
  /@(?:channel|everyone|here)\b|\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:previous|prior|above|earlier|your)\b.{0,30}\b(?:instructions?|rules?|prompts?|guidelines)\b|\b(?:begin|start|end|include|append) (?:in |to )?(?:every|each|all|your) (?:answer|reply|response)s?\b/i;

/** Whether a sentence begins with what it does not name ("It", "This", "In that case"). */
export function pointsBack(text: string): boolean {
  return POINTS_BACK.test(text);
}

/** Whether a text orders its reader to break rules: a question that does so asks nothing of the documents. */
export function ordersTheReader(text: string): boolean {
  return ORDERS_THE_READER.test(text);
}

/** Whether a unit can be a quote: no heading, no table's rule, no order to the reader, and with words in it. */
export function isQuotable(text: string): boolean {
  return !/^#{1,6}\s/.test(text) && !isTableRule(text) && !ordersTheReader(text) && /[\p{L}\p{N}]{2}/u.test(text);
}

/** The place of the sentence with a colon that announces the list around the item `at`; null without one. */
export function leadInOf(units: readonly Unit[], at: number): number | null {
  const before = listStart(units, at) - 1;
  const unit = units[before];
  return unit?.kind === 'sentence' && ENDS_WITH_COLON.test(unit.values) ? before : null;
}

/** How the items of a list or the rows of a table fit a question. */
export interface ListFit {
  /** The question's terms that a text has, comparable as a string. */
  readonly matched: (text: string) => string;
  /** Whether the question asks for several things. */
  readonly isAsked: boolean;
}

/**
 * The list or table around `at`, when a question does not tell its items apart and so asks for all of them, or asks for several
 * and has more than one; null otherwise, or when it is too long.
 */
function wholeList(units: readonly Unit[], at: number, { matched, isAsked }: ListFit): Span | null {
  const kind = units[at]?.kind;
  if (kind !== 'item' && kind !== 'row') return null;
  const [first, end] = [listStart(units, at, kind), listEnd(units, at, kind)];
  const parts = units.slice(first, end).filter(({ values }) => !isTableRule(values));
  const own = matched(units[at]?.values ?? '');
  const alike = parts.filter(({ values }) => matched(values) === own).length;
  if (alike < 2 || (alike < parts.length && !isAsked)) return null;
  const top = units[first - 1]?.kind === 'header' ? first - 1 : (leadInOf(units, at) ?? first);
  const span = { start: units[top]?.start ?? 0, end: units[end - 1]?.end ?? 0 };
  return span.end - span.start <= MAX_GROWN_CHARACTERS ? span : null;
}

/** First and last unit of what should be quoted with the one at `at`. */
function unitsAround(units: readonly Unit[], texts: readonly string[], at: number, kind: AnswerKind): [number, number] {
  const isItem = (index: number): boolean => units[index]?.kind === 'item';
  const isText = (index: number): boolean => units[index]?.kind === 'sentence' || isItem(index);
  const text = texts[at] ?? '';
  let [first, last] = [at, at];
  if (isItem(at)) {
    // What a lead-in announces can mean the opposite without it, and steps are done from the first on.
    first = leadInOf(units, at) ?? (kind === 'steps' ? listStart(units, at) : at);
    if (kind === 'steps') last = listEnd(units, at) - 1;
  } else if (units[at]?.kind !== 'sentence') {
    return [at, at];
  } else if (ENDS_WITH_COLON.test(text)) {
    while (isItem(last + 1)) last++;
    if (last === at && isText(at + 1)) last++;
  } else if (ENDS_WITH_QUESTION.test(text)) {
    // A list of questions with answers: the question matches best, and its answer comes after it.
    if (isText(at + 1)) last++;
  } else if (pointsBack(text) && isText(at - 1)) {
    first--;
  }
  return [first, last];
}

/** First and last sentence of the paragraph around `at`, if that is short and complete, else null. */
function shortParagraph(units: readonly Unit[], text: string, at: number): [number, number] | null {
  const goesOn = (index: number): boolean => {
    const [before, after] = [units[index - 1], units[index]];
    if (before?.kind !== 'sentence' || after?.kind !== 'sentence') return false;
    return !text.slice(before.end, after.start).includes('\n');
  };
  let [first, last] = [at, at];
  while (goesOn(first)) first--;
  while (goesOn(last + 1)) last++;
  const length = (units[last]?.end ?? 0) - (units[first]?.start ?? 0);
  // What the last sentence announces stands below the paragraph.
  const announces = ENDS_WITH_COLON.test(units[last]?.values.slice(-8) ?? '');
  return first < last && length <= MAX_PARAGRAPH_CHARACTERS && !announces ? [first, last] : null;
}

/** What to quote for one unit: together, since none of the spans can be read without the others. Without `list` never a whole list. */
export function quotableSpans(chunk: ContextChunk, span: Span, kind: AnswerKind, list: ListFit | null): Span[] {
  const units = unitsOf(chunk.text);
  const texts = units.map(({ start, end }) => chunk.text.slice(start, end));
  const at = units.findIndex(({ start }) => start === span.start);
  const unit = units[at];
  if (unit === undefined) return [span];
  const whole = list && wholeList(units, at, list);
  if (whole) return [whole];
  if (unit.header !== null && !isTableRule(unit.names)) {
    const top = units.findIndex(({ start }) => start === unit.header?.start);
    const between = texts.slice(top + 1, at).every(isTableRule);
    return between ? [{ start: unit.header.start, end: span.end }] : [unit.header, span];
  }
  const [first, last] = shortParagraph(units, chunk.text, at) ?? unitsAround(units, texts, at, kind);
  const grown = { start: units[first]?.start ?? span.start, end: units[last]?.end ?? span.end };
  return [grown.end - grown.start <= MAX_GROWN_CHARACTERS ? grown : span];
}
