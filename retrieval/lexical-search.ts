import { countByWord, inverseDocumentFrequency, lookUpTerms, type Term } from './look-up-terms.ts';
import type { VisibleTo } from './model.ts';
import type { Database, TermRarity } from './ports.ts';
import { questionTerms } from './question-terms.ts';
import { rarityOf } from './term-rarity.ts';

/** A chunk that a search found, best first; `score` is comparable within one search only. */
export interface Hit {
  readonly chunkId: string;
  readonly documentId: string;
  readonly score: number;
}

// Measured on 64k passages: candidates by the rarest terms that hold 75 % of the idf mass keep the true top 10 entirely,
// 90 % cost twice the time; in between the list stays whole further down. So the common terms of a large corpus, each in
// thousands of chunks on as many pages, make no candidates by themselves; in a small one they still do.
const CERTAIN_IDF_MASS = 0.75;
const CANDIDATE_IDF_MASS = 0.9;
// Chunks: 2 ms on a server. With 1,000 as with 2,000 and with all candidates nDCG@10 of the word search alone is the same to
// the fourth digit on handbook, product-docs, clapnq, scifact and chunking-eval, and 0.988 to 1.000 of the best 30 are there.
const CHEAP_CANDIDATES = 1_000;
const MAX_TERMS = 64; // a question of more than 64 different terms is a pasted text; the rarest say what it is about

/** What the question's words found, and how rare they are: looked up once, for the ranking and for the answerer. */
export interface LexicalResult {
  readonly hits: Hit[];
  readonly termRarity: TermRarity;
}

/**
 * BM25 over the visible chunks: inner product of the chunk's stored term weights with the question's inverse document
 * frequencies. Candidates come from the term index and the ACLs, before the limit.
 * @returns at most `limit` hits; `score` is the BM25 score, above 0.
 */
export async function lexicalSearch(
  database: Database,
  visibleTo: VisibleTo,
  question: string,
  { limit, timeoutMs }: { limit: number; timeoutMs: number },
): Promise<LexicalResult> {
  if (visibleTo.aclIds.length === 0) return { hits: [], termRarity: new Map() };
  return database.read(
    visibleTo,
    async (query) => {
      const asked = questionTerms(question);
      const found = await lookUpTerms(query, visibleTo.tenantId, asked);
      const termRarity = rarityOf(asked, found);
      const terms = weighTerms(found);
      if (terms.length === 0) return { hits: [], termRarity };
      const candidates = rarestTerms(terms)
        .map(({ lexeme }) => quoteLexeme(lexeme))
        .join(' | ');
      const weights = terms
        .toSorted((a, b) => a.index - b.index)
        .map(({ index, idf }) => `${index}:${idf.toFixed(4)}`)
        .join(',');
      const hits = await query<Hit>(
        `select chunk_id as "chunkId", document_id as "documentId", score
           from match_chunks($1, $2::text[], $3::int[], $5::tsquery, $4::sparsevec, $6)`,
        [visibleTo.tenantId, visibleTo.levels, visibleTo.aclIds, `{${weights}}/268435456`, candidates, limit],
      );
      return { hits, termRarity };
    },
    { timeoutMs },
  );
}

interface WeighedTerm {
  lexeme: string;
  index: number;
  idf: number;
  /** Chunks that hold it, as far as is known. */
  chunks: number;
}

// A term that the statistics do not know yet counts as seen once.
function weighTerms(terms: readonly Term[]): WeighedTerm[] {
  const counts = countByWord(terms);
  const byIndex = new Map<number, WeighedTerm>();
  for (const { lexeme, word, index, chunk_count, total } of terms) {
    const idf = inverseDocumentFrequency(counts.get(word) || 1, total ?? 1);
    if (idf > 0 && !byIndex.has(index)) byIndex.set(index, { lexeme, index, idf, chunks: chunk_count ?? 0 });
  }
  return [...byIndex.values()].sort((a, b) => b.idf - a.idf || a.index - b.index).slice(0, MAX_TERMS);
}

function rarestTerms(terms: readonly WeighedTerm[]): WeighedTerm[] {
  const mass = terms.reduce((sum, { idf }) => sum + idf, 0);
  let held = 0;
  let candidates = 0;
  return terms.filter(({ idf, chunks }) => {
    const cheap = candidates + chunks <= CHEAP_CANDIDATES;
    const wanted = held < (cheap ? CANDIDATE_IDF_MASS : CERTAIN_IDF_MASS) * mass;
    held += idf;
    candidates += chunks;
    return wanted;
  });
}

function quoteLexeme(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
