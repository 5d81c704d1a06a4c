// What the tenant's statistics know of a question's terms.
import { formsOf } from './irregular-forms.ts';
import type { Query } from './ports.ts';
import type { QuestionTerms } from './question-terms.ts';

/** A lexeme of the question with what the statistics know of it. */
export interface Term {
  lexeme: string;
  /** Lexemes of one word of the question, which count as one term: `lose` and `lost`. */
  word: number;
  index: number;
  /** Chunks that hold it; null when the statistics do not know it. */
  chunk_count: number | null;
  /** Chunks of the tenant; null before the first refresh. */
  total: number | null;
}

/**
 * Lexemes of all forms of each word by every text search configuration that the tenant's documents have; identifiers as they
 * are. `word` is the place in the list of words, identifiers behind them.
 */
export async function lookUpTerms(
  query: Query,
  tenantId: string,
  { words, identifiers }: QuestionTerms,
): Promise<Term[]> {
  const forms = words.flatMap((word, index) => formsOf(word).map((form) => ({ form, index })));
  return query<Term>(
    'select lexeme, word, index, chunk_count, total from look_up_terms($1, $2::text[], $3::int[], $4::text[], $5)',
    [tenantId, forms.map(({ form }) => form), forms.map(({ index }) => index), identifiers, words.length],
  );
}

/** The idf of Lucene's BM25, never negative. */
export function inverseDocumentFrequency(seen: number, total: number): number {
  return Math.log(1 + (Math.max(total, seen) - seen + 0.5) / (seen + 0.5));
}

/** How many chunks have each word in any form (those with two forms count twice); a rare form is not rarer than its word. */
export function countByWord(terms: readonly Term[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { word, chunk_count } of terms) counts.set(word, (counts.get(word) ?? 0) + (chunk_count ?? 0));
  return counts;
}
