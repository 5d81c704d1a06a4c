// Whether a context answers a question at all, told from how its best sentences and chunks fit.
import type { ContextChunk } from './ports.ts';
import type { ReadContext, ReadSentence } from './sentence-score.ts';
import { coverage, headedTermsOf } from './sentence-score-terms.ts';

/** `similarity` is there only with an embedder: cosine of the question and the most similar of the best sentences. */
export type AnswerabilityFeature = keyof ReturnType<typeof answerabilityFeatures> | 'similarity';

/** A sentence with most of what is asked supports an answer. */
const SUPPORTING_COVERAGE = 0.6;
/** How many of the best matching sentences are looked at for the kind of answer. */
const BEST_SENTENCES = 3;

const highest = (values: readonly number[]): number => values.reduce((best, value) => Math.max(best, value), 0);

/** The sentences that match best, best first: what the decision and the similarity look at. */
export function bestMatches(sentences: readonly ReadSentence[], count: number): ReadSentence[] {
  return [...sentences]
    .sort((a, b) => b.features.match + b.features.headedCoverage - a.features.match - a.features.headedCoverage)
    .slice(0, count);
}

/** Features in 0…1 of a context that was read for a question; an empty context covers, matches and supports nothing. */
export function answerabilityFeatures({ kind, terms, sentences }: ReadContext, context: readonly ContextChunk[]) {
  const held = new Set(context.flatMap((chunk) => [...headedTermsOf(chunk, chunk.text)]));
  const best = bestMatches(sentences, BEST_SENTENCES);
  const supporting = sentences.filter(({ features }) => features.headedCoverage >= SUPPORTING_COVERAGE).length;
  return {
    /** BM25 of the best chunk and of the best sentence with its headings. */
    chunkMatch: highest(sentences.map(({ features }) => features.chunkMatch)),
    sentenceMatch: highest(sentences.map(({ features }) => features.match)),
    /** Weighted share of the question's terms in the whole context. */
    contextCoverage: coverage(terms, (term) => held.has(term)),
    /** Whether the best sentences hold a thing of the kind asked for. */
    kindFit: highest(best.map(({ features }) => features.kindFit)),
    /** A number is asked for, and none stands with the thing counted. */
    uncounted:
      Number(kind === 'amount') * (1 - highest(best.map(({ features }) => features.kindFit * features.headedCoverage))),
    /** Share of the sentences with most of the question: where many have it, it names a topic and little else. */
    support: sentences.length === 0 ? 0 : supporting / sentences.length,
    /** Long questions are never covered as fully as short ones. */
    length: Math.min(1, terms.size / 10),
  };
}
