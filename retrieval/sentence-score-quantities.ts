// Numbers with what they count, and the ranges that rules draw with them: "up to 5,000 euros", "severity 1 to 3".
import { MONTHS } from './calendar-words.ts';
import { hasTellingTerms } from './question-terms.ts';
import { stem } from './sentence-score-stem.ts';

/** A number in its place: "more than 90 minutes late". */
export interface Quantity {
  /** What is counted or numbered, comparable between texts: `minute`, `euro`, the stem of a noun; `severity #` for a label. */
  readonly of: string;
  /** In the unit of `of`, both included: of a number without a comparison they are equal. */
  readonly low: number;
  readonly high: number;
  /**
   * `range`: compared ("orders up to 5 euros"). `limit`: compared and what a rule demands or grants, not the case that it is for
   * ("within 5 days", "5 days before", "are paid up to 5 euros"). `label`: names one of several ("level 5"). `plain`: any other.
   */
  readonly kind: 'range' | 'limit' | 'label' | 'plain';
  /** "Fifth", "5th": a place in an order and no amount. */
  readonly isOrdinal: boolean;
  /** Stem of what the number is said of, `late` in "90 minutes late" and `servic` in "five years of service"; '' if unsaid. */
  readonly said: string;
}

/** The dimensions of `Quantity.of` in which a question's "how long" and "how much" are answered. */
export const DURATIONS: readonly string[] = ['minute', 'day', 'month'];
export const PRICES: readonly string[] = ['euro', 'dollar', 'pound', 'percent'];

/** Less than any difference that a rule makes: "more than 5" begins this much above 5. */
const STEP = 1e-6;

const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const ORDINALS = 'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'.split(' ');
const SPELLED = `(?:${TENS.join('|')})(?:-(?:${SMALL.slice(1, 10).join('|')}))?|${[...SMALL, ...ORDINALS].join('|')}`;
const NUMBER = String.raw`(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:st|nd|rd|th)?(?: ?(?:k|thousand|million)\b)?|(?:${SPELLED})\b`;
/** Not a part of an identifier, a time of day, a version or a date; a hyphen may lead to the unit: "a 30-minute break". */
const NUMBER_ALONE = new RegExp(String.raw`(?<![\p{L}\p{N}_:.,#/-])(?:${NUMBER})(?![\p{L}\p{N}_/]|[.,:-]\d)`, 'gu');
/** The end of a range behind its start, which may have the unit too: "to 5 days", "days to 5 days", "–5". */
const RANGE_END = new RegExp(
  String.raw`^(?:[ -]?(?:%|(?!to\b|and\b)[a-z]+))?(?: ?[-–—] ?| (to|and) )(?:the )?[€$£]?(${NUMBER})(?![\p{L}\p{N}_/]|[.,:-]\d)`,
  'u',
);
/** Joins the number behind it to the label before: "levels 1, 2 and 3". */
const JOINED = /^(?:, ?| (?:and|or|&) |, (?:and|or) )$/;

/** Unit → its dimension and how many of the dimension's own it is. Months are not converted to days: they differ. */
const UNITS: ReadonlyMap<string, readonly [dimension: string, factor: number]> = new Map(
  (
    [
      ['minute', 1 / 60, 'second seconds sec'],
      ['minute', 1, 'minute minutes min mins'],
      ['minute', 60, 'hour hours h hr hrs'],
      ['day', 1, 'day days'],
      ['day', 7, 'week weeks'],
      ['month', 1, 'month months'],
      ['month', 12, 'year years'],
      ['euro', 1, 'euro euros eur €'],
      ['dollar', 1, 'dollar dollars usd $'],
      ['pound', 1, 'pound pounds gbp £'],
      ['percent', 1, 'percent % pct'],
      ['kilometre', 1, 'kilometre kilometres kilometer kilometers km'],
      ['kilogram', 1, 'kilogram kilograms kg'],
    ] as const
  ).flatMap(([dimension, factor, names]) => names.split(' ').map((name) => [name, [dimension, factor]] as const)),
);
/** What is numbered though a noun may follow: "a level 6 employee". */
const LABELLED =
  /^(?:levels?|severit(?:y|ies)|sev|priorit(?:y|ies)|grades?|class(?:es)?|tiers?|categor(?:y|ies)|stages?|phases?|zones?|bands?)$/;
const YEAR = /^(?:19|20)\d\d$/;
const MONTH = new RegExp(`^(?:${MONTHS.toLowerCase()})$`);

/** It says what was done, and is no noun that could be counted. */
const PARTICIPLE = /^\p{L}{3,}ed$/u;

type Bound = 'more' | 'least' | 'most' | 'less';
/** How a number's words before it bound it; the first that fits, since "no more than" ends with "more than". */
const BOUNDS_BEFORE: readonly (readonly [Bound, RegExp])[] = [
  ['most', /\b(?:no|not) (?:more|longer|later|older|greater|larger|higher) than$|(?:≤|<=)$/],
  ['least', /\b(?:no|not) (?:less|fewer|shorter|younger|earlier|smaller|lower) than$|(?:≥|>=)$/],
  [
    'more',
    /\b(?:(?:more|longer|later|older|greater|larger|higher|bigger|heavier) than|over|above|exceed(?:s|ing)?|beyond)$|>$/,
  ],
  ['less', /\b(?:(?:less|fewer|shorter|younger|earlier|smaller|lower|cheaper) than|under|below|before)$|<$/],
  ['most', /\b(?:up to|at (?:the )?most|maximum(?: of)?|within|not exceeding|until)$/],
  ['least', /\b(?:at least|from|minimum(?: of)?|after|as of|starting (?:at|with))$/],
];
/** The same behind the number and its unit. */
const BOUNDS_AFTER: readonly (readonly [Bound, RegExp])[] = [
  ['least', /^ (?:or|and) (?:more|above|over|older|longer|higher|up|later)\b/],
  ['most', /^ (?:or|and) (?:less|fewer|under|below|younger|shorter|lower|earlier)\b/],
];

/** Behind the unit of a lead time, and before the comparison of what is granted. */
const LEADS = /^ (?:before|beforehand|prior|ahead|in advance|earlier|notice)\b/;
const IS_GRANTED =
  /\b(?:within|(?:paid|given|kept|\p{L}{2,}ed)(?: with| for| by)? (?:up to|at (?:the )?most|at least))$/u;
const ORDINAL = new RegExp(String.raw`^(?:\d+(?:st|nd|rd|th)|${ORDINALS.join('|')})$`);

function numberOf(written: string): number {
  const factor = /k$|thousand$/.test(written) ? 1_000 : /million$/.test(written) ? 1_000_000 : 1;
  const digits = Number.parseFloat(written.replaceAll(',', ''));
  if (!Number.isNaN(digits)) return digits * factor;
  const [tens = '', ones = ''] = written.split('-');
  const ten = TENS.indexOf(tens);
  if (ten >= 0) return 10 * (ten + 2) + Math.max(0, SMALL.indexOf(ones));
  const ordinal = ORDINALS.indexOf(written);
  return ordinal >= 0 ? ordinal + 1 : SMALL.indexOf(written);
}

/** Lowest and highest value of a bounded number, both included. */
function rangeOf(value: number, bound: Bound): readonly [low: number, high: number] {
  if (bound === 'more') return [value + STEP, Number.POSITIVE_INFINITY];
  if (bound === 'least') return [value, Number.POSITIVE_INFINITY];
  return [Number.NEGATIVE_INFINITY, bound === 'most' ? value : value - STEP];
}

const boundOf = (text: string, bounds: typeof BOUNDS_BEFORE) => bounds.find(([, form]) => form.test(text));

/** Words that may stand between a comparison and its number. */
const BETWEEN_BOUND_AND_NUMBER = /(?: (?:the|a|an|about|some))?[ (]*[€$£]?$/;

/** What stands before a number: its comparison, and the word that it numbers. */
function readBefore(text: string): { bound: Bound | undefined; label: string } {
  let rest = text.replace(BETWEEN_BOUND_AND_NUMBER, '');
  let bound = boundOf(rest, BOUNDS_BEFORE);
  if (bound) rest = rest.replace(bound[1], '').trimEnd();
  const label = /\p{L}{3,}$/u.exec(rest)?.[0] ?? '';
  // "Up to level 3" as well as "level up to 3".
  bound ??= boundOf(rest.slice(0, -label.length).replace(BETWEEN_BOUND_AND_NUMBER, ''), BOUNDS_BEFORE);
  return { bound: bound?.[0], label: hasTellingTerms(label) && !UNITS.has(label) && !MONTH.test(label) ? label : '' };
}

interface Counted {
  readonly of: string;
  readonly factor: number;
  /** Length of the unit or noun, with what leads to it. */
  readonly length: number;
  readonly isUnit: boolean;
}

/** What a number counts, told from the text behind it. */
function readAfter(text: string): Counted | null {
  const [first = '', one = '', gap = '', two = ''] = /^[ -]?(%|€|\p{L}+)(?:([ -])(\p{L}+))?/u.exec(text) ?? [];
  for (const [name, length] of [
    [one, first.length - gap.length - two.length],
    [two, first.length],
  ] as const) {
    const unit = UNITS.get(name);
    if (unit && (name === one || hasTellingTerms(one))) return { of: unit[0], factor: unit[1], length, isUnit: true };
  }
  // "ADR 18 accepted" is no count of what was accepted.
  if (!hasTellingTerms(one) || MONTH.test(one) || PARTICIPLE.test(one)) return null;
  return { of: stem(one), factor: 1, length: first.length - gap.length - two.length, isUnit: false };
}

/** What a column's name says that its bare numbers are: `minute` for "Minutes", `level #` for "Level"; null for ''. */
function readColumn(name: string): Counted | null {
  const words = name.toLowerCase().match(/[\p{L}€$£%]+/gu) ?? [];
  const unit = words.map((word) => UNITS.get(word)).find((known) => known !== undefined);
  if (unit) return { of: unit[0], factor: unit[1], length: 0, isUnit: true };
  const telling = words.find(hasTellingTerms);
  return telling === undefined ? null : { of: `${stem(telling)} #`, factor: 1, length: 0, isUnit: false };
}

/** The label that a whole number stands behind, as `of`; null if it counts something. */
function labelled(written: string, label: string, counted: Counted | null): Counted | null {
  const numbers = label !== '' && /^\d+$/.test(written) && !counted?.isUnit;
  if (!numbers || (counted !== null && !LABELLED.test(label))) return null;
  return { of: `${stem(label)} #`, factor: 1, length: 0, isUnit: false };
}

/** One number of a text, read with what stands around it; null if it neither counts nor labels anything. */
function readNumber(text: string, start: number, written: string, column: Counted | null) {
  const before = text.slice(Math.max(0, start - 60), start);
  const behind = start + written.length;
  const range = RANGE_END.exec(text.slice(behind, behind + 60));
  const isRange = range !== null && (range[1] !== 'and' || /\bbetween(?: the)? ?[€$£]?$/.test(before));
  const isOpen = text[behind] === '+';
  const end = behind + (isRange ? range[0].length : Number(isOpen));
  const after = text.slice(end, end + 60);
  const { bound: boundBefore, label } = readBefore(before);
  const sign = UNITS.get(before.slice(-1));
  const counted = sign ? { of: sign[0], factor: sign[1], length: 0, isUnit: true } : readAfter(after);
  const named = labelled(written, label, counted);
  const meant = named ?? counted ?? column;
  if (meant === null || (YEAR.test(written) && !meant.isUnit)) return null;
  const rest = after.slice(meant.length);
  const bound = isOpen ? 'least' : (boundOf(rest, BOUNDS_AFTER)?.[0] ?? boundBefore);
  const value = numberOf(written) * meant.factor;
  const other = isRange ? numberOf(range[2] ?? '') * meant.factor : value;
  const [low, high] = isRange || bound === undefined ? [value, other] : rangeOf(value, bound);
  const isCompared = isRange || bound !== undefined;
  const isLimit = LEADS.test(rest) || IS_GRANTED.test(before.replace(BETWEEN_BOUND_AND_NUMBER, ''));
  const kind = meant.of.endsWith(' #') ? 'label' : !isCompared ? 'plain' : isLimit ? 'limit' : 'range';
  const said = /^ (?:of )?(\p{L}+)/u.exec(rest)?.[1] ?? '';
  const isOrdinal = ORDINAL.test(written);
  return {
    end,
    quantity: { of: meant.of, low, high, kind, isOrdinal, said: hasTellingTerms(said) ? stem(said) : '' } as const,
  };
}

interface Placed {
  readonly start: number;
  readonly end: number;
  readonly quantity: Quantity;
}

const normalised = (text: string): string => text.toLowerCase().replace(/\bper cent\b/g, 'percent');

function placedIn(plain: string, column: string): Placed[] {
  const named = readColumn(column);
  const found: Placed[] = [];
  for (const match of plain.matchAll(NUMBER_ALONE)) {
    const last = found.at(-1);
    if (last && match.index < last.end) continue;
    const isJoined = last?.quantity.kind === 'label' && JOINED.test(plain.slice(last.end, match.index));
    const joined = isJoined ? { of: last.quantity.of, factor: 1, length: 0, isUnit: false } : named;
    const read = readNumber(plain, match.index, match[0], joined);
    if (read !== null) found.push({ start: match.index, ...read });
  }
  return found;
}

/**
 * The quantities of a text, in order; times of day, dates, versions and parts of identifiers are none. `column` is the name of
 * the table column that the text is a cell of. Linear time.
 */
export function quantitiesIn(text: string, column = ''): Quantity[] {
  return placedIn(normalised(text), column).map(({ quantity }) => quantity);
}

/** A text in lower case without the numbers of its quantities. */
export function withoutQuantities(text: string): string {
  let plain = normalised(text);
  for (const { start, end } of placedIn(plain, '').reverse()) plain = plain.slice(0, start) + plain.slice(end);
  return plain;
}

/** Whether a text has a number, in digits or words, that is no year, no time of day and no part of an identifier or date. */
export function hasNumber(text: string): boolean {
  const plain = text.toLowerCase();
  const isDate = (end: number) => MONTH.test(/^ (\p{L}+)/u.exec(plain.slice(end, end + 20))?.[1] ?? '');
  return [...plain.matchAll(NUMBER_ALONE)].some(
    ({ 0: written, index }) => !YEAR.test(written) && !isDate(index + written.length),
  );
}
