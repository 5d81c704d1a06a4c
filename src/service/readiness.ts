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
      const { applied, known } = await inTime(schemaVersions(parts.database));
      const migrations = applied === known ? 'ok' : `version ${applied} of the database, ${known} of this release`;
      return { database: 'ok', migrations, workers };
    } catch {
      return { database: 'not reachable', migrations: 'unknown', workers };
    }
  };
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('late')), TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
