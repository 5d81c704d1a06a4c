import { formsOf } from './irregular-forms.ts';
import type { VisibleTo } from './model.ts';
import type { Database, Query } from './ports.ts';
import { type QuestionTerms, questionTerms } from './question-terms.ts';

/** A chunk that a search found, best first; `score` is comparable within one search only. */
export interface Hit {
  readonly chunkId: string;
  readonly documentId: string;
  readonly score: number;
}

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

// Measured on 64k passages: candidates by the rarest terms that hold 75 % of the idf mass keep the true top 10 entirely,
// 90 % cost twice the time; in between the list stays whole further down.
const CANDIDATE_IDF_MASS = 0.9;
const MAX_TERMS = 64; // a question of more than 64 different terms is a pasted text; the rarest say what it is about

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
): Promise<Hit[]> {
  if (visibleTo.aclIds.length === 0) return [];
  return database.read(
    visibleTo,
    async (query) => {
      const terms = weighTerms(await lookUpTerms(query, visibleTo.tenantId, questionTerms(question)));
      if (terms.length === 0) return [];
      const candidates = rarestTerms(terms)
        .map(({ lexeme }) => quoteLexeme(lexeme))
        .join(' | ');
      const weights = terms
        .toSorted((a, b) => a.index - b.index)
        .map(({ index, idf }) => `${index}:${idf.toFixed(4)}`)
        .join(',');
      return query<Hit>(
        `select chunk_id as "chunkId", document_id as "documentId", score
           from match_chunks($1, $2::text[], $3::int[], $5::tsquery, $4::sparsevec, $6)`,
        [visibleTo.tenantId, visibleTo.levels, visibleTo.aclIds, `{${weights}}/268435456`, candidates, limit],
      );
    },
    { timeoutMs },
  );
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
    `with languages as (
       select unnest(coalesce((select languages from corpus_statistics where tenant_id = $1), '{english}')) as language
     ), lexemes as (
       select u.lexeme, min(f.word) as word
         from unnest($2::text[], $3::int[]) as f(form, word), languages, unnest(to_tsvector(language::regconfig, f.form)) u
         group by u.lexeme
       union
       select i.identifier, $5::int + i.number::int from unnest($4::text[]) with ordinality as i(identifier, number)
     ) select l.lexeme, l.word, term_index(l.lexeme) as index, t.chunk_count,
           (select chunk_count from corpus_statistics where tenant_id = $1) as total
         from lexemes l left join term_statistics t on t.tenant_id = $1 and t.lexeme = l.lexeme`,
    [tenantId, forms.map(({ form }) => form), forms.map(({ index }) => index), identifiers, words.length],
  );
}

interface WeighedTerm {
  lexeme: string;
  index: number;
  idf: number;
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

// A term that the statistics do not know yet counts as seen once.
function weighTerms(terms: readonly Term[]): WeighedTerm[] {
  const counts = countByWord(terms);
  const byIndex = new Map<number, WeighedTerm>();
  for (const { lexeme, word, index, total } of terms) {
    const idf = inverseDocumentFrequency(counts.get(word) || 1, total ?? 1);
    if (idf > 0 && !byIndex.has(index)) byIndex.set(index, { lexeme, index, idf });
  }
  return [...byIndex.values()].sort((a, b) => b.idf - a.idf || a.index - b.index).slice(0, MAX_TERMS);
}

function rarestTerms(terms: readonly WeighedTerm[]): WeighedTerm[] {
  const mass = terms.reduce((sum, { idf }) => sum + idf, 0);
  let held = 0;
  return terms.filter(({ idf }) => {
    const wanted = held < CANDIDATE_IDF_MASS * mass;
    held += idf;
    return wanted;
  });
}

function quoteLexeme(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
