// The built-in answerer: no model, no network. It quotes the sentences that answer, or says that none does.
import { setImmediate } from 'node:timers/promises';
import {
  type AskedContext,
  bestSentences,
  type Candidate,
  isOnSubject,
  matchedTerms,
  readForCase,
} from './best-sentences.ts';
import { dotProduct } from './dot-product.ts';
import type { Span } from './model.ts';
import type { AnswerModel, ContextChunk, Embedder, ModelAnswer } from './ports.ts';
import { hasTellingTerms } from './question-terms.ts';
import { locateQuote } from './quote-check.ts';
import type { ReadContext, ReadSentence } from './sentence-score.ts';
import { answerabilityFeatures, bestMatches } from './sentence-score-answerability.ts';
import { asksForSeveral } from './sentence-score-cues.ts';
import { ordersTheReader, quotableSpans } from './sentence-score-quotes.ts';
import { coverage, headedTermsOf, termsOf } from './sentence-score-terms.ts';
import { numbersIn } from './sentence-score-twins.ts';
import {
  ANSWER_THRESHOLD,
  ANSWERABILITY_WEIGHTS,
  probabilityOf,
  SIMILARITY_WEIGHTS,
} from './sentence-score-weights.ts';

/** How probable it is that a context answers a question, and what that was told from. */
export interface Answerability {
  /** 0…1; the built-in answerer refuses below its threshold. */
  readonly score: number;
  /** Each in 0…1, by name. */
  readonly features: Readonly<Record<string, number>>;
}

export interface ExtractiveModelOptions {
  /** Compares the meaning of question and sentences; used if `SIMILARITY_WEIGHTS` knows its id. */
  readonly embedder?: Embedder | undefined;
  /** Answerability below which it refuses, 0…1; `ANSWER_THRESHOLD` unless given. */
  readonly threshold?: number;
}

const MAX_QUOTES = 4; // more is reading the document
/**
 * A less probable sentence is quoted too when it holds more than this of the question's weight that is missing yet, the
 * other part of a question of two. With 0.25 one answer in twenty gets such a quote, with 0.4 one in a hundred.
 */
const PART_SHARE = 0.3;
/** Share of common terms from which two quotes say the same thing: edited copies of one sentence. */
const SAME_SHARE = 0.8;
/** Quotes of one paragraph are shown as one up to this many UTF-16 code units. */
const MAX_MERGED_CHARACTERS = 700;

/** The similarity's weight was fitted with these. */
const COMPARED_SENTENCES = 6;
const COMPARED_CHARACTERS = 400;

interface Quote {
  readonly chunk: ContextChunk;
  /** Offsets into `chunk.text`. */
  readonly span: Span;
}

const textOf = ({ chunk, span }: Quote): string => chunk.text.slice(span.start, span.end);

/**
 * Probability that the context answers the question: what the built-in answerer decides by. With an embedder that
 * `SIMILARITY_WEIGHTS` knows, its opinion takes part; its failure costs a little accuracy and not the answer.
 */
export function scoreAnswerability(asked: AskedContext, embedder?: Embedder): Promise<Answerability> {
  return answerabilityOf(asked, readForCase(asked), embedder);
}

function textualAnswerability(question: string, read: ReadContext, context: readonly ContextChunk[]): Answerability {
  const features = answerabilityFeatures(read, context);
  // A greeting is found word for word in any letter, and asks nothing; nor does an order to the bot.
  const asks = read.sentences.length > 0 && hasTellingTerms(question) && !ordersTheReader(question);
  return { score: asks ? probabilityOf(ANSWERABILITY_WEIGHTS, features) : 0, features };
}

async function answerabilityOf(
  { question, context }: AskedContext,
  read: ReadContext,
  embedder: Embedder | undefined,
  threshold = 0,
): Promise<Answerability> {
  const textual = textualAnswerability(question, read, context);
  const weights = embedder && SIMILARITY_WEIGHTS[embedder.id];
  if (!embedder || !weights || textual.score === 0) return textual;
  // Embedding is most of an answer's time; where no similarity could lift it over the threshold, there is nothing to ask.
  const highest = Math.max(...[0, 1].map((each) => probabilityOf(weights, { ...textual.features, similarity: each })));
  if (highest < threshold) return { ...textual, score: highest };
  const similarity = await similarityOf(question, read, embedder).catch(() => null);
  if (similarity === null) return textual;
  const features = { ...textual.features, similarity };
  return { score: probabilityOf(weights, features), features };
}

async function similarityOf(question: string, read: ReadContext, embedder: Embedder): Promise<number> {
  const texts = bestMatches(read.sentences, COMPARED_SENTENCES).map(({ text }) => text.slice(0, COMPARED_CHARACTERS));
  // All as questions: somebody waits for them, and as documents they would queue behind those that are being indexed.
  const [asked, ...sentences] = await embedder.embed([question, ...texts], 'question');
  return Math.max(0, ...sentences.map((sentence) => dotProduct(sentence, asked ?? [])));
}

/** Both as one stretch, if they overlap, or stand in one paragraph or next to each other and stay readable; else null. */
function merged(one: Quote, other: Quote): Quote | null {
  if (one.chunk.chunkId !== other.chunk.chunkId) return null;
  const [first, second] = one.span.start <= other.span.start ? [one.span, other.span] : [other.span, one.span];
  const span = { start: first.start, end: Math.max(first.end, second.end) };
  const overlap = second.start <= first.end;
  const between = one.chunk.text.slice(first.end, second.start);
  if (!overlap && between.trim() !== '' && between.includes('\n')) return null;
  return overlap || span.end - span.start <= MAX_MERGED_CHARACTERS ? { chunk: one.chunk, span } : null;
}

/** Whether a quote goes on in the paragraph of another: it is read in one go with it, whatever terms it has. */
function goesOn(quotes: readonly Quote[], [added, ...others]: readonly Quote[]): boolean {
  if (added === undefined || others.length > 0) return false;
  return quotes.some((quote) => {
    const both = merged(quote, added);
    return both !== null && !textOf(both).includes('\n');
  });
}

function saysTheSame(one: Quote, other: Quote): boolean {
  const [first, second] = [new Set(termsOf(textOf(one))), new Set(termsOf(textOf(other)))];
  const common = [...first].filter((term) => second.has(term)).length;
  return common >= SAME_SHARE * Math.min(first.size, second.size) && common > 0;
}

/** Adds a quote: joined with all that it touches, or as a new one. */
function addQuote(quotes: readonly Quote[], added: Quote): readonly Quote[] {
  for (const [index, quote] of quotes.entries()) {
    const both = merged(quote, added);
    // What has grown may touch others now, so it is added anew, in the place of the better of the two.
    if (both !== null) return placed(addQuote(quotes.toSpliced(index, 1), both), index);
  }
  return [...quotes, added];
}

/** Moves the last quote to `index`. */
function placed(quotes: readonly Quote[], index: number): readonly Quote[] {
  const last = quotes.at(-1);
  return last === undefined ? quotes : quotes.slice(0, -1).toSpliced(Math.min(index, quotes.length - 1), 0, last);
}

/** How much of the question quotes say that those before them do not: the weights of its terms, as a share, 0…1. */
function addedShare(quotes: readonly Quote[], added: readonly Quote[], { terms }: ReadContext): number {
  if (added.some((quote) => quotes.some((other) => saysTheSame(other, quote)))) return 0;
  const said = new Set(quotes.flatMap((quote) => [...headedTermsOf(quote.chunk, textOf(quote))]));
  const fresh = new Set(added.flatMap((quote) => termsOf(textOf(quote))).filter((term) => !said.has(term)));
  return coverage(terms, (term) => fresh.has(term));
}

/** Whether two sentences of different documents give numbers of the kind asked for, and none of them in common. */
function giveOtherNumbers(one: ReadSentence, other: ReadSentence, { kind }: ReadContext): boolean {
  if ((kind !== 'amount' && kind !== 'time') || one.chunk.documentId === other.chunk.documentId) return false;
  const [numbers, others] = [numbersIn(one.text), numbersIn(other.text)];
  return numbers.size > 0 && others.size > 0 && ![...numbers].some((number) => others.has(number));
}

/**
 * Whether a sentence of another document gives other numbers for what the best one covers of the question. The reader must see
 * that they do not agree: either may be out of date, and nothing in the text says which. A twin is shown however it ranks.
 */
function disagrees(best: ReadSentence, candidate: Candidate, read: ReadContext): boolean {
  const { sentence: other, isAlike, isTwin } = candidate;
  if (!isTwin && !(isAlike && giveOtherNumbers(best, other, read))) return false;
  const [held, alsoHeld] = [headedTermsOf(best.chunk, best.text), headedTermsOf(other.chunk, other.text)];
  return [...read.terms.keys()].every((term) => !held.has(term) || alsoHeld.has(term));
}

/** Whether quotes belong into the answer, beside those that are in it. */
function isMore(quotes: readonly Quote[], added: readonly Quote[], isAlike: boolean, read: ReadContext): boolean {
  if (quotes.length === 0 || (isAlike && goesOn(quotes, added))) return true;
  return addedShare(quotes, added, read) > (isAlike ? 0 : PART_SHARE);
}

/** One to four quotes, best first, each of which `locateQuote` finds in its chunk; none if nothing can be quoted. */
function selectQuotes(read: ReadContext, rejectedQuotes: readonly string[]): readonly Quote[] {
  let quotes: readonly Quote[] = [];
  let best: ReadSentence | undefined;
  const onSubject = new Set<string>();
  const list = { matched: (text: string) => matchedTerms(read, text), isAsked: asksForSeveral(read.question) };
  for (const candidate of bestSentences(read)) {
    const { sentence, standing, isAlike } = candidate;
    const { chunk, span } = sentence;
    const spans = quotableSpans(chunk, span, read.kind, standing === 'silent' ? list : null);
    const unit = spans.map((grown): Quote => ({ chunk, span: grown }));
    const fits = quotes.length + unit.length <= MAX_QUOTES && unit.every((quote) => canStand(quote, rejectedQuotes));
    if (!fits) continue;
    const isOther = best !== undefined && disagrees(best, candidate, read);
    if (!isOther && !isMore(quotes, unit, isAlike, read)) continue;
    best ??= sentence;
    if (isOnSubject(read, sentence, unit.map(textOf).join('\n'))) onSubject.add(chunk.documentId);
    for (const quote of unit) quotes = addQuote(quotes, quote);
  }
  if (onSubject.size === 0) return [];
  // What one document says of a year does not make what another says be of that year.
  const isVouchedFor = ({ chunk }: Quote) => read.required.years.size === 0 || onSubject.has(chunk.documentId);
  return quotes.filter((quote) => isVouchedFor(quote) && canStand(quote, rejectedQuotes));
}

function canStand(quote: Quote, rejectedQuotes: readonly string[]): boolean {
  const text = textOf(quote);
  // What a colon announces may lie beyond the chunk; the announcement alone answers nothing.
  const announces = /[:：]\W*$/.test(text.slice(-8));
  return !announces && locateQuote(text, quote.chunk.text) !== null && !rejectedQuotes.includes(text);
}

const INSUFFICIENT: ModelAnswer = { sufficient: false, answer: '', citations: [] };

/**
 * An answer model that says only what it quotes: the answer is the quotes themselves with `[1]`, `[2]` behind them, in the
 * order of the citations. `sufficient` is false when the answerability is below the threshold or no sentence can be quoted.
 * @throws the signal's reason once it is aborted.
 */
export function createExtractiveModel(options: ExtractiveModelOptions = {}): AnswerModel {
  const { embedder, threshold = ANSWER_THRESHOLD } = options;
  return {
    id: 'extractive',
    async answer({ rejectedQuotes, ...asked }, { signal }) {
      signal.throwIfAborted();
      const read = readForCase(asked);
      // Reading, deciding and choosing take several milliseconds each: in between, others get their turn.
      await setImmediate();
      const { score } = await answerabilityOf(asked, read, embedder, threshold);
      await setImmediate();
      signal.throwIfAborted();
      if (score < threshold) return INSUFFICIENT;
      const quotes = selectQuotes(read, rejectedQuotes);
      if (quotes.length === 0) return INSUFFICIENT;
      return {
        sufficient: true,
        probability: score,
        answer: quotes.map((quote, index) => `${textOf(quote)} [${index + 1}]`).join('\n\n'),
        citations: quotes.map((quote) => ({ chunkId: quote.chunk.chunkId, quote: textOf(quote) })),
      };
    },
  };
}
