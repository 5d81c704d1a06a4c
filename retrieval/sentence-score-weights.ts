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
 * That a sentence is one of those that answer. Method: BM25 (k1 1.2, b 0.75) over windows of four sentences with the title in
 * front gives eight windows a question; logistic regression on standardised features, L2 penalty 3. Data: the 362 questions
 * with gold sentences of clapnq (153) and chunking-eval (the 209 whose gold was retrieved). Questions not fitted on (five
 * folds): with `QUOTE_SHARE` a gold sentence is among those chosen for 0.84 of clapnq (2.9 chosen) and 0.73 of
 * chunking-eval (2.1); fitted on one set and tried on the other 0.80 and 0.74. The same fit with term proximity, sentence
 * length, the neighbours' words and the chunk's own match gave 0.82 and 0.73: they are not there. `isSubject` is set by hand,
 * since none of these sets asks for identifiers: it outweighs two ranks, so that what defines an error code comes before
 * what mentions it. `isFragment` was fitted later, beside the others and the length: the best sentence is gold for 0.60 of
 * clapnq (0.57 without both), of chunking-eval 0.60 (0.60), and the best of three is in the right section for 0.56 (0.54) of
 * the handbook's questions.
 */
export const SENTENCE_WEIGHTS: LogisticWeights<SentenceFeature> = {
  bias: -5.02,
  weights: {
    rareCoverage: 3.02,
    match: 0.26,
    focus: 1.14,
    kindFit: 0.28,
    rank: 2.64,
    isQuestion: -1.44,
    isFragment: -2.32,
    isSubject: 2,
  },
};

/** A further sentence is quoted when it is at least this share as probable as the best one; 0.7 chooses 0.7 fewer for -0.14. */
export const QUOTE_SHARE = 0.5;

/**
 * That the context answers the question. Method as above, with the terms weighed by their rarity in the documents, L2 penalty
 * 2. Data: the 295 clapnq questions, of which 142 have a text that looks right and does not answer; 636 answerable questions
 * of handbook, product-docs and chunking-eval whose text was retrieved; 807 questions asked to a collection of another
 * subject. The last two groups weigh a quarter of the first each. AUROC on clapnq, four times five folds: 0.814; with the
 * general rarity of `weightedTerms` instead of the documents' 0.802.
 */
export const ANSWERABILITY_WEIGHTS: LogisticWeights<AnswerabilityFeature> = {
  bias: -8.42,
  weights: {
    chunkMatch: 9.64,
    sentenceMatch: 3.82,
    contextCoverage: 1.07,
    kindFit: 0.54,
    uncounted: -2.61,
    support: -1.81,
    length: 4.51,
  },
};

/**
 * The same with the similarity of the question and the best six sentences, for embedders that it was measured with: cosines of
 * two models are not comparable, so an embedder that is not listed is not asked. Listed are those that treat questions and
 * documents alike. Data: the clapnq questions, samples of 108 answerable ones of the other sets and of 134 asked to another
 * subject, which weigh 0.6 each. AUROC on clapnq, four times five folds: 0.823 (0.815 without the similarity on the same
 * data). Costs embedding seven short texts.
 */
export const SIMILARITY_WEIGHTS: Readonly<Record<string, LogisticWeights<AnswerabilityFeature>>> = {
  'builtin:use-lite@1': {
    bias: -7.66,
    weights: {
      chunkMatch: 7.63,
      sentenceMatch: 2.43,
      contextCoverage: 0.7,
      kindFit: 0.51,
      uncounted: -2.71,
      support: -1.31,
      length: 2.36,
      similarity: 3.86,
    },
  },
};

/**
 * Below this probability the answer is a refusal. Questions not fitted on, with / without the similarity, refused although
 * answerable: clapnq 0.16 / 0.17, handbook 0.03 / 0.05, product-docs 0.05 / 0.04, chunking-eval 0.18 / 0.15; answered although
 * not: clapnq 0.32 / 0.27, other subjects 0 to 0.06 / 0.03 to 0.09. At 0.4: clapnq 0.15 and 0.36, at 0.5: 0.16
 * and 0.28, at 0.55: 0.22 and 0.24; from 0.5 on questions of the demo company that name what is asked are refused.
 */
export const ANSWER_THRESHOLD = 0.45;
