// The figures of a tenant's documents that searches weigh by, and those of the tables that the planner needs.
import { refreshStatistics } from '../ingest/statistics.ts';
import type { DatabaseClient } from './database/pool.ts';

/**
 * Counts the tenant's documents anew where enough has changed, or with `force` in any case. The embedded server has no
 * autovacuum: without figures of its tables the planner reads all of a tenant's rows where it should look some up.
 */
export async function refreshFigures(database: DatabaseClient, tenantId: string, force = false): Promise<void> {
  const refreshed = await database.transaction((query) => refreshStatistics(query, tenantId, force));
  if (refreshed && database.embedded)
    await database.outsideTransaction('analyze chunks, chunk_embeddings, documents, term_statistics, acls');
}
