// Whether quotes have to do with a question: a model may quote what is in the documents and answers something else.
import type { Chunk, Citation } from './model.ts';
import type { TermRarity } from './ports.ts';
import { coverage, headedTermsOf, weightedTerms } from './sentence-score-terms.ts';

// Of gold sentences put to their own questions 5.2 % (clapnq, the first of each answer alone) and 1.2 % (chunking-eval) are
// below, of those put to another question 95 % and 80 %.
const LEAST_SHARE = 0.05;

/**
 * Whether the quotes, or the titles and headings above them, hold of the question's terms, rarer ones weighing more, at least
 * a twentieth of those that the context holds. What the context holds nowhere counts for nothing: a question in another
 * language than the documents', or in other words, is for the model alone to understand.
 */
export function areRelated(
  asked: { readonly question: string; readonly context: readonly Chunk[]; readonly termRarity: TermRarity },
  citations: readonly Citation[],
): boolean {
  const terms = weightedTerms(asked.question, asked.termRarity);
  const has = hasTerms(citations);
  // Then they have at least as much of those that the context holds.
  if (coverage(terms, has) >= LEAST_SHARE) return true;
  const inContext = new Set(asked.context.flatMap((chunk) => [...headedTermsOf(chunk, chunk.text)]));
  const reachable = new Map([...terms].filter(([term]) => inContext.has(term)));
  return reachable.size === 0 || coverage(reachable, has) >= LEAST_SHARE;
}

/** Whether a term stands in the quotes or in the titles and headings above them. */
export function hasTerms(citations: readonly Citation[]): (term: string) => boolean {
  const found = new Set(citations.flatMap((citation) => [...headedTermsOf(citation, citation.quote)]));
  return (term) => found.has(term);
}
