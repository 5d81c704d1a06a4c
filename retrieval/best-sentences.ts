// The sentences that may answer a question: about what it asks and names, and rules for its case.
import type { ContextChunk, TermRarity } from './ports.ts';
import { lineStartOf, type ReadContext, type ReadSentence, readContext, type Standing } from './sentence-score.ts';
import { asksForSeveral } from './sentence-score-cues.ts';
import { quantitiesIn, withoutQuantities } from './sentence-score-quantities.ts';
import { isQuotable } from './sentence-score-quotes.ts';
import { goesBeyond, standingTo } from './sentence-score-standing.ts';
import { coverage, headedTermsOf, termsOf } from './sentence-score-terms.ts';
import { twinsOf } from './sentence-score-twins.ts';
import { probabilityOf, QUOTE_SHARE, SENTENCE_WEIGHTS } from './sentence-score-weights.ts';

/**
 * Best sentences that are looked at. Of the answered questions of clapnq the quotes hold a gold sentence for 0.90, in 1.1
 * quotes of 535 characters together; with 4 for 0.88. One quote for each of the best four that is nearly as probable
 * (0.92, 1.9 quotes of 524 characters) cited neighbours in tables and lists that nobody asked for.
 */
const MAX_CANDIDATES = 6;
/** What is of the asked year is preferred when it has this share of what the best sentence has of the rest of the question. */
const YEAR_SHARE = 0.5;

/** A question with what may answer it. */
export interface AskedContext {
  readonly question: string;
  readonly context: readonly ContextChunk[];
  readonly termRarity?: TermRarity;
}

/** A sentence that may answer. */
export interface Candidate {
  readonly sentence: ReadSentence;
  readonly standing: Standing;
  /** Nearly as probable as the best one. */
  readonly isAlike: boolean;
  /** Another version of the best one: see `twinsOf`. */
  readonly isTwin: boolean;
}

interface Ranked {
  readonly sentence: ReadSentence;
  readonly probability: number;
}

interface Judged extends Ranked {
  readonly standing: Standing;
}

function rankedSentences(read: ReadContext): Ranked[] {
  const ranked = read.sentences
    .filter((sentence) => isQuotable(sentence.text) && isAbout(read, sentence))
    .map((sentence) => ({ sentence, probability: probabilityOf(SENTENCE_WEIGHTS, sentence.features) }))
    .sort((a, b) => b.probability - a.probability);
  const complete = ranked.findIndex(({ sentence }) => isOnSubject(read, sentence));
  const [first, moved] = [ranked[0]?.sentence, ranked[complete]?.sentence];
  if (complete < 1 || !first || !moved || isMerelyOfTheYear(read, moved, first)) return ranked;
  return [...ranked.slice(complete, complete + 1), ...ranked.toSpliced(complete, 1)];
}

/** Whether a sentence has a year in common with the question, and little else that the best one has. */
function isMerelyOfTheYear({ terms, required }: ReadContext, sentence: ReadSentence, best: ReadSentence): boolean {
  if (required.inLine.size + required.inChunk.size > 0) return false;
  const rest = new Map([...terms].filter(([term]) => !required.years.has(term)));
  const [held, heldByBest] = [sentence, best].map(({ chunk, text, header }) => {
    const own = headedTermsOf(chunk, `${header}\n${text}`);
    return coverage(rest, (term) => own.has(term));
  });
  return (held ?? 0) < YEAR_SHARE * (heldByBest ?? 0);
}

/**
 * Reads the context of a question. Where what fits the rest of the question best is a rule for some quantity, the question's own
 * number is a case for it, not a word to be found: 75 minutes are covered by "more than 60 minutes".
 */
export function readForCase({ question, context, termRarity }: AskedContext): ReadContext {
  const read = readContext(question, context, termRarity);
  if (quantitiesIn(question).length === 0) return read;
  const { terms, named, sentences } = readContext(withoutQuantities(question), context, termRarity);
  const uncounted = { ...read, terms, named, sentences };
  const [best] = rankedSentences(uncounted);
  if (best === undefined || standingTo(question)(best.sentence) === 'silent') return read;
  const held = headedTermsOf(best.sentence.chunk, best.sentence.text);
  return [...read.terms.keys()].every((term) => terms.has(term) || held.has(term)) ? read : uncounted;
}

/** The quotable sentences that may answer, best first. */
export function bestSentences(read: ReadContext): Candidate[] {
  const fitting = fittingTheCase(read, rankedSentences(read));
  const [best] = fitting;
  if (best === undefined) return [];
  const isTwin = twinsOf(best.sentence);
  const candidates = fitting.map(({ sentence, standing, probability }) => ({
    sentence,
    standing,
    isAlike: probability >= QUOTE_SHARE * best.probability,
    isTwin: isTwin(sentence),
  }));
  if (isInParts(read, candidates)) return [];
  return candidates.filter((candidate, index) => index < MAX_CANDIDATES || candidate.isTwin);
}

/** Whether several things are asked for of which each document has some, so that no quote has them all. */
function isInParts(read: ReadContext, [best, ...others]: readonly Candidate[]): boolean {
  if (best === undefined || !isPart(best.sentence) || !asksForSeveral(read.question)) return false;
  const matched = matchedTerms(read, best.sentence.text);
  return others.some(({ sentence, isAlike }) => {
    const isElsewhere = isPart(sentence) && sentence.chunk.documentId !== best.sentence.chunk.documentId;
    return (
      isAlike && isElsewhere && sentence.text !== best.sentence.text && matchedTerms(read, sentence.text) === matched
    );
  });
}

const isPart = ({ kind }: ReadSentence): boolean => kind === 'item' || kind === 'row' || kind === 'record';

/** The question's terms that a text has, comparable as a string. */
export function matchedTerms({ terms }: ReadContext, text: string): string {
  const own = new Set(termsOf(text));
  return [...terms.keys()].filter((term) => own.has(term)).join(' ');
}

/**
 * Without the sentences about other cases. Where one of them fits as well as the best sentence, the question is about what such
 * sentences tell apart, and only one that covers its case answers it: one that has as much of the question, or that goes on
 * behind a rule for another case.
 */
function fittingTheCase(read: ReadContext, ranked: readonly Ranked[]): Judged[] {
  const standingOf = standingTo(read.question);
  const judged = ranked.map((each) => ({ ...each, standing: standingOf(each.sentence) }));
  const [first] = judged;
  const best = judged.find(
    ({ sentence, standing, probability }) =>
      standing === 'misses' &&
      first !== undefined &&
      probability >= QUOTE_SHARE * first.probability &&
      hasAsMuch(read, first.sentence, sentence),
  );
  if (best === undefined || first?.standing === 'covers') return judged.filter(({ standing }) => standing !== 'misses');
  const alike = judged.filter(({ probability }) => probability >= QUOTE_SHARE * best.probability);
  const missing = alike.filter(({ standing }) => standing === 'misses');
  const covering = alike.filter(
    ({ sentence, standing }) => standing === 'covers' && hasAsMuch(read, best.sentence, sentence),
  );
  // A label names its case wherever it stands: "Severity 3 waits until the next day."
  const isLabelled = quantitiesIn(read.question).some(({ kind }) => kind === 'label');
  return judged.filter((each) => {
    if (covering.includes(each) || missing.some(({ sentence }) => goesBeyond(sentence, each.sentence))) return true;
    return isLabelled && each.standing === 'covers' && each.sentence.chunk.chunkId === best.sentence.chunk.chunkId;
  });
}

/** Whether a sentence, in its place, has all terms of the question that another has. */
function hasAsMuch({ terms }: ReadContext, one: ReadSentence, other: ReadSentence): boolean {
  const held = headedTermsOf(one.chunk, one.text);
  const alsoHeld = headedTermsOf(other.chunk, `${other.header}\n${other.text}`);
  return [...terms.keys()].every((term) => !held.has(term) || alsoHeld.has(term));
}

/** Whether a text of the chunk, its title or a heading holds one of the terms; so it does where there are none. */
function holdsAny(terms: ReadonlySet<string>, chunk: ContextChunk, text: string): boolean {
  if (terms.size === 0) return true;
  const held = headedTermsOf(chunk, text);
  return [...terms].some((term) => held.has(term));
}

/** A sentence with what stands before it in its line, and the header of its row. */
function inItsLine(sentence: ReadSentence): string {
  const { chunk, span, header } = sentence;
  return `${header}\n${chunk.text.slice(lineStartOf(sentence), span.end)}`;
}

/** Whether a sentence says what is asked, and in its line names one of what the question names. */
function isAbout({ asked, named }: ReadContext, sentence: ReadSentence): boolean {
  const { chunk, text, header } = sentence;
  return holdsAny(asked, chunk, `${header}\n${text}`) && holdsAny(named, chunk, inItsLine(sentence));
}

/** Whether a sentence, in its line or in what is quoted with it, is about what an answer must be about. */
export function isOnSubject({ required }: ReadContext, sentence: ReadSentence, quoted = ''): boolean {
  const { inLine, inChunk, years } = required;
  if (inLine.size + inChunk.size + years.size === 0) return true;
  const held = headedTermsOf(sentence.chunk, `${inItsLine(sentence)}\n${quoted}`);
  if (![...inLine].every((term) => held.has(term))) return false;
  const missing = [...inChunk, ...years].filter((term) => !held.has(term));
  if (missing.length === 0) return true;
  const around = new Set(termsOf(sentence.chunk.text));
  return missing.every((term) => around.has(term));
}
