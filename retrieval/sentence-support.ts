// Whether a quote says what a sentence of an answer says: a model's prose is shown only as far as it does.
import type { Citation } from './model.ts';
import { pointsBack } from './sentence-score-quotes.ts';
import { listEnd, listStart, type Unit, unitsOf } from './sentence-score-units.ts';
import { splitSentences } from './sentences.ts';
import { type Gaps, hasSeveralValues, inOrder, isJoining, orderedWords } from './word-order.ts';

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
  /\b(?:some|most|many|several|often|usually|sometimes)\b/i,
  /\b(?:may|can|could|might|allowed|permitted|optional(?:ly)?)\b/i,
];
/** Words that claim more than is said: a sentence has one only if the quote has one of that line. */
const CLAIMING: readonly RegExp[] = [
  /\b(?:must|shall|have to|has to|ha[sd] to|need(?:s|ed)?|required?|requires|mandatory|obliged|should)\b/i,
  /\b(?:all|every|everyone|everybody|each|any|anyone|always)\b/i,
];

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
  /** The words of what stands above it: a lead-in, the header of a table, the sentence that it points to; else empty. */
  readonly above: readonly string[];
  /** Its own words, with the borders of clauses. */
  readonly own: readonly string[];
  /** What may be left out in the middle of its own words. */
  readonly gaps: Gaps;
  /** What else must hold of the words that a sentence takes from it, those of `own` and those of `above`. */
  readonly holds: (own: readonly string[], above: readonly string[]) => boolean;
}

/**
 * Reads the quotes once, and gives for a sentence the place of the first citation that supports it, of those that `may`
 * lets through; -1 when none does. A quote supports a sentence that it holds as a whole one, and one that one statement of
 * the quote says: all its words in any form and in the statement's order, and the small words that turn a meaning round.
 * Where the statement holds several numbers or names, its words without a gap. Of two statements put together it says
 * nothing: the number of the one belongs to the subject of the other. Titles and headings may add to a whole statement.
 */
export function createSupport(
  citations: readonly Citation[],
): (sentence: string, may?: (citation: Citation) => boolean) => number {
  const quotes = citations.map(readQuote);
  return (sentence, may = () => true) => {
    const said = orderedWords(sentence);
    const telling = said.findIndex((word) => !isJoining(word));
    return quotes.findIndex(
      ({ citation, sentences, place, statements }) =>
        may(citation) &&
        (sentences.has(sentence) ||
          (telling >= 0 &&
            statements.some(
              (statement) => agree(sentence, statement.text) && says(statement, said.slice(telling), place),
            ))),
    );
  };
}

function readQuote(citation: Citation): ReadQuote {
  const { quote, title, headingPath } = citation;
  return {
    citation,
    sentences: new Set(splitSentences(quote).map(({ start, end }) => quote.slice(start, end))),
    place: new Set(orderedWords([title, ...headingPath].join('\n')).filter((word) => !/\p{N}/u.test(word))),
    statements: statementsOf(quote),
  };
}

function agree(sentence: string, statement: string): boolean {
  return (
    TURNING.every((words) => words.test(sentence) === words.test(statement)) &&
    CLAIMING.every((words) => !words.test(sentence) || words.test(statement))
  );
}

// Each word is the statement's own, or stands above it, or in the title and the headings. What puts words of two places
// together must join them by itself.
function says({ own, above, gaps, holds }: Statement, said: readonly string[], place: ReadonlySet<string>): boolean {
  const ownWords = new Set(own);
  const aboveWords = new Set(above);
  const isOfPlace = (word: string) => !ownWords.has(word) && !aboveWords.has(word) && place.has(word);
  const hasPlace = said.some((word) => !isJoining(word) && isOfPlace(word));
  const joins = hasPlace || above.length > 0;
  const rest = said.filter((word) => !isOfPlace(word) && !(joins && isJoining(word) && !ownWords.has(word)));
  const fromOwn = rest.filter((word) => ownWords.has(word));
  const fromAbove = rest.filter((word) => !ownWords.has(word));
  // With a part left out, what the title adds would stand in its place.
  if (hasPlace && fromOwn.length < orderedWords(own.join(' ')).length) return false;
  return (
    fromOwn.some((word) => !isJoining(word)) &&
    inOrder(fromOwn, own, gaps) &&
    inOrder(fromAbove, above, 'any') &&
    holds(fromOwn, fromAbove)
  );
}

const wordsOf = (text: string): string[] => orderedWords(text, { borders: true });
const always = (): boolean => true;

// A sentence, and with the one before it that it points to; an item under its lead-in, and the whole list; a row under its
// header.
function statementsOf(quote: string): Statement[] {
  const units = unitsOf(quote);
  const textOf = (unit: Unit | undefined) => (unit ? quote.slice(unit.start, unit.end) : '');
  return units.flatMap((unit, index) => {
    const own = textOf(unit);
    if (unit.kind === 'row') return [rowStatement(unit.names, own)];
    if (unit.kind === 'record') return [{ ...statement('', own), gaps: 'none' }];
    if (unit.kind !== 'item') {
      const before = textOf(units[index - 1]);
      const pointing = pointsBack(own) && !hasSeveralValues(`${before} ${own}`);
      return [statement('', own), ...(pointing ? [pointingStatement(before, own)] : [])];
    }
    const top = listStart(units, index);
    const leadIn = textOf(units[top - 1]);
    const item = statement(leadIn, own);
    return index > top ? [item] : [item, listStatement(leadIn, units.slice(top, listEnd(units, top)).map(textOf))];
  });
}

function statement(above: string, own: string): Statement {
  const text = `${above}\n${own}`;
  const gaps = hasSeveralValues(text) ? 'none' : 'describing';
  return { text, above: orderedWords(above), own: wordsOf(own), gaps, holds: always };
}

// What the sentence before begins with is what "it" is.
function pointingStatement(before: string, own: string): Statement {
  const made = statement(before, own);
  return { ...made, holds: (_, above) => above.length > 0 && above.every((word, at) => word === made.above[at]) };
}

// Items are named whole, and a number in one could belong to any.
function listStatement(leadIn: string, items: readonly string[]): Statement {
  const texts = [leadIn, ...items].join('\n');
  const parts = items.map((item) => orderedWords(item));
  const holds = (own: readonly string[]) => {
    const whole = parts.filter((part) => part.every((word) => own.includes(word)));
    return whole.flat().join(' ') === own.join(' ') && !own.some((word) => /\p{N}/u.test(word));
  };
  return { text: texts, above: orderedWords(leadIn), own: parts.flat(), gaps: 'any', holds };
}

// A header belongs to the cell under it: one that is named has its cell beside it, and no other cell that could be taken for it.
function rowStatement(names: string, row: string): Statement {
  const cellsOf = (text: string) =>
    text
      .replace(/^\s*\|/, '')
      .split('|')
      .map((cell) => orderedWords(cell));
  const [headers, cells] = [cellsOf(names), cellsOf(row)];
  const isNumber = (cell: readonly string[]) => cell.some((word) => /\p{N}/u.test(word));
  const holds = (own: readonly string[], above: readonly string[]) => {
    const used = cells.filter((cell) => cell.some((word) => own.includes(word)));
    const named = headers.flatMap((header, at) =>
      header.some((word) => above.includes(word)) ? [cells[at] ?? []] : [],
    );
    if (named.length === 0) return used.filter(isNumber).length < 2;
    const [cell = []] = named;
    const alike = used.filter((other) => isNumber(other) === isNumber(cell));
    return named.length === 1 && alike.length === 1 && alike[0] === cell;
  };
  return { ...statement(names, row), gaps: 'any', holds };
}
