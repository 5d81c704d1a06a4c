// A migrated database for a test file: embedded, or on the server that TEST_DATABASE_URL names.
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { Client } from 'pg';
import { openEmbedded } from '../../src/database/embedded.ts';
import { createDatabase, type DatabaseClient, type DatabaseOptions } from '../../src/database/pool.ts';
import { migratedDataDir, prepareSchema, schemaHash } from './embedded-template.ts';

/** A database of one test file. */
export interface TestDatabase {
  readonly database: DatabaseClient;
  /** For further `createDatabase` calls on the same database; close what they give before `close`. */
  readonly options: Pick<DatabaseOptions, 'connection' | 'connectionString'>;
  /** Empties all tables and the queue; the schema stays. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

/** Whether the tests run on the embedded database rather than on the server of TEST_DATABASE_URL. */
export function isEmbedded(): boolean {
  return (process.env.TEST_DATABASE_URL ?? '') === '';
}

/** Opens a database of its own with the current schema: one a test file, in `beforeAll`. */
export async function testDatabase(): Promise<TestDatabase> {
  return isEmbedded() ? await embeddedTestDatabase() : await serverTestDatabase(process.env.TEST_DATABASE_URL ?? '');
}

async function embeddedTestDatabase(): Promise<TestDatabase> {
  const dataDir = await migratedDataDir();
  const server = await openEmbedded({ dataDir });
  const options = { connection: server.connection };
  const database = createDatabase(options);
  return {
    database,
    options,
    reset: () => emptyTables(database),
    async close() {
      await database.close();
      await server.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function serverTestDatabase(url: string): Promise<TestDatabase> {
  const template = await serverTemplate(url);
  const name = `verbatim_test_${randomBytes(8).toString('hex')}`;
  await administer(url, [`create database ${name} template ${template}`]);
  const options = { connectionString: withDatabase(url, name) };
  const database = createDatabase(options);
  return {
    database,
    options,
    reset: () => emptyTables(database),
    async close() {
      await database.close();
      await administer(url, [`drop database ${name} with (force)`]);
    },
  };
}

const TEMPLATE_LOCK_KEY = 4_811_927_305; // arbitrary; holds off other test files while one makes the template

// Created under another name and renamed, so that a template with its final name is complete.
async function serverTemplate(url: string): Promise<string> {
  const name = `verbatim_template_${await schemaHash()}`;
  await withClient(url, async (client) => {
    await client.query(`select pg_advisory_lock(${TEMPLATE_LOCK_KEY})`);
    const found = await client.query('select from pg_database where datname = $1', [name]);
    if (found.rowCount !== 0) return;
    const unfinished = `${name}_new`;
    await client.query(`drop database if exists ${unfinished} with (force)`);
    await client.query(`create database ${unfinished}`);
    await prepareSchema({ connectionString: withDatabase(url, unfinished) });
    await client.query(`alter database ${unfinished} rename to ${name}`);
  });
  return name;
}

/** Runs statements on the server of TEST_DATABASE_URL as its own user, outside a transaction. */
export async function administer(url: string, statements: readonly string[]): Promise<void> {
  await withClient(url, async (client) => {
    for (const statement of statements) await client.query(statement);
  });
}

async function withClient(url: string, run: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await run(client);
  } finally {
    await client.end();
  }
}

function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

// Truncating every table took 1 to 3 s, because each of their indexes gets a new file. So only tables that have rows are
// emptied, and truncated only where no foreign key forbids it: a vector index would keep finding deleted rows.
async function emptyTables(database: DatabaseClient): Promise<void> {
  await database.owner((query) =>
    query(`
      set local session_replication_role = replica;
      do $$
      declare
        item record;
        used boolean;
      begin
        for item in
          select c.oid::regclass as name, exists (select from pg_constraint where confrelid = c.oid) as referenced
          from pg_class c
          where c.relkind = 'r' and c.relname <> 'verbatim_migrations'
            and (c.relnamespace = 'public'::regnamespace
              or c.oid in (select inhrelid from pg_inherits where inhparent = 'pgboss.job'::regclass))
        loop
          execute format('select exists (select from %s)', item.name) into used;
          continue when not used;
          execute format(case when item.referenced then 'delete from %s' else 'truncate %s' end, item.name);
        end loop;
        for item in select format('%I.%I', schemaname, sequencename) as name from pg_sequences
          where schemaname = 'public' and last_value is not null
        loop
          execute format('alter sequence %s restart', item.name);
        end loop;
      end $$`),
  );
}
