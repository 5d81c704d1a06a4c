import { DatabaseUnavailableError } from '../../retrieval/errors.ts';
import type { DatabaseClient } from './pool.ts';

const MIN_SERVER_VERSION = 150_000; // `security_invoker` views and `grant` on parameters came with PostgreSQL 15
const MIN_VECTOR_VERSION = [0, 7] as const; // `sparsevec` and `halfvec` came with pgvector 0.7

/**
 * Refuses a server that cannot hold the schema.
 * @throws DatabaseUnavailableError below PostgreSQL 15 or pgvector 0.7, or where an administrator must install it; with the
 * statement that helps.
 */
export async function checkServer(database: DatabaseClient): Promise<void> {
  const [server] = await database.owner((query) =>
    query<{ version: number; name: string; available: string | null; installed: string | null; mayInstall: boolean }>(
      `select current_setting('server_version_num')::int as version, current_setting('server_version') as name,
        (select default_version from pg_available_extensions where name = 'vector') as available,
        (select extversion from pg_extension where extname = 'vector') as installed,
        (select rolsuper from pg_roles where rolname = current_user)
          or (has_database_privilege(current_database(), 'create')
            and (select bool_or(trusted) from pg_available_extension_versions where name = 'vector')) as "mayInstall"`,
    ),
  );
  if (server === undefined) throw new TypeError('the version query gave no row');
  if (server.version < MIN_SERVER_VERSION) {
    throw new DatabaseUnavailableError(`PostgreSQL 15 or later is needed; the server is ${server.name}`);
  }
  const vector = server.installed ?? server.available;
  if (vector === null) {
    throw new DatabaseUnavailableError(
      'the extension pgvector is needed on the server; install its package (Debian: postgresql-17-pgvector)',
    );
  }
  if (server.installed === null && !server.mayInstall) {
    throw new DatabaseUnavailableError(
      'the extension pgvector is not installed in this database, and this user may not install it; ' +
        'an administrator runs there once: create extension vector',
    );
  }
  if (!isAtLeast(vector, MIN_VECTOR_VERSION)) {
    throw new DatabaseUnavailableError(
      `pgvector 0.7 or later is needed; the server has ${vector}. Upgrade its package, then run: alter extension vector update`,
    );
  }
}

function isAtLeast(version: string, [minMajor, minMinor]: readonly [number, number]): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > minMajor || (major === minMajor && minor >= minMinor);
}
