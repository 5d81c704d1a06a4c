import { withDeadline } from '../../retrieval/deadline.ts';
import { schemaVersions } from '../database/migrate.ts';
import type { DatabaseClient } from '../database/pool.ts';

/** What must hold for questions to be answered: `ok`, or what is wrong. */
export type Checks = Readonly<Record<'database' | 'migrations' | 'workers', string>>;

const TIMEOUT_MS = 3_000; // a balancer asks every few seconds

/** Makes the check that `/ready` gives. Nothing of the server's own words gets out. */
export function createReadiness(parts: {
  readonly database: DatabaseClient;
  readonly workersRunning: () => boolean;
}): () => Promise<Checks> {
  return async () => {
    const workers = parts.workersRunning() ? 'ok' : 'not running';
    try {
      const { applied, known } = await withDeadline({ timeoutMs: TIMEOUT_MS, late: () => new Error('late') }, () =>
        schemaVersions(parts.database),
      );
      const migrations = applied === known ? 'ok' : `version ${applied} of the database, ${known} of this release`;
      return { database: 'ok', migrations, workers };
    } catch {
      return { database: 'not reachable', migrations: 'unknown', workers };
    }
  };
}
