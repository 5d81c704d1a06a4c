// Reads the context of a question sentence by sentence and says how well each fits.
import type { Span } from './model.ts';
import type { ContextChunk } from './ports.ts';
import { type AnswerKind, answerKindOf, kindFit } from './sentence-score-cues.ts';
import {
  coverage,
  saturatedMatch,
  type TermList,
  termsOf,
  type WeightedTerms,
  weightedTerms,
} from './sentence-score-terms.ts';
import { splitSentences } from './sentences.ts';

/** A sentence of the context with what the scores are made of. */
export interface ReadSentence {
  readonly chunk: ContextChunk;
  /** Offsets into `chunk.text`. */
  readonly span: Span;
  readonly text: string;
  /** Features in 0…1, by name; what they mean is in `sentenceFeatures`. */
  readonly features: Readonly<Record<SentenceFeature, number>>;
}

/** A question and its context, read once for ranking and for the decision to answer. */
export interface ReadContext {
  readonly kind: AnswerKind;
  readonly terms: WeightedTerms;
  /** In the order of the context; a sentence that two overlapping chunks share comes once, with the better chunk. */
  readonly sentences: readonly ReadSentence[];
}

export type SentenceFeature = keyof ReturnType<typeof sentenceFeatures>;

interface ReadChunk {
  readonly chunk: ContextChunk;
  readonly index: number;
  readonly heading: TermList;
  readonly match: number;
  readonly spans: readonly Span[];
  readonly sentences: readonly TermList[];
}

/** Lengths in terms that BM25's length normalisation takes for usual: a chunk of five sentences, and a sentence. */
const USUAL_CHUNK_TERMS = 110;
const USUAL_SENTENCE_TERMS = 30;

function readChunk(chunk: ContextChunk, index: number, terms: WeightedTerms): ReadChunk {
  const heading = termsOf([chunk.title, ...chunk.headingPath].join('\n'));
  const spans = splitSentences(chunk.text);
  const sentences = spans.map((span) => termsOf(chunk.text.slice(span.start, span.end)));
  const match = saturatedMatch(terms, [...heading, ...sentences.flat()], USUAL_CHUNK_TERMS);
  return { chunk, index, heading, match, spans, sentences };
}

function sentenceFeatures(
  read: ReadChunk,
  position: number,
  kind: AnswerKind,
  terms: WeightedTerms,
  rare: WeightedTerms,
) {
  const own = read.sentences[position] ?? [];
  const span = read.spans[position] ?? { start: 0, end: 0 };
  const text = read.chunk.text.slice(span.start, span.end);
  const ownTerms = new Set(own);
  const withHeading = new Set([...own, ...read.heading]);
  const matched = [...terms.keys()].filter((term) => ownTerms.has(term)).length;
  return {
    /** Weighted share of the question's terms in the sentence. */
    coverage: coverage(terms, (term) => ownTerms.has(term)),
    /** The same with the words of title and headings, which a sentence need not repeat. */
    headedCoverage: coverage(terms, (term) => withHeading.has(term)),
    /** The same, terms that are rare within the context counting more. */
    rareCoverage: coverage(rare, (term) => withHeading.has(term)),
    /** BM25 of sentence and headings, and of the whole chunk. */
    match: saturatedMatch(terms, [...own, ...read.heading], USUAL_SENTENCE_TERMS),
    chunkMatch: read.match,
    /** Matched terms for the length: a short sentence that says it beats a long one that mentions it. */
    focus: own.length === 0 ? 0 : Math.min(1, matched / Math.sqrt(own.length) / 2),
    kindFit: kindFit(kind, text),
    rank: 1 / (1 + read.index),
    isQuestion: Number(/\?\W*$/.test(text.slice(-8))),
  };
}

/** The terms with weights that also count how few sentences of this context have them. */
function rareWithin(terms: WeightedTerms, chunks: readonly ReadChunk[]): WeightedTerms {
  const sentences = chunks.flatMap((read) => read.sentences.map((sentence) => new Set(sentence)));
  const all = Math.log(2 + sentences.length);
  const holding = (term: string): number => sentences.filter((sentence) => sentence.has(term)).length;
  return new Map(
    [...terms].map(([term, weight]) => [term, (weight * Math.log(1 + sentences.length / (1 + holding(term)))) / all]),
  );
}

/** Splits the context into sentences and measures each against the question. Time is linear in the context. */
export function readContext(question: string, context: readonly ContextChunk[]): ReadContext {
  const terms = weightedTerms(question);
  const kind = answerKindOf(question);
  const chunks = context.map((chunk, index) => readChunk(chunk, index, terms));
  const rare = rareWithin(terms, chunks);
  const sentences = new Map<string, ReadSentence>();
  for (const read of chunks) {
    for (const [position, span] of read.spans.entries()) {
      const place = `${read.chunk.documentId} ${read.chunk.start + span.start}`;
      if (sentences.has(place)) continue;
      const text = read.chunk.text.slice(span.start, span.end);
      const features = sentenceFeatures(read, position, kind, terms, rare);
      sentences.set(place, { chunk: read.chunk, span, text, features });
    }
  }
  return { kind, terms, sentences: [...sentences.values()] };
}
