// The fitted numbers of the extractive answerer, in one place, with what they rest on.
import type { SentenceFeature } from './sentence-score.ts';
import type { AnswerabilityFeature } from './sentence-score-answerability.ts';

/** Logistic regression: the probability is 1 / (1 + exp(-(bias + Σ weight · feature))). */
export interface LogisticWeights<Feature extends string> {
  readonly bias: number;
  readonly weights: Readonly<Partial<Record<Feature, number>>>;
}

/** Probability by logistic weights, in 0…1; a feature without a weight counts nothing. */
export function probabilityOf<Feature extends string>(
  { bias, weights }: LogisticWeights<Feature>,
  features: Readonly<Partial<Record<Feature, number>>>,
): number {
  let sum = bias;
  for (const name of Object.keys(features) as Feature[]) sum += (weights[name] ?? 0) * (features[name] ?? 0);
  return 1 / (1 + Math.exp(-sum));
}

/**
 * That a sentence is one of those that answer. Fitted with L2 regularisation (3, on standardised features) on 396 questions
 * with gold sentences (clapnq answerable, chunking-eval), BM25 over four-sentence windows with the title in front, eight
 * windows a question, unseen questions by five-fold cross-validation: with `QUOTE_SHARE` a gold sentence is among the
 * quotes for 0.84 of the clapnq questions (2.9 sentences chosen) and 0.73 of chunking-eval (2.1); fitted on one set and
 * tried on the other, 0.73 and 0.80. Leaving features out one by one: term proximity, sentence length, the neighbours'
 * words and the chunk's own match changed nothing and are not there.
 */
export const SENTENCE_WEIGHTS: LogisticWeights<SentenceFeature> = {
  bias: -5,
  weights: { rareCoverage: 2.9, match: 0.5, focus: 1.1, kindFit: 0.3, rank: 2.65, isQuestion: -1.4 },
};

/** A further sentence is quoted when it is at least this share as probable as the best one; 0.7 quotes 0.7 fewer for -0.13. */
export const QUOTE_SHARE = 0.5;

/**
 * That the context answers the question. Fitted like the above (L2 2) on the 295 clapnq questions, of which 142 have a text that
 * looks right and does not answer; on 849 answerable questions of handbook, product-docs and chunking-eval whose text was
 * found; and on 2,436 questions asked to a corpus of another subject; the last two groups weigh half of the first each.
 * AUROC on clapnq, unseen questions, four times five-fold: 0.796 (the windows' best BM25 with this context's knowledge
 * only: 0.766). Knowing every term's frequency in the whole collection would add 0.02.
 * Refused at `ANSWER_THRESHOLD` although answerable: clapnq 0.13, handbook 0.06, product-docs 0.02, chunking-eval 0.18.
 * Answered although not: clapnq 0.36, other subjects 0.01 to 0.26 (the last: Claude's documentation asked to a handbook
 * of a company that builds on it). At 0.45: 0.18 / 0.07 / 0.02 / 0.22 and 0.30 / 0.01 to 0.16.
 */
export const ANSWERABILITY_WEIGHTS: LogisticWeights<AnswerabilityFeature> = {
  bias: -7.67,
  weights: {
    chunkMatch: 6.13,
    sentenceMatch: 3.87,
    sentenceCoverage: 1.51,
    contextCoverage: 1.83,
    kindFit: 0.51,
    uncounted: -2.99,
    support: -2.5,
    length: 2.84,
  },
};

/**
 * The same with the similarity of the question and the best six sentences, for embedders that it was measured with: cosines of
 * two models are not comparable, so an embedder that is not listed is not asked. Fitted on the clapnq questions, 115
 * answerable ones of the other sets and 90 off-subject ones. AUROC on clapnq, six times five-fold: 0.807 (without 0.795
 * on the same questions); refused of the handbook's 0.02 for 0.06. Costs the embedding of seven short texts.
 */
export const SIMILARITY_WEIGHTS: Readonly<Record<string, LogisticWeights<AnswerabilityFeature>>> = {
  'builtin:use-lite@1': {
    bias: -8.11,
    weights: {
      chunkMatch: 5.35,
      sentenceMatch: 2.63,
      sentenceCoverage: 1.76,
      contextCoverage: 1.59,
      kindFit: 0.37,
      uncounted: -2.96,
      support: -1.78,
      length: 1.13,
      similarity: 4.3,
    },
  },
};

/** Below this probability the answer is a refusal; see the error rates above. */
export const ANSWER_THRESHOLD = 0.4;
