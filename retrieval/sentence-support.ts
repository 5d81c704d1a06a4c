// Whether a quote says what a sentence of an answer says: a model's prose is shown only as far as it does.
import type { Citation } from './model.ts';
import { pointsBack } from './sentence-score-quotes.ts';
import { stem } from './sentence-score-stem.ts';
import { termsOf, weightedTerms } from './sentence-score-terms.ts';
import { listEnd, listStart, type Unit, unitsOf } from './sentence-score-units.ts';
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

interface ReadQuote {
  readonly citation: Citation;
  /** Its whole sentences, as they stand. */
  readonly sentences: ReadonlySet<string>;
  /** What title and headings add; their numbers add nothing. */
  readonly place: ReadonlySet<string>;
  readonly statements: readonly Statement[];
}

/** What is said in one go. */
interface Statement {
  readonly text: string;
  readonly terms: ReadonlySet<string>;
  /** All items of a list: a number in it could belong to any. */
  readonly isList: boolean;
}

/**
 * Reads the quotes once, and gives for a sentence the place of the first citation that supports it, of those that `may`
 * lets through; -1 when none does. A quote supports a sentence that it holds as a whole one, and one of which one statement
 * of the quote says all: its words in any form, with what the title and the headings add, its numbers, and the small words
 * that turn a meaning round. Of two statements put together it says nothing: the number of the one belongs to the subject of
 * the other. It reads words and not their order.
 */
export function createSupport(
  citations: readonly Citation[],
): (sentence: string, may?: (citation: Citation) => boolean) => number {
  const quotes = citations.map(readQuote);
  return (sentence, may = () => true) => {
    const terms = [...weightedTerms(sentence).keys()].filter((term) => !OF_THE_SOURCE.has(term));
    const hasNumber = /\p{N}/u.test(sentence);
    return quotes.findIndex(
      ({ citation, sentences, place, statements }) =>
        may(citation) &&
        (sentences.has(sentence) ||
          (terms.length > 0 &&
            statements.some(
              (statement) =>
                !(hasNumber && statement.isList) &&
                terms.every((term) => statement.terms.has(term) || place.has(term)) &&
                agree(sentence, statement.text),
            ))),
    );
  };
}

function readQuote(citation: Citation): ReadQuote {
  const { quote, title, headingPath } = citation;
  return {
    citation,
    sentences: new Set(splitSentences(quote).map(({ start, end }) => quote.slice(start, end))),
    place: new Set(termsOf([title, ...headingPath].join('\n')).filter((term) => !/\p{N}/u.test(term))),
    statements: statementsOf(quote),
  };
}

function agree(sentence: string, statement: string): boolean {
  const allowsMore = PERMISSION.test(sentence) && OBLIGATION.test(statement) && !PERMISSION.test(statement);
  return (
    !allowsMore &&
    TURNING.every((words) => words.test(sentence) === words.test(statement)) &&
    CLAIMING.every((words) => !words.test(sentence) || words.test(statement))
  );
}

// A sentence, and with the one before it that it points to; an item under its lead-in, and the whole list; a row under its
// header.
function statementsOf(quote: string): Statement[] {
  const units = unitsOf(quote);
  const textOf = (unit: Unit | undefined) => (unit ? quote.slice(unit.start, unit.end) : '');
  const stated = (text: string, isList = false): Statement => ({ text, terms: new Set(termsOf(text)), isList });
  return units.flatMap((unit, index) => {
    const own = textOf(unit);
    if (unit.kind === 'row') return [stated(`${unit.names}\n${own}`)];
    if (unit.kind !== 'item') {
      return [stated(own), ...(pointsBack(own) ? [stated(`${textOf(units[index - 1])} ${own}`)] : [])];
    }
    const top = listStart(units, index);
    const leadIn = textOf(units[top - 1]);
    const item = stated(`${leadIn}\n${own}`);
    if (index > top) return [item];
    const list = units.slice(top, listEnd(units, top)).map(textOf);
    return [item, stated([leadIn, ...list].join('\n'), true)];
  });
}
