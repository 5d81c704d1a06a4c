import type { MayIngest } from '../../adapters/api/ports.ts';
import type { Principal } from '../../retrieval/model.ts';
import type { Database } from '../../retrieval/ports.ts';

/** Admins, and active people who hold one of the principals `editors`, may add documents. */
export function createMayIngest({
  database,
  editors,
}: {
  readonly database: Database;
  readonly editors: readonly Principal[];
}): MayIngest {
  return async ({ tenantId, email, role, active }) => {
    if (!active) return false;
    if (role === 'admin') return true;
    if (editors.length === 0) return false;
    const rows = await database.transaction((query) =>
      query<{ may: boolean }>(
        `select held_principals($1, jsonb_build_object('person', $2::text)) && $3::text[] as may`,
        [tenantId, email, editors],
      ),
    );
    return rows[0]?.may === true;
  };
}
