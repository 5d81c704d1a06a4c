// Whether a sentence speaks of the year or the day that a question names, or of another one.
import { MONTHS } from './calendar-words.ts';
import { lineStartOf, type ReadSentence, type Standing, togetherStanding } from './sentence-score.ts';

const MONTH = `(?:${MONTHS.toLowerCase()})`;
const MONTH_ORDER = MONTHS.toLowerCase().split('|');
const DAY = String.raw`(?<![\p{N}.,:#-])(\d{1,2})(?:st|nd|rd|th)?`;
const YEAR = String.raw`(?:19|20)\d\d`;

/** "23 March 2026", "the 23rd of March"; "March 23, 2026"; "2026-03-23". */
const DAY_FIRST = new RegExp(String.raw`${DAY} (?:of )?(${MONTH})\b(?:,? (${YEAR})\b)?`, 'gu');
const MONTH_FIRST = new RegExp(String.raw`\b(${MONTH}) (\d{1,2})(?:st|nd|rd|th)?\b(?!:)(?:,? (${YEAR})\b)?`, 'gu');
const ISO_DATE = new RegExp(String.raw`(?<![\p{N}-])(${YEAR})-(\d\d)-(\d\d)(?![\p{N}-])`, 'gu');
/** Neither a part of something nor an amount: "2000 messages", "1,950 euros". */
const YEAR_ALONE = new RegExp(
  String.raw`(?<![\p{L}\p{N}.,:#/€$£-])${YEAR}(?![\p{L}\p{N}/:%€$£]|[.,-]\d| ?(?:[%€$£]|(?!was\b|is\b|has\b)\p{L}+s\b|eur\b|usd\b|gbp\b))`,
  'gu',
);
/** What is compared with, and where a stretch of time begins or ends, is not the time that is spoken of. */
const IS_BOUND =
  /(?:\b(?:since|from|between|until|till|to|by|before|after|as of|and|starting|beginning)|[-–—])(?: the)?(?: end of| start of)? $|\b(?:than|over|above|versus|vs|against|compared)\b(?:[^.,;:]|[.,]\d)*$/;
const OPENS_A_RANGE = /^ ?(?:[-–—]|(?:to|until|till|through)\b)/;
/** The answer is a date itself, so that a sentence's own date need not be the one that the question names. */
const ASKS_FOR_A_DATE = /\b(?:when|(?:what|which) (?:date|day|year)|deadline|due)\b/i;

interface Dates {
  readonly years: ReadonlySet<string>;
  /** As "march 23". */
  readonly days: ReadonlySet<string>;
}

/** The dates of a text; `spokenOf` without those that only bound a stretch of time. */
function datesIn(text: string): { readonly held: Dates; readonly spokenOf: Dates } {
  const plain = text.toLowerCase();
  const held = { years: new Set<string>(), days: new Set<string>() };
  const spokenOf = { years: new Set<string>(), days: new Set<string>() };
  const isBound = (start: number, end: number) =>
    IS_BOUND.test(plain.slice(Math.max(0, start - 40), start)) || OPENS_A_RANGE.test(plain.slice(end, end + 10));
  const add = (index: number, written: string, year: string | undefined, month?: string, day?: string) => {
    for (const dates of isBound(index, index + written.length) ? [held] : [held, spokenOf]) {
      if (year !== undefined) dates.years.add(year);
      if (month !== undefined) dates.days.add(`${month} ${Number(day)}`);
    }
  };
  for (const { index, 0: date, 1: day, 2: month, 3: year } of plain.matchAll(DAY_FIRST))
    add(index, date, year, month, day);
  for (const { index, 0: date, 1: month, 2: day, 3: year } of plain.matchAll(MONTH_FIRST))
    add(index, date, year, month, day);
  for (const { index, 0: date, 1: year, 2: month, 3: day } of plain.matchAll(ISO_DATE)) {
    add(index, date, year, MONTH_ORDER[Number(month) - 1], day);
  }
  const undated = plain.replace(DAY_FIRST, (date) => '#'.repeat(date.length));
  const alone = undated.replace(MONTH_FIRST, (date) => '#'.repeat(date.length));
  for (const { index, 0: year } of alone.matchAll(YEAR_ALONE)) add(index, year, year);
  return { held, spokenOf };
}

/** The line of a sentence, which its neighbours share, and what is written above it. */
function aroundOf(sentence: ReadSentence): string {
  const { chunk, span } = sentence;
  const end = chunk.text.indexOf('\n', span.end);
  const line = chunk.text.slice(lineStartOf(sentence), end < 0 ? undefined : end);
  return [line, ...chunk.headingPath, chunk.title].join('\n');
}

/**
 * How sentences stand to the years and days that a question names. One that speaks of another year or day, and not of one of those,
 * misses, unless a date is asked for. One without any speaks of the time that its line, its headings or its title tell.
 */
export function standingToDates(question: string): (sentence: ReadSentence) => Standing {
  const asked = datesIn(question).held;
  if (asked.years.size + asked.days.size === 0) return () => 'silent';
  const asksForDate = ASKS_FOR_A_DATE.test(question);
  return (sentence) => {
    const own = datesIn(`${sentence.header}\n${sentence.text}`);
    const around = datesIn(aroundOf(sentence));
    const standings = (['years', 'days'] as const).map((kind): Standing => {
      const hasAsked = (dates: Dates) => [...asked[kind]].some((date) => dates[kind].has(date));
      if (asked[kind].size === 0) return 'silent';
      if (hasAsked(own.held)) return 'covers';
      const isOfAnother = !asksForDate && own.spokenOf[kind].size > 0;
      // What is headed with a day, as minutes are, decides on other days, too.
      if (hasAsked(around.held) && (kind === 'days' || !isOfAnother)) return isOfAnother ? 'silent' : 'covers';
      if (isOfAnother) return 'misses';
      return around.spokenOf[kind].size > 0 ? 'misses' : 'silent';
    });
    return togetherStanding(standings);
  };
}
