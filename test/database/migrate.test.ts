import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DatabaseUnavailableError } from '../../retrieval/errors.ts';
import { APP_ROLE, READER_ROLE } from '../../src/database/connection.ts';
import { MigrationChangedError, migrate, SchemaTooNewError } from '../../src/database/migrate.ts';
import { createDatabase, type DatabaseClient } from '../../src/database/pool.ts';
import { administer, isEmbedded, type TestDatabase, testDatabase } from '../helpers/database.ts';

let testDb: TestDatabase;
let database: DatabaseClient;
let directory: string;

beforeAll(async () => {
  testDb = await testDatabase();
  database = testDb.database;
});

afterAll(() => testDb.close());

beforeEach(async () => {
  await database.owner((query) => query('drop table if exists verbatim_migrations, first, second, third'));
  directory = await mkdtemp(join(tmpdir(), 'verbatim-migrations-'));
  await file('0001_first.sql', 'create table first (id int);\ninsert into first values (1);\n');
  await file('0002_second.sql', 'create table second (id int);\n');
  return () => rm(directory, { recursive: true, force: true });
});

const file = (name: string, sql: string) => writeFile(join(directory, name), sql);
const tables = async () => {
  const rows = await database.owner((query) =>
    query<{ name: string }>(
      `select tablename as name from pg_tables where tablename in ('first', 'second', 'third') order by name`,
    ),
  );
  return rows.map(({ name }) => name);
};

describe('migrate', () => {
  test('applies the files in order, once', async () => {
    expect(await migrate(database, { directory })).toEqual({
      applied: ['0001_first.sql', '0002_second.sql'],
      version: 2,
    });
    expect(await migrate(database, { directory })).toEqual({ applied: [], version: 2 });

    await file('0003_third.sql', 'create table third (id int)');

    expect(await migrate(database, { directory })).toEqual({ applied: ['0003_third.sql'], version: 3 });
    expect(await tables()).toEqual(['first', 'second', 'third']);
  });

  test('applies each file once when several processes start at the same time', async () => {
    const starting = Array.from({ length: 5 }, () => createDatabase(testDb.options));

    const results = await Promise.all(starting.map((client) => migrate(client, { directory })));
    await Promise.all(starting.map((client) => client.close()));

    expect(results.flatMap(({ applied }) => applied).sort()).toEqual(['0001_first.sql', '0002_second.sql']);
    expect(results.map(({ version }) => version)).toEqual([2, 2, 2, 2, 2]);
    expect(await database.owner((query) => query('select id from first'))).toEqual([{ id: 1 }]);
  });

  test('keeps what came before a file that fails, nothing of that file, and goes on when it is corrected', async () => {
    await file('0002_second.sql', 'create table second (id int); select 1/0;');
    await expect(migrate(database, { directory })).rejects.toMatchObject({ sqlState: '22012' });
    expect(await tables()).toEqual(['first']);

    await file('0002_second.sql', 'create table second (id int);');

    expect(await migrate(database, { directory })).toEqual({ applied: ['0002_second.sql'], version: 2 });
  });

  test('refuses a schema that is newer than the code, and says what to do', async () => {
    await file('0003_third.sql', 'create table third (id int)');
    await migrate(database, { directory });
    await rm(join(directory, '0003_third.sql'));

    const older = migrate(database, { directory });

    await expect(older).rejects.toThrow(SchemaTooNewError);
    await expect(older).rejects.toThrow(/schema version 3, this release knows 2; run the newer release/);
  });

  test('refuses a file that changed after it was applied', async () => {
    await migrate(database, { directory });
    await file('0001_first.sql', 'create table first (id bigint);');

    const changed = migrate(database, { directory });

    await expect(changed).rejects.toThrow(MigrationChangedError);
    await expect(changed).rejects.toThrow(/0001_first.sql .*new migration/);
  });

  test('does not take other line ends for a change', async () => {
    await migrate(database, { directory });
    await file('0001_first.sql', 'create table first (id int);\r\ninsert into first values (1);\r\n');

    expect(await migrate(database, { directory })).toEqual({ applied: [], version: 2 });
  });

  test.each([
    ['a gap', '0004_later.sql'],
    ['a number twice', '0002_another.sql'],
    ['no number', 'later.sql'],
  ])('refuses %s in the numbers of the files', async (_what, name) => {
    await file(name, 'select 1');

    await expect(migrate(database, { directory })).rejects.toThrow(/numbered without gaps/);
    expect(await tables()).toEqual([]);
  });

  test('leaves two roles that nobody can log in as, and that the user may take on', async () => {
    await migrate(database, { directory });

    const rows = await database.owner((query) =>
      query(
        `select rolname as role, rolcanlogin or rolsuper or rolbypassrls as powerful, pg_has_role(oid, 'MEMBER') as usable
        from pg_roles where rolname = any($1) order by rolname`,
        [[READER_ROLE, APP_ROLE]],
      ),
    );
    expect(rows).toEqual([
      { role: APP_ROLE, powerful: false, usable: true },
      { role: READER_ROLE, powerful: false, usable: true },
    ]);
  });
});

describe.skipIf(isEmbedded())('on a managed server (skipped on the embedded database, which has one user)', () => {
  const url = () => new URL(testDb.options.connectionString ?? '');
  const name = `verbatim_limited_${process.pid}`;
  let limited: DatabaseClient;

  beforeAll(async () => {
    await administer(url().href, [
      `create role ${name} login password 'limited'`,
      `grant create on schema public to ${name}`,
      'drop table if exists verbatim_migrations',
    ]);
    const limitedUrl = url();
    limitedUrl.username = name;
    limitedUrl.password = 'limited';
    limited = createDatabase({ connectionString: limitedUrl.href });
  });

  afterAll(async () => {
    await limited.close();
    await administer(url().href, [`drop owned by ${name}`, `drop role ${name}`]);
  });

  test('a user without rights on the roles is told what an administrator must run, and then it works', async () => {
    const refused = migrate(limited, { directory });
    await expect(refused).rejects.toThrow(DatabaseUnavailableError);
    await expect(refused).rejects.toThrow(
      new RegExp(`grant ${READER_ROLE} to ${name};.*grant ${APP_ROLE} to ${name};`),
    );

    await administer(url().href, [`grant ${READER_ROLE} to ${name}`, `grant ${APP_ROLE} to ${name}`]);

    expect(await migrate(limited, { directory })).toMatchObject({ version: 2 });
    expect(await limited.transaction((query) => query('select current_user as role'))).toEqual([{ role: APP_ROLE }]);
  });
});
