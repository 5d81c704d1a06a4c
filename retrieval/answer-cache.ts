// Answers given again. An entry is good for whoever may read exactly the same, until anything changes that an answer
// depends on; all of that is in its key, so that nobody has to find the entries that a change makes wrong.
import { createHash } from 'node:crypto';
import type { Citation, Confidence, Refusal, VisibleTo } from './model.ts';
import type { Query } from './ports.ts';

/** Where an entry is kept, and how long it could hold. */
export interface CacheKey {
  readonly tenantId: string;
  readonly digest: string;
  readonly indexVersion: number;
  /** Timestamp of the next document that begins or ceases to be in effect; null = none will. */
  readonly validUntil: string | null;
}

/** What is given again; everything else of an answer is made anew. */
export interface CachedOutcome {
  /** `no_evidence` only: the others depend on who asks, or pass. */
  readonly refusal: Extract<Refusal, 'no_evidence'> | null;
  readonly text: string;
  readonly citations: readonly Citation[];
  readonly confidence: Confidence | null;
  readonly retrieved: number;
}

/** An entry with the answer that it was made of. */
export interface CachedAnswer extends CachedOutcome {
  readonly answerId: string;
}

// A day: long enough for the questions that a company asks on the morning of a change, short enough that what the key does
// not hold (a hosted model that its provider replaced under its name) passes by itself.
const MAX_AGE_HOURS = 24;
// An entry is a few kilobytes, so a tenant's are at most some megabytes; the oldest go first.
const MAX_ENTRIES = 2_000;

/**
 * The key of a question. `pipeline` names what answers: the code of the release, model, embedder, reranker. Read it before the
 * search: what the search sees is then never older than the key says.
 *
 * In the key are the index version (a document live, replaced, forgotten or quarantined, a layer, a level, a membership),
 * the statistics that term weights come from, and the sources that are past their promise, which nothing announces.
 */
export async function readCacheKey(
  query: Query,
  { question, visibleTo, pipeline }: { question: string; visibleTo: VisibleTo; pipeline: string },
): Promise<CacheKey | undefined> {
  const { tenantId, aclIds } = visibleTo;
  const rows = await query<{
    index_version: number;
    statistics: string | null;
    stale: string[];
    valid_until: string | null;
  }>(
    `select t.index_version, s.refreshed_at::text as statistics, stale_sources($1) as stale,
         (select min(boundary)::text from (
           select min(effective_from) as boundary from documents
             where tenant_id = $1 and effective_from > now() and state <> 'deleted'
           union all
           select min(effective_to) from documents
             where tenant_id = $1 and effective_to > now() and state <> 'deleted') as ahead) as valid_until
       from tenants t left join corpus_statistics s on s.tenant_id = t.tenant_id where t.tenant_id = $1`,
    [tenantId],
  );
  const state = rows[0];
  if (!state) return undefined;
  const parts = [normalise(question), aclIds, state.index_version, state.statistics, state.stale, pipeline];
  return {
    tenantId,
    digest: createHash('sha256').update(JSON.stringify(parts)).digest('hex'),
    indexVersion: state.index_version,
    validUntil: state.valid_until,
  };
}

// Only what no part of the product looks at: letters' case may belong to an identifier.
function normalise(question: string): string {
  return question.normalize('NFC').replace(/\s+/g, ' ').trim();
}

/** The entry of a key, unless it is too old or a document has begun or ceased to be in effect since. */
export async function findCachedAnswer(
  query: Query,
  { tenantId, digest }: CacheKey,
): Promise<CachedAnswer | undefined> {
  const rows = await query<{ answer_id: string; body: CachedOutcome }>(
    `select answer_id, body from answer_cache
       where tenant_id = $1 and cache_key = $2 and created_at > now() - $3 * interval '1 hour'
         and (valid_until is null or valid_until > now())`,
    [tenantId, digest, MAX_AGE_HOURS],
  );
  return rows[0] && { ...rows[0].body, answerId: rows[0].answer_id };
}

/**
 * Keeps an outcome, unless something has changed since its key was read. The tenant's row is locked against a change that
 * is on its way: forgetting counts the index version up before it removes entries, so none slips in behind it.
 */
export async function storeCachedAnswer(
  query: Query,
  { tenantId, digest, indexVersion, validUntil }: CacheKey,
  { answerId, ...outcome }: CachedAnswer,
): Promise<void> {
  const current = await query('select 1 as one from tenants where tenant_id = $1 and index_version = $2 for share', [
    tenantId,
    indexVersion,
  ]);
  if (current.length === 0) return;
  const documentIds = [...new Set(outcome.citations.map((citation) => citation.documentId))];
  await query(
    `insert into answer_cache (tenant_id, cache_key, index_version, answer_id, document_ids, body, valid_until)
       values ($1, $2, $3, $4, $5, $6::jsonb, $7::timestamptz)
       on conflict (tenant_id, cache_key) do update set answer_id = excluded.answer_id, body = excluded.body,
         document_ids = excluded.document_ids, created_at = now(), valid_until = excluded.valid_until`,
    [tenantId, digest, indexVersion, answerId, documentIds, JSON.stringify(outcome), validUntil],
  );
  await removeUnreachable(query, tenantId, indexVersion);
}

// What another index version or age makes unreachable would only keep text of documents that may be gone.
async function removeUnreachable(query: Query, tenantId: string, indexVersion: number): Promise<void> {
  await query(
    `delete from answer_cache where tenant_id = $1 and (index_version <> $2
       or created_at <= now() - $3 * interval '1 hour' or valid_until <= now()
       or cache_key in (select cache_key from answer_cache where tenant_id = $1
            order by created_at desc, cache_key offset $4))`,
    [tenantId, indexVersion, MAX_AGE_HOURS, MAX_ENTRIES],
  );
}

/**
 * Removes the entries that quote a document, in the caller's transaction and after it has counted the index version up.
 * @returns how many there were.
 */
export async function forgetCachedAnswers(query: Query, tenantId: string, documentId: string): Promise<number> {
  const rows = await query(
    'delete from answer_cache where tenant_id = $1 and document_ids @> array[$2::text] returning cache_key',
    [tenantId, documentId],
  );
  return rows.length;
}

/** Removes all tenants' entries that nothing can reach any more. */
export async function expireCachedAnswers(query: Query): Promise<void> {
  await query(
    `delete from answer_cache c where created_at <= now() - $1 * interval '1 hour' or valid_until <= now()
       or not exists (select 1 from tenants t where t.tenant_id = c.tenant_id and t.index_version = c.index_version)`,
    [MAX_AGE_HOURS],
  );
}
