import type { Database } from '../../retrieval/ports.ts';
import { createDemoMode } from '../../src/service/demo-mode.ts';

/** Whether the demo is on for a tenant with one person of each directory. */
export async function demoModeOf(
  database: Database,
  {
    people,
    host,
    databaseUrl,
  }: { readonly people: readonly string[]; readonly host: string; readonly databaseUrl: string | null },
): Promise<boolean> {
  const tenantId = 'demo-mode';
  await database.transaction(async (query) => {
    await query('delete from people where tenant_id = $1', [tenantId]);
    for (const [index, directory] of people.entries()) {
      await query('insert into people (tenant_id, email, directory) values ($1, $2, $3)', [
        tenantId,
        `p${index}@x.example`,
        directory,
      ]);
    }
  });
  const mode = createDemoMode(database, { tenantId, host, databaseUrl });
  await mode.refresh();
  mode.stop();
  return mode.isOn();
}
