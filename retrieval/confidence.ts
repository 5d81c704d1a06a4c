// How much of an answer is quoted, and how much of the question its quotes cover.
import type { Citation, Confidence } from './model.ts';
import type { TermRarity } from './ports.ts';
import { hasTerms } from './related-quotes.ts';
import { coverage, weightedTerms } from './sentence-score-terms.ts';
import { createSupport } from './sentence-support.ts';
import { splitSentences } from './sentences.ts';

const CITATION_MARKER = /\s*\[\d{1,3}\]/g;

function faithfulnessOf(answer: string, citations: readonly Citation[]): number {
  const text = answer.replace(CITATION_MARKER, '');
  const sentences = splitSentences(text)
    .map(({ start, end }) => text.slice(start, end))
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
  if (sentences.length === 0) return 0;
  const supportOf = createSupport(citations);
  const supported = sentences.filter((sentence) => supportOf(sentence) >= 0).length;
  return supported / sentences.length;
}

/**
 * Confidence in an answer with its citations, shares in 0…1. `faithfulness`: sentences of the answer that a quote
 * supports. `coverage`: the question's terms, rarer ones weighing more, found as stems in the quotes or in the titles
 * and headings above them, and at most `probability`. `overall`: their harmonic mean. All 0 without citations.
 */
export function confidenceOf(given: {
  readonly question: string;
  readonly answer: string;
  readonly citations: readonly Citation[];
  readonly termRarity?: TermRarity;
  /** The model's own estimate that it answers, 0…1. */
  readonly probability?: number;
}): Confidence {
  const { question, answer, citations, termRarity, probability = 1 } = given;
  const faithfulness = faithfulnessOf(answer, citations);
  const covered = Math.min(probability, coverage(weightedTerms(question, termRarity), hasTerms(citations)));
  const sum = faithfulness + covered;
  return { faithfulness, coverage: covered, overall: sum === 0 ? 0 : (2 * faithfulness * covered) / sum };
}
