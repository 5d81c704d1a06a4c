import { countByWord, inverseDocumentFrequency, lookUpTerms } from './lexical-search.ts';
import type { VisibleTo } from './model.ts';
import type { Database, TermRarity } from './ports.ts';
import { questionTerms } from './question-terms.ts';

/**
 * How rare the terms of a question are among the tenant's chunks: what the answerer weighs them by. A term that no chunk
 * holds has 1. It tells of the whole tenant what the ranking's idf tells as well; no chunk is read.
 */
export async function readTermRarity(database: Database, visibleTo: VisibleTo, question: string): Promise<TermRarity> {
  const terms = questionTerms(question);
  const found = await database.read(visibleTo, (query) => lookUpTerms(query, visibleTo.tenantId, terms));
  const total = found[0]?.total ?? 0;
  if (total === 0) return new Map();
  const counts = countByWord(found);
  const highest = inverseDocumentFrequency(0, total);
  return new Map(
    [...terms.words, ...terms.identifiers].map((term, index) => [
      term,
      inverseDocumentFrequency(counts.get(index) ?? 0, total) / highest,
    ]),
  );
}
