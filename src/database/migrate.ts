import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VerbatimError } from '../../retrieval/errors.ts';
import type { Query } from '../../retrieval/ports.ts';
import { checkServer } from './check-server.ts';
import type { DatabaseClient } from './pool.ts';
import { ensureRoles } from './roles.ts';

/** The schema was written by a newer release than the one that runs. */
export class SchemaTooNewError extends VerbatimError {
  constructor(schemaVersion: number, codeVersion: number) {
    super(
      'schema_too_new',
      `the database has schema version ${schemaVersion}, this release knows ${codeVersion}; ` +
        'run the newer release, or restore the backup made before the upgrade',
    );
  }
}

/** A migration that was applied is not the one in the code: the schema is not what the code believes. */
export class MigrationChangedError extends VerbatimError {
  constructor(migration: string) {
    super(
      'migration_changed',
      `migration ${migration} is not the one that was applied to this database; ` +
        'restore the file as released and put the change into a new migration',
    );
  }
}

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  readonly sql: string;
}

const DIRECTORY = fileURLToPath(new URL('./migrations', import.meta.url));
const FILE_NAME = /^(\d{4})_[a-z0-9_-]+\.sql$/;
const LOCK_KEY = 5_726_115_382; // arbitrary; the same in every release, so that old and new ones exclude each other

/**
 * Brings the schema up to date. Each pending file of `directory` (`0001_name.sql`, …) is applied in a transaction of
 * its own together with its record, so a failure keeps what came before; several processes may do it at once.
 *
 * @returns the names applied by this call, and the version that the schema now has (0 without migrations).
 * @throws SchemaTooNewError, MigrationChangedError, and DatabaseUnavailableError when the server does not fit.
 */
export async function migrate(
  database: DatabaseClient,
  { directory = DIRECTORY }: { directory?: string } = {},
): Promise<{ applied: string[]; version: number }> {
  const migrations = await readMigrations(directory);
  await checkServer(database);
  await ensureRoles(database);
  const applied: string[] = [];
  for (;;) {
    const name = await database.owner((query) => applyNext(query, migrations));
    if (name === null) return { applied, version: migrations.at(-1)?.version ?? 0 };
    applied.push(name);
  }
}

/** The version of the schema, and the one that this release has. */
export async function schemaVersions(database: DatabaseClient): Promise<{ applied: number; known: number }> {
  const known = (await readMigrations(DIRECTORY)).at(-1)?.version ?? 0;
  const rows = await database.owner((query) =>
    query<{ version: number | null }>('select max(version) as version from verbatim_migrations'),
  );
  return { applied: rows[0]?.version ?? 0, known };
}

async function applyNext(query: Query, migrations: readonly Migration[]): Promise<string | null> {
  await query('select pg_advisory_xact_lock($1)', [LOCK_KEY]);
  await query(
    `create table if not exists verbatim_migrations (
      version int primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`,
  );
  const records = await query<{ version: number; name: string; checksum: string }>(
    'select version, name, checksum from verbatim_migrations order by version',
  );
  const schemaVersion = records.at(-1)?.version ?? 0;
  const codeVersion = migrations.at(-1)?.version ?? 0;
  if (schemaVersion > codeVersion) throw new SchemaTooNewError(schemaVersion, codeVersion);
  for (const record of records) {
    const migration = migrations[record.version - 1];
    if (migration?.checksum !== record.checksum) throw new MigrationChangedError(record.name);
  }
  const next = migrations[schemaVersion];
  if (next === undefined) return null;
  await query(next.sql);
  await query('insert into verbatim_migrations (version, name, checksum) values ($1, $2, $3)', [
    next.version,
    next.name,
    next.checksum,
  ]);
  return next.name;
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file, index) => {
      const version = Number(FILE_NAME.exec(file)?.[1]);
      if (version !== index + 1) {
        const expected = String(index + 1).padStart(4, '0');
        throw new TypeError(`migrations are numbered without gaps: expected ${expected}_name.sql, found ${file}`);
      }
      // A checkout with CRLF line ends is the same migration.
      const sql = (await readFile(join(directory, file), 'utf8')).replaceAll('\r\n', '\n');
      return { version, name: file, checksum: createHash('sha256').update(sql).digest('hex'), sql };
    }),
  );
}
