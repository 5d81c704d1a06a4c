// Whether a quote says what a sentence of an answer says: a model's prose is shown only as far as it does.
import type { Citation } from './model.ts';
import { pointsBack } from './sentence-score-quotes.ts';
import { stem } from './sentence-score-stem.ts';
import { termsOf, weightedTerms } from './sentence-score-terms.ts';
import { type Unit, unitsOf } from './sentence-score-units.ts';
import { splitSentences } from './sentences.ts';

/** What an answer may say of its source without the source saying it. */
const OF_THE_SOURCE: ReadonlySet<string> = new Set(
  `policy document page section handbook guide text source according state say describe mention note follow mean apply provide
  give answer information detail`
    .split(/\s+/)
    .map(stem),
);

// The usual words of the languages that the handbook of an English, German, French or Spanish company is written in.
const NEGATION =
  /\b(?:not?|never|none|nor|neither|without|cannot|nicht|kein\p{L}*|nie(?:mals)?|ohne|pas|jamais|sans|nunca|sin|ningun\p{L}*)\b|n[’']t\b/iu;

/** Small words that turn the meaning round: a sentence has one of a line if and only if the quote has one of that line. */
const TURNING: readonly RegExp[] = [
  NEGATION,
  /\b(?:above|over|exceed\w*|more|greater|higher|longer|larger|beyond|at least|minimum)\b|>/i,
  /\b(?:below|under|less|fewer|lower|shorter|smaller|within|up to|at most|maximum|no longer than)\b|</i,
  /\b(?:before|until|till|prior|by the end)\b/i,
  /\b(?:after|afterwards)\b/i,
  /\b(?:only|solely|exclusively|except|unless|other than)\b/i,
];
/** Words that claim more than is said: a sentence has one only if the quote has one of that line. */
const CLAIMING: readonly RegExp[] = [
  /\b(?:must|shall|have to|has to|ha[sd] to|need(?:s|ed)?|required?|requires|mandatory|obliged|should)\b/i,
  /\b(?:all|every|everyone|everybody|each|any|anyone|always)\b/i,
  /\b(?:some|most|many|several|often|usually|sometimes)\b/i,
];
const OBLIGATION = /\b(?:must|shall|have to|has to|required|mandatory|obliged)\b/i;
const PERMISSION = /\b(?:may|can|could|might|allowed|permitted|optional(?:ly)?)\b/i;

/**
 * Whether the quote holds the sentence as a whole one, or one statement of the quote says all that the sentence says: its words in any form, with what the title and the
 * headings add, its numbers, and the small words that turn a meaning round. Of two statements put together it says nothing:
 * the number of the one belongs to the subject of the other. It reads words and not their order.
 */
export function supports({ quote, title, headingPath }: Citation, sentence: string): boolean {
  if (splitSentences(quote).some(({ start, end }) => quote.slice(start, end) === sentence)) return true;
  const terms = [...weightedTerms(sentence).keys()].filter((term) => !OF_THE_SOURCE.has(term));
  if (terms.length === 0) return false;
  const hasNumber = /\p{N}/u.test(sentence);
  const place = new Set(termsOf([title, ...headingPath].join('\n')).filter((term) => !/\p{N}/u.test(term)));
  return statementsOf(quote, hasNumber).some((statement) => {
    const said = new Set(termsOf(statement));
    return terms.every((term) => said.has(term) || place.has(term)) && agree(sentence, statement);
  });
}

function agree(sentence: string, statement: string): boolean {
  const allowsMore = PERMISSION.test(sentence) && OBLIGATION.test(statement) && !PERMISSION.test(statement);
  return (
    !allowsMore &&
    TURNING.every((words) => words.test(sentence) === words.test(statement)) &&
    CLAIMING.every((words) => !words.test(sentence) || words.test(statement))
  );
}

// What is said in one go: a sentence, with the one before it that it points to; an item under its lead-in; a row under its
// header. A list is one statement as well for a sentence without numbers, which could belong to another item.
function statementsOf(quote: string, hasNumber: boolean): string[] {
  const units = unitsOf(quote);
  const textOf = (unit: Unit | undefined) => (unit ? quote.slice(unit.start, unit.end) : '');
  return units.flatMap((unit, index) => {
    const own = textOf(unit);
    if (unit.kind === 'row') return [`${unit.names}\n${own}`];
    if (unit.kind !== 'item') return pointsBack(own) ? [own, `${textOf(units[index - 1])} ${own}`] : [own];
    let top = index;
    while (units[top - 1]?.kind === 'item') top--;
    const leadIn = textOf(units[top - 1]);
    const list = hasNumber ? [] : [`${leadIn}\n${units.slice(top, endOfList(units, index)).map(textOf).join('\n')}`];
    return [`${leadIn}\n${own}`, ...list];
  });
}

function endOfList(units: readonly Unit[], index: number): number {
  const end = units.findIndex(({ kind }, at) => at > index && kind !== 'item');
  return end < 0 ? units.length : end;
}
