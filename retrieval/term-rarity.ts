import { countByWord, inverseDocumentFrequency, lookUpTerms, type Term } from './look-up-terms.ts';
import type { VisibleTo } from './model.ts';
import type { Database, TermRarity } from './ports.ts';
import { type QuestionTerms, questionTerms } from './question-terms.ts';

/**
 * How rare the terms of a question are among the tenant's chunks: what the answerer weighs them by. A term that no chunk
 * holds has 1. It tells of the whole tenant what the ranking's idf tells as well; no chunk is read. For when the lexical
 * search, which gives the same, did not.
 */
export async function readTermRarity(database: Database, visibleTo: VisibleTo, question: string): Promise<TermRarity> {
  const terms = questionTerms(question);
  return rarityOf(terms, await database.read(visibleTo, (query) => lookUpTerms(query, visibleTo.tenantId, terms)));
}

/** The same from what was looked up already. */
export function rarityOf({ words, identifiers }: QuestionTerms, found: readonly Term[]): TermRarity {
  const total = found[0]?.total ?? 0;
  if (total === 0) return new Map();
  const counts = countByWord(found);
  const highest = inverseDocumentFrequency(0, total);
  return new Map(
    [...words, ...identifiers].map((term, index) => [
      term,
      inverseDocumentFrequency(counts.get(index) ?? 0, total) / highest,
    ]),
  );
}
