// Whether a sentence that speaks of what is asked is a rule for the case that is asked about.
import { type ReadSentence, type Standing, togetherStanding } from './sentence-score.ts';
import { standingToDates } from './sentence-score-dates.ts';
import { standingToMeasures } from './sentence-score-measures.ts';
import { standingToOpposites } from './sentence-score-opposites.ts';
import { DURATIONS, hasNumber, PRICES, type Quantity, quantitiesIn } from './sentence-score-quantities.ts';
import { standingToRole } from './sentence-score-roles.ts';
import { standingToSubject } from './sentence-score-subjects.ts';

const HOW = /\bhow (many|much|long|often|soon|fast|quick(?:ly)?|early|late)\b(?: (\p{L}+))?/iu;
const ASKS_YES_OR_NO =
  /^\W*(?:is|are|was|were|am|can|could|do|does|did|may|should|must|will|would|has|have|had)(?:n't|n’t)?\b/i;
/** It says where a permission or a duty begins or ends, and so what holds on both sides. */
const DRAWS_A_LINE = /\b(?:may|can|cannot|must|need(?:s|ed)?|only|required|allowed|permitted|possible)\b/i;
/** Goes on beyond the range that stands before it. */
const GOES_BEYOND =
  /(?:^|[;,.] )(?:(?:above|beyond|over|below|under|after|from|past) (?:that|this|it|then)\b|(?:anything|everything|whatever) (?:above|beyond|over|below|under|else|larger|longer|more)\b|(?:later|longer|larger|higher|older|otherwise|thereafter|afterwards)\b)/i;

/** Cells of a row with the names of their columns, or a text without columns. */
function quantitiesOf({ text, header, chunk }: ReadSentence): Quantity[] {
  const headings = [chunk.title, ...chunk.headingPath].flatMap((heading) => quantitiesIn(heading));
  if (header === '') return [...quantitiesIn(text), ...headings];
  const names = header.split('|');
  return [...text.split('|').flatMap((cell, column) => quantitiesIn(cell, names[column])), ...headings];
}

/** The one number that an asked quantity stands for: of "more than 90" the lowest, of "up to 90" the highest. */
function pointOf({ low, high }: Quantity): number {
  if (low === Number.NEGATIVE_INFINITY) return high;
  return high === Number.POSITIVE_INFINITY ? low : (low + high) / 2;
}

/** Whether it tells one case from another: a range, a label, or a plain number said of the same, from which on it holds. */
function isCase(stated: Quantity, asked: Quantity): boolean {
  // What begins on the first day is not what takes a day.
  if (stated.kind === 'limit' || (asked.isOrdinal && !stated.isOrdinal)) return false;
  if (stated.kind !== 'plain') return true;
  // The third floor is another one than the second; three floors are an amount.
  if (stated.isOrdinal && asked.isOrdinal) return true;
  return stated.said !== '' && stated.said === asked.said && stated.low > pointOf(asked);
}

/** Whether a question asks for a quantity of this dimension: the only one of a sentence is then the answer, not its case. */
function asksFor(of: string, question: string): boolean {
  const [, measure = '', counted = ''] = HOW.exec(question) ?? [];
  if (measure === '') return false;
  if (/^many$/i.test(measure)) return quantitiesIn(`1 ${counted}`).some((quantity) => quantity.of === of);
  return (/^much$/i.test(measure) ? PRICES : DURATIONS).includes(of);
}

function standingFor(
  asked: Quantity,
  stated: readonly Quantity[],
  isAnsweredBy: (stated: Quantity) => boolean,
  isAskedFor: (of: string) => boolean,
): Standing {
  const point = pointOf(asked);
  const alike = stated.filter(({ of }) => of === asked.of);
  if (alike.some(({ low, high }) => low <= point && point <= high)) return 'covers';
  const cases = alike.length === 1 && isAskedFor(asked.of) ? [] : alike.filter((quantity) => isCase(quantity, asked));
  if (cases.length === 0) return 'silent';
  return cases.some(isAnsweredBy) ? 'covers' : 'misses';
}

/**
 * How sentences stand to the quantities of a question: one with a range, a label or a threshold for the same unit or noun
 * misses when none of them includes the question's number. A limit ("at most 10 days") or a line between what may and may not
 * be answers a yes-or-no question on both of its sides.
 */
function standingToQuantities(question: string): (sentence: ReadSentence) => Standing {
  const asked = quantitiesIn(question);
  if (asked.length === 0) return () => 'silent';
  const yesOrNo = ASKS_YES_OR_NO.test(question);
  return (sentence) => {
    const stated = quantitiesOf(sentence);
    const drawsLine = yesOrNo && DRAWS_A_LINE.test(sentence.text);
    const isAnsweredBy = ({ kind, low }: Quantity) =>
      yesOrNo && kind === 'range' && (drawsLine || low === Number.NEGATIVE_INFINITY);
    const standings = asked.map((quantity) =>
      standingFor(quantity, stated, isAnsweredBy, (of) => asksFor(of, question)),
    );
    if (standings.includes('misses')) return GOES_BEYOND.test(sentence.text) ? 'covers' : 'misses';
    return standings.includes('covers') ? 'covers' : 'silent';
  };
}

/** Whether a sentence goes on right behind another, about what lies beyond the range of that: "Above that the director decides." */
export function goesBeyond(missing: ReadSentence, next: ReadSentence): boolean {
  if (missing.chunk.chunkId !== next.chunk.chunkId || next.span.start < missing.span.end) return false;
  return !/[\S\n]/.test(next.chunk.text.slice(missing.span.end, next.span.start)) && GOES_BEYOND.test(next.text);
}

const ASKS_A_COUNT = /\bhow many\b/i;
/** Counts without a number. */
const COUNTING_WORD =
  /\b(?:no|none|any|a|an|single|each|every|all|both|half|once|twice|dozen|several|unlimited|as many as)\b/i;

/** How sentences stand to a question for a count: one of many things that are to be counted ("Tablet T-11, for Ann") misses. */
function standingToCount(question: string): (sentence: ReadSentence) => Standing {
  if (!ASKS_A_COUNT.test(question)) return () => 'silent';
  return ({ text }) => (hasNumber(text) ? 'covers' : COUNTING_WORD.test(text) ? 'silent' : 'misses');
}

/**
 * How sentences stand to the case that a question is about: its quantities, measures and dates, the role whose holder it asks for, what it wants allowed, what
 * has an opposite.
 */
export function standingTo(question: string): (sentence: ReadSentence) => Standing {
  const standings = [
    standingToQuantities(question),
    standingToRole(question),
    standingToCount(question),
    standingToMeasures(question),
    standingToSubject(question),
    standingToDates(question),
    standingToOpposites(question),
  ];
  return (sentence) => togetherStanding(standings.map((standingOf) => standingOf(sentence)));
}
