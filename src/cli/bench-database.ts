// The database of a benchmark: a new one that is gone afterwards, or one on a server that is kept, filled as it is.
import { createDatabase } from '../database/pool.ts';
import { StatementError } from '../database/statement-error.ts';
import { onOwnServerDatabase } from './own-database.ts';

const DUPLICATE_DATABASE = '42P04'; // PostgreSQL, Appendix A

/** Runs on a database of a server: a new one, or where `keep` names one that name's, made at its first use. */
export async function onBenchServerDatabase<T>(
  serverUrl: string,
  keep: string | null,
  run: (databaseUrl: string) => Promise<T>,
): Promise<T> {
  if (keep === null) return onOwnServerDatabase(serverUrl, 'bench', run);
  const server = createDatabase({ connectionString: serverUrl, poolSize: 1 });
  try {
    await server.outsideTransaction(`create database ${keep}`);
  } catch (error) {
    if (!(error instanceof StatementError) || error.sqlState !== DUPLICATE_DATABASE) throw error;
  } finally {
    await server.close();
  }
  const url = new URL(serverUrl);
  url.pathname = `/${keep}`;
  return run(url.href);
}

/** The name of a kept database: another size or other shares are another corpus. */
export function keptDatabaseName(chunks: number, shares: readonly number[]): string {
  return ['verbatim_bench', chunks, ...shares].join('_');
}

// The graph of 100,000 vectors needs 170 MB; beyond `maintenance_work_mem` a build slows down several times. Both processors
// of a small machine take part.
const BUILD_SETTINGS = '-c maintenance_work_mem=1GB -c max_parallel_maintenance_workers=2';

/** The same database with the settings of an administrator who builds large indexes. */
export function forIndexBuilds(databaseUrl: string): string {
  return withSettings(databaseUrl, BUILD_SETTINGS);
}

/** The same database with settings of its sessions, as `-c name=value …`. */
export function withSettings(databaseUrl: string, settings: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('options', settings);
  return url.href;
}
