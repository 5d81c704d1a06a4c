import type { ReadTrace } from '../../adapters/api/ports.ts';
import type { Database } from '../../retrieval/ports.ts';
import type { TraceEntry } from '../../retrieval/search.ts';

/** Reads the trace of an answer from the database. */
export function createReadTrace({ database }: { readonly database: Database }): ReadTrace {
  return async (tenantId, answerId) => {
    const rows = await database.transaction((query) =>
      query<{ candidates: TraceEntry[] }>(
        'select candidates from answer_traces where tenant_id = $1 and answer_id = $2',
        [tenantId, answerId],
      ),
    );
    return rows[0]?.candidates ?? null;
  };
}
