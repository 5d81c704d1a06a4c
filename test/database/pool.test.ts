import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { DatabaseTimeoutError, DatabaseUnavailableError, VerbatimError } from '../../retrieval/errors.ts';
import type { VisibleTo } from '../../retrieval/model.ts';
import type { Query } from '../../retrieval/ports.ts';
import { APP_ROLE, READER_ROLE } from '../../src/database/connection.ts';
import { createDatabase, type DatabaseClient } from '../../src/database/pool.ts';
import { StatementError } from '../../src/database/statement-error.ts';
import { isEmbedded, type TestDatabase, testDatabase } from '../helpers/database.ts';

let testDb: TestDatabase;
let database: DatabaseClient;

beforeAll(async () => {
  testDb = await testDatabase();
  database = testDb.database;
  await database.owner((query) =>
    query(`
      create table note (tenant_id text not null, id text not null, acl_id int not null, primary key (tenant_id, id));
      alter table note enable row level security;
      create policy visible on note for select to ${READER_ROLE} using (
        tenant_id = current_setting('verbatim.tenant_id', true)
        and acl_id = any (current_setting('verbatim.visible_acl_ids', true)::int[]));
      create policy application on note to ${APP_ROLE} using (true) with check (true);
      grant select on note to ${READER_ROLE};
      grant select, insert, update, delete on note to ${APP_ROLE}`),
  );
});

afterAll(() => testDb.close());

beforeEach(async () => {
  await testDb.reset();
  await database.transaction((query) =>
    query(`insert into note values ('a', 'a1', 1), ('a', 'a2', 2), ('a', 'a3', 3), ('b', 'b1', 1)`),
  );
});

const scope = (tenantId: string, ...aclIds: number[]): VisibleTo => ({ tenantId, aclIds, levels: ['internal'] });
const ids = async (query: Query) =>
  (await query<{ id: string }>('select id from note order by id')).map(({ id }) => id);
const countNotes = () => database.owner(ids).then((found) => found.length);

describe('read', () => {
  test.each([
    ['the rows of the visible ACLs', scope('a', 1, 3), ['a1', 'a3']],
    ['no row of an ACL that is not visible', scope('a', 4), []],
    ['no row of another tenant with the same ACL', scope('b', 1, 2), ['b1']],
    ['nothing without a visible ACL', scope('a'), []],
    ['nothing of a tenant that does not exist', scope('', 1, 2, 3), []],
  ])('sees %s', async (_what, visibleTo, expected) => {
    expect(await database.read(visibleTo, ids)).toEqual(expected);
  });

  test.each([
    `insert into note values ('a', 'a9', 1)`,
    `update note set acl_id = 1`,
    'delete from note',
    'create table public.other ()',
    `with gone as (delete from note returning id) select id from gone`,
    `set local transaction read write; delete from note`,
  ])('cannot run: %s', async (sql) => {
    await expect(database.read(scope('a', 1, 2, 3), (query) => query(sql))).rejects.toThrow(StatementError);
    expect(await countNotes()).toBe(4);
  });

  test('gives each of 40 concurrent callers its own rows', async () => {
    const found = await Promise.all(Array.from({ length: 40 }, (_, i) => database.read(scope('a', (i % 3) + 1), ids)));

    expect(found).toEqual(Array.from({ length: 40 }, (_, i) => [`a${(i % 3) + 1}`]));
  });

  // A server gets the first statement together with `begin`; one that cannot begin runs it without role and settings.
  test.skipIf(isEmbedded())('gives nothing when it cannot begin', async () => {
    const seen: unknown[] = [];
    const read = database.read(scope('a\0', 1, 2, 3), async (query) => seen.push(await ids(query)));
    await expect(read).rejects.toThrow(DatabaseUnavailableError);
    expect(seen).toEqual([]);
    expect(await database.read(scope('a', 1), ids)).toEqual(['a1']);
  });

  test('sees one state of the database in all its statements', async () => {
    const rows = await database.read(scope('a', 1), (query) =>
      query(`select current_setting('transaction_isolation') as isolation`),
    );

    expect(rows).toEqual([{ isolation: 'repeatable read' }]);
  });
});

describe('roles and settings of a transaction', () => {
  const state = (query: Query) =>
    query(`select current_user = session_user as own_user, current_setting('transaction_read_only') as read_only,
      coalesce(current_setting('verbatim.tenant_id', true), '') as tenant,
      coalesce(current_setting('verbatim.visible_acl_ids', true), '') as visible`);
  const clean = [{ own_user: true, read_only: 'off', tenant: '', visible: '' }];

  test.each<[string, () => Promise<unknown>]>([
    ['a read', () => database.read(scope('a', 1), ids)],
    ['a read that failed', () => database.read(scope('a', 1), (query) => query('select 1/0')).catch(() => undefined)],
    [
      'a read that timed out',
      () => database.read(scope('a', 1), () => new Promise(() => {}), { timeoutMs: 50 }).catch(() => undefined),
    ],
    ['a write', () => database.transaction(ids)],
    ['a look', () => database.transaction(ids, { readOnly: true })],
  ])('do not leak from %s to the next one, nor to another connection', async (_what, leave) => {
    const other = createDatabase(testDb.options);
    await leave();

    expect(await database.owner(state)).toEqual(clean);
    expect(await other.owner(state)).toEqual(clean);
    await other.close();
  });

  test('are those of the application in a write', async () => {
    expect(await database.transaction((query) => query('select current_user as role'))).toEqual([{ role: APP_ROLE }]);
    await expect(database.transaction((query) => query('create table public.other ()'))).rejects.toThrow(
      StatementError,
    );
  });
});

describe('a transaction', () => {
  const insert = (query: Query, id: string) => query('insert into note values ($1, $2, 1)', ['a', id]);

  test('saves all its statements, in the order of the calls', async () => {
    await database.transaction((query) =>
      Promise.all([insert(query, 'a8'), query(`update note set acl_id = 9 where id = 'a8'`), insert(query, 'a9')]),
    );

    expect(await database.read(scope('a', 9), ids)).toEqual(['a8']);
    expect(await countNotes()).toBe(6);
  });

  test.each<[string, (query: Query) => Promise<unknown>, new (...args: never[]) => Error]>([
    ['a statement fails', (query) => query('select 1/0'), StatementError],
    ['its code throws', () => Promise.reject(new RangeError('no')), RangeError],
    ['a failed statement is swallowed', (query) => query('select 1/0').catch(() => []), StatementError],
    ['a statement fails that nobody awaits', async (query) => void query('select 1/0').catch(() => []), StatementError],
  ])('leaves nothing when %s', async (_when, fail, errorClass) => {
    const transaction = database.transaction(async (query) => {
      await insert(query, 'a9');
      await fail(query);
    });

    await expect(transaction).rejects.toThrow(errorClass);
    expect(await countNotes()).toBe(4);
  });

  test('reports the violated constraint, and no value of a row', async () => {
    const error = await database.transaction((query) => insert(query, 'a1')).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(StatementError);
    expect(error).toMatchObject({ sqlState: '23505', constraint: 'note_pkey' });
    expect(JSON.stringify({ ...(error as object), message: (error as Error).message })).not.toContain('a1');
  });

  test('does not quote a value that does not fit', async () => {
    await expect(database.transaction((query) => query('select $1::int', ['salary 90000']))).rejects.toThrow(
      /\(22P02\): a value does not fit its type$/,
    );
  });

  test('leaves an error of its own code as it is, even when it looks like a lost connection', async () => {
    const missingFile = Object.assign(new Error('no such file'), { code: 'ENOENT' });

    await expect(database.transaction(() => Promise.reject(missingFile))).rejects.toBe(missingFile);
  });

  test('that is for reading only gives what it read, and cannot write', async () => {
    expect(await database.transaction(ids, { readOnly: true })).toEqual(['a1', 'a2', 'a3', 'b1']);
    const write = (query: Query) => query(`delete from note`);
    await expect(database.transaction(write, { readOnly: true })).rejects.toThrow('it only reads');
    expect(await countNotes()).toBe(4);
  });

  describe.each(['read', 'transaction'] as const)('of one statement (%s)', (kind) => {
    const run = <T>(work: (query: Query) => Promise<T>): Promise<T> =>
      kind === 'read'
        ? database.read(scope('a'), work, { oneStatement: true })
        : database.transaction(work, { readOnly: true, oneStatement: true });

    test('gives what it read, any number of them at once', async () => {
      const answers = Array.from({ length: 20 }, (_, n) => run((query) => query('select $1::int as n', [n])));
      expect(await Promise.all(answers)).toEqual(answers.map((_, n) => [{ n }]));
    });

    test('refuses a second one', async () => {
      const twice = run(async (query) => {
        await query('select 1');
        return query('select 2');
      });
      await expect(twice).rejects.toThrow('this transaction was to have one statement');
    });

    test('may have none', async () => {
      expect(await run(async () => 'nothing')).toBe('nothing');
      await expect(run(() => Promise.reject(new RangeError('none')))).rejects.toThrow(RangeError);
    });

    test('reports what fails, and the next one works', async () => {
      await expect(run((query) => query('select 1 / 0'))).rejects.toThrow(StatementError);
      expect(await run((query) => query('select 1 as one'))).toEqual([{ one: 1 }]);
    });
  });

  test('refuses to be started inside another', async () => {
    const nested = database.transaction(() => database.read(scope('a', 1), ids));

    await expect(nested).rejects.toThrow(VerbatimError);
    await expect(nested).rejects.toMatchObject({ code: 'nested_transaction' });
  });

  test('gives a query function that is dead after its end', async () => {
    let kept: Query | undefined;
    await database.transaction(async (query) => {
      kept = query;
    });

    await expect(kept?.('select 1')).rejects.toThrow(/has ended/);
  });

  test('is run once more when PostgreSQL asks for it, and no more than once', async () => {
    let tries = 0;
    const failing = (failures: number) => async (query: Query) => {
      await insert(query, 'a9');
      if (++tries <= failures) await query(`do $$ begin raise exception using errcode = '40001'; end $$`);
    };

    await database.transaction(failing(1));
    expect(tries).toBe(2);
    expect(await countNotes()).toBe(5);

    tries = 0;
    await testDb.reset();
    await expect(database.transaction(failing(9))).rejects.toMatchObject({ sqlState: '40001' });
    expect(tries).toBe(2);
  });

  test('as the owner may change the schema, and a statement outside one may vacuum', async () => {
    await database.owner((query) => query('create table scratch (id int)'));
    await database.outsideTransaction('vacuum (analyze) scratch');
    await database.owner((query) => query('drop table scratch'));

    await expect(database.outsideTransaction('vacuum missing')).rejects.toMatchObject({ sqlState: '42P01' });
  });
});

describe('a deadline', () => {
  const busy = (query: Query) => query('select pg_sleep(1)');

  test.each<[string, (query: Query) => Promise<unknown>]>([
    ['a slow statement', busy],
    [
      'many statements that are slow together',
      async (query) => {
        for (let i = 0; i < 50; i++) await query('select pg_sleep(0.05)');
      },
    ],
    ['code that never comes back', () => new Promise(() => {})],
  ])('ends %s, and the pool stays healthy', async (_what, run) => {
    const small = createDatabase({ ...testDb.options, poolSize: 2 });
    const started = performance.now();

    const late = Array.from({ length: 6 }, () => small.read(scope('a', 1), run, { timeoutMs: 300 }));
    const outcomes = await Promise.allSettled(late);

    expect(performance.now() - started).toBeLessThan(30_000);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(DatabaseTimeoutError) });
    }
    const after = await Promise.all(
      Array.from({ length: 6 }, () => small.read(scope('a', 1), ids, { timeoutMs: 30_000 })),
    );
    expect(after).toEqual(Array.from({ length: 6 }, () => ['a1']));
    await small.close();
  });
});

// A server in between that can lose connections as a network does.
async function startProxy(): Promise<{ server: Server; port: number; lose(when: 'now' | 'at next data'): void }> {
  const { connection, connectionString } = testDb.options;
  const target = connectionString === undefined ? undefined : new URL(connectionString);
  const sockets = new Set<Socket>();
  let loseAtData = false;
  const server = createServer((client) => {
    const upstream = connection
      ? connect({ path: `${connection.host}/.s.PGSQL.${connection.port}` })
      : connect({ host: target?.hostname ?? '', port: Number(target?.port) });
    sockets.add(client);
    client.on('data', (data) => {
      if (loseAtData) {
        loseAtData = false;
        client.destroy();
      } else upstream.write(data);
    });
    upstream.pipe(client);
    client.on('close', () => upstream.destroy()).on('error', () => undefined);
    upstream.on('close', () => client.destroy()).on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    server,
    port: address.port,
    lose(when) {
      if (when === 'now') for (const socket of sockets) socket.destroy();
      else loseAtData = true;
    },
  };
}

describe('a lost connection', () => {
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  let distant: DatabaseClient;

  beforeEach(async () => {
    proxy = await startProxy();
    const { connection, connectionString } = testDb.options;
    if (connection) distant = createDatabase({ connection: { ...connection, host: '127.0.0.1', port: proxy.port } });
    else {
      const url = new URL(connectionString ?? '');
      url.host = `127.0.0.1:${proxy.port}`;
      distant = createDatabase({ connectionString: url.href });
    }
    await distant.read(scope('a', 1), ids);
    return async () => {
      await distant.close();
      proxy.server.close();
    };
  });

  test.each(['now', 'at next data'] as const)('that was idle is replaced without an error (lost %s)', async (when) => {
    proxy.lose(when);

    expect(await distant.read(scope('a', 1), ids)).toEqual(['a1']);
  });

  test('in the middle of a transaction is reported, saves nothing, and the next one works', async () => {
    let tries = 0;
    const broken = distant.transaction(async (query) => {
      tries++;
      await query(`insert into note values ('a', 'a9', 1)`);
      proxy.lose('at next data');
      await query(`insert into note values ('a', 'a10', 1)`);
    });

    await expect(broken).rejects.toThrow(DatabaseUnavailableError);
    expect(tries).toBe(1);
    expect(await distant.read(scope('a', 1), ids)).toEqual(['a1']);
  });
});

test.skipIf(isEmbedded())('a connection that is idle for long is kept, with what its process has at hand', async () => {
  const processOf = async ({ owner }: DatabaseClient) => owner((query) => query('select pg_backend_pid() as process'));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const idle = createDatabase(testDb.options);
  try {
    const before = await processOf(idle);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(await processOf(idle)).toEqual(before);
  } finally {
    vi.useRealTimers();
    await idle.close();
  }
});

test('closing cuts off a transaction that does not end', async () => {
  const stuck = createDatabase(testDb.options);
  let begun = () => {};
  const running = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const endless = stuck.transaction(async (query) => {
    await query(`insert into note values ('a', 'a9', 1)`);
    begun();
    await new Promise(() => {});
  });
  endless.catch(() => undefined);
  await running;

  await stuck.close();

  expect(await countNotes()).toBe(4);
});

describe('a server that is not there', () => {
  test('is named with what to check, without the password', async () => {
    const absent = createDatabase({ connectionString: 'postgres://me:hunter2@127.0.0.1:1/verbatim' });
    const error = await absent.transaction(ids).catch((thrown: unknown) => thrown as Error);
    await absent.close();

    expect(error).toBeInstanceOf(DatabaseUnavailableError);
    expect(String(error)).toContain('127.0.0.1:1/verbatim');
    expect(String(error)).toContain('check that the server runs');
    expect(String(error)).not.toContain('hunter2');
  });

  test('because its connection string is wrong is reported without quoting the string', () => {
    expect(() => createDatabase({ connectionString: 'postgres://me:hunter2@host:port/x' })).toThrow(
      /^the connection string of the database cannot be read; expected postgres:/,
    );
  });

  test('because it was closed is reported', async () => {
    const closed = createDatabase(testDb.options);
    await closed.close();

    await expect(closed.transaction(ids)).rejects.toThrow(DatabaseUnavailableError);
  });
});
