// From a sentence that answers to the stretch of text that can be read alone: lead-ins, whole lists, table headers.
import type { Span } from './model.ts';
import type { ContextChunk } from './ports.ts';
import { splitSentences } from './sentences.ts';

/** A grown quote stays below this, in UTF-16 code units: a screenful in a chat. The sentence itself may be longer. */
const MAX_GROWN_CHARACTERS = 700;

const LIST_ITEM = /^(?:[-*+•◦▪‣●○■□]|\(?(?:\d{1,3}|[a-z])[.)])\s/;
const TABLE_ROW = /^\||\s\|\s.*\s\|\s/;
const TABLE_RULE = /^[\s|:+-]+$/;
const HEADING = /^#{1,6}\s/;
/** Begins in the middle of a thought: what it points to stands in the sentence before. */
const POINTS_BACK =
  /^(?:it|its|this|that|these|those|they|their|he|she|his|her|such|however|therefore|otherwise|instead|also|additionally|then|but|and|or|so|in (?:this|that) case|if (?:so|not)|the (?:same|latter|former|following))\b/i;

/** Whether a sentence can be a quote: not a heading, not a table's rule, and with words in it. */
export function isQuotable(sentence: string): boolean {
  return !HEADING.test(sentence) && !TABLE_RULE.test(sentence) && /[\p{L}\p{N}]{2}/u.test(sentence);
}

/** First and last sentence of what should be quoted with the sentence at `at`. */
function unitAround(texts: readonly string[], at: number): { first: number; last: number } {
  const text = texts[at] ?? '';
  const isItem = (index: number): boolean => LIST_ITEM.test(texts[index] ?? '');
  const canLead = (index: number): boolean => index >= 0 && !HEADING.test(texts[index] ?? '');
  let first = at;
  let last = at;
  if (isItem(at)) {
    while (isItem(first - 1)) first--;
    while (isItem(last + 1)) last++;
    if (canLead(first - 1) && /[:：]\s*$/.test(texts[first - 1] ?? '')) first--;
  } else if (/[:：]\s*$/.test(text)) {
    while (isItem(last + 1)) last++;
    if (last === at && at + 1 < texts.length && !HEADING.test(texts[at + 1] ?? '')) last++;
  } else if (/\?\W*$/.test(text) && at + 1 < texts.length && !HEADING.test(texts[at + 1] ?? '')) {
    // A list of questions with answers: the question matches best, and its answer comes after it.
    last++;
  } else if (POINTS_BACK.test(text) && canLead(at - 1) && !TABLE_ROW.test(texts[at - 1] ?? '')) {
    first--;
  }
  return { first, last };
}

/** The header row above a table row, if the chunk has it. */
function headerOf(texts: readonly string[], at: number): number | null {
  if (!TABLE_ROW.test(texts[at] ?? '')) return null;
  let first = at;
  while (first > 0 && TABLE_ROW.test(texts[first - 1] ?? '')) first--;
  return first < at && !TABLE_RULE.test(texts[first] ?? '') ? first : null;
}

/**
 * What to quote for the sentence at `span` of a chunk, as offsets into `chunk.text`: the sentence with what it cannot be read
 * without. Usually one span; a table row far below its header gives the header's span first.
 */
export function quotableSpans(chunk: ContextChunk, span: Span): Span[] {
  const spans = splitSentences(chunk.text);
  const texts = spans.map(({ start, end }) => chunk.text.slice(start, end));
  const at = spans.findIndex(({ start }) => start === span.start);
  if (at < 0) return [span];
  const header = headerOf(texts, at);
  const headerSpan = header === null ? undefined : spans[header];
  if (header !== null && headerSpan !== undefined) {
    const between = texts.slice(header + 1, at).every((text) => TABLE_RULE.test(text));
    return between ? [{ start: headerSpan.start, end: span.end }] : [headerSpan, span];
  }
  const { first, last } = unitAround(texts, at);
  const grown = { start: spans[first]?.start ?? span.start, end: spans[last]?.end ?? span.end };
  return [grown.end - grown.start <= MAX_GROWN_CHARACTERS ? grown : span];
}
