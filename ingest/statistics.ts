import type { Query } from '../retrieval/ports.ts';

// Below this many chunks a refresh takes milliseconds and every change matters; above it, a tenth more or less text
// moves an idf by about 0.1, which no ranking notices.
const ALWAYS_REFRESH_CHUNKS = 5_000;
const STALE_SHARE = 0.1;

/** Counts terms, chunks of each ACL and languages again if they changed enough. Returns whether it did. */
export async function refreshStatistics(query: Query, tenantId: string, force = false): Promise<boolean> {
  const rows = await query<{ counted: number | null; now: number; changed: boolean }>(
    `select s.chunk_count as counted, coalesce(s.index_version, -1) <> t.index_version as changed,
         (select count(*)::int from chunks c where c.tenant_id = $1) as now
       from tenants t left join corpus_statistics s on s.tenant_id = t.tenant_id where t.tenant_id = $1 for update of t`,
    [tenantId],
  );
  const state = rows[0];
  if (!state || (!force && !isStale(state))) return false;
  await countTerms(query, tenantId);
  await query('delete from acl_statistics where tenant_id = $1', [tenantId]);
  await query(
    `insert into acl_statistics (tenant_id, acl_id, chunk_count)
       select tenant_id, acl_id, count(*)::int from chunks where tenant_id = $1 group by tenant_id, acl_id`,
    [tenantId],
  );
  await query(
    `insert into corpus_statistics (tenant_id, chunk_count, languages, index_version)
       select $1, $2, coalesce((select array_agg(distinct language order by language) from documents
           where tenant_id = $1 and state = 'live'), '{english}'), index_version
         from tenants where tenant_id = $1
       on conflict (tenant_id) do update set chunk_count = excluded.chunk_count, languages = excluded.languages,
         index_version = excluded.index_version, refreshed_at = now()`,
    [tenantId, state.now],
  );
  return true;
}

function isStale({ counted, now, changed }: { counted: number | null; now: number; changed: boolean }): boolean {
  if (counted === null) return true;
  if (!changed) return false;
  return now < ALWAYS_REFRESH_CHUNKS || Math.abs(now - counted) > STALE_SHARE * counted;
}

// ts_stat counts in C: 64k chunks in about a second, where an aggregate over unnested vectors takes ten.
async function countTerms(query: Query, tenantId: string): Promise<void> {
  await query('delete from term_statistics where tenant_id = $1', [tenantId]);
  await query(
    `insert into term_statistics (tenant_id, lexeme, chunk_count)
       select $1, word, ndoc from ts_stat(format('select tsv from chunks where tenant_id = %L', $1::text))
         where octet_length(word) <= 1000`,
    [tenantId],
  );
}

/**
 * Takes a document's words out of the statistics, so that no word of a forgotten document stays behind. Counted since the
 * last refresh or not, a count never stays too high; the next refresh makes it exact.
 */
export async function subtractTerms(query: Query, tenantId: string, documentId: string): Promise<void> {
  await query(
    `update term_statistics t set chunk_count = t.chunk_count - s.ndoc
       from ts_stat(format('select tsv from chunks where tenant_id = %L and document_id = %L', $1::text, $2::text)) s
       where t.tenant_id = $1 and t.lexeme = s.word`,
    [tenantId, documentId],
  );
  await query('delete from term_statistics where tenant_id = $1 and chunk_count <= 0', [tenantId]);
}
