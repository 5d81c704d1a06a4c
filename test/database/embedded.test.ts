import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, realpath, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DatabaseUnavailableError } from '../../retrieval/errors.ts';
import {
  lockDataDirectory,
  prepareDataDirectory,
  socketDirectory,
  writeServerFile,
} from '../../src/database/data-directory.ts';
import { type EmbeddedServer, openEmbedded } from '../../src/database/embedded.ts';
import { createDatabase, type DatabaseClient } from '../../src/database/pool.ts';
import { migratedDataDir } from '../helpers/embedded-template.ts';
import { type OwnerProcess, startOwnerProcess } from '../helpers/start-owner-process.ts';

let dataDir: string;
let cleanUp: (() => Promise<unknown>)[];

beforeEach(async () => {
  dataDir = await migratedDataDir();
  cleanUp = [() => rm(dataDir, { recursive: true, force: true })];
});

afterEach(async () => {
  for (const step of cleanUp.reverse()) await step();
});

async function open(options: { dataDir: string; waitMs?: number }): Promise<EmbeddedServer> {
  const server = await openEmbedded(options);
  cleanUp.push(() => server.close());
  return server;
}

function connect(server: EmbeddedServer): DatabaseClient {
  const database = createDatabase({ connection: server.connection });
  cleanUp.push(() => database.close());
  return database;
}

function ownerProcess(mode: 'rows' | 'job'): OwnerProcess {
  const owner = startOwnerProcess(dataDir, mode);
  cleanUp.push(() => owner.kill());
  return owner;
}

const lastId = (events: Record<string, unknown>[]) => Math.max(...events.map((event) => Number(event.committed ?? 0)));

describe('a data directory that another process owns', () => {
  test('is read and written through the socket of its owner', async () => {
    const owner = ownerProcess('rows');
    await owner.readUntil((event) => event.committed === 3);

    const server = await open({ dataDir });
    const database = connect(server);
    await database.owner((query) => query('insert into reported (id) values (-1)'));

    expect(server.owned).toBe(false);
    expect(await database.owner((query) => query('select id from reported where id in (-1, 1) order by id'))).toEqual([
      { id: -1 },
      { id: 1 },
    ]);
    await owner.readUntil((event) => Number(event.committed) > 5);
  });

  test('goes to the next process when the owner is killed, with every row that it had reported', async () => {
    const owner = ownerProcess('rows');
    const before = await owner.readUntil((event) => event.committed === 50);
    const reported = lastId([...before, ...(await owner.kill())]);

    const server = await open({ dataDir });
    const [row] = await connect(server).owner((query) =>
      query<{ count: number }>('select count(*)::int from reported where id <= $1', [reported]),
    );

    expect(server.owned).toBe(true);
    expect(reported).toBeGreaterThanOrEqual(50);
    expect(row?.count).toBe(reported);
  });

  test('is refused when it is wanted exclusively, naming the process', async () => {
    const owner = ownerProcess('rows');
    await owner.readUntil((event) => event.committed === 1);

    const opening = openEmbedded({ dataDir, exclusive: true });

    await expect(opening).rejects.toThrow(DatabaseUnavailableError);
    await expect(opening).rejects.toThrow(
      new RegExp(`${dataDir} is in use by process ${owner.pid} .*stop that process`),
    );
  });

  test('is given up after the wait when its owner does not answer, naming the process', async () => {
    const lock = await lockDataDirectory(dataDir);
    cleanUp.push(async () => lock?.release());
    await writeServerFile(dataDir, {
      format: 1,
      pid: 4242,
      state: 'ready',
      shared: true,
      host: dataDir,
      port: 5432,
      startedAt: '2026-01-01',
    });

    const opening = openEmbedded({ dataDir, waitMs: 300 });

    await expect(opening).rejects.toThrow(/owned by process 4242 .*does not answer/);
  });

  test.each([
    ['a command', {}],
    ['a service', { exclusive: true }],
  ])('that does not share it is waited for by %s, not joined', async (_, options) => {
    const owner = await openEmbedded({ dataDir, shared: false });
    let opened = false;
    const opening = openEmbedded({ dataDir, ...options }).then((server) => {
      opened = true;
      return server;
    });
    await sleep(500);
    expect(opened).toBe(false);
    await owner.close();
    const next = await opening;
    cleanUp.push(() => next.close());
    expect(next.owned).toBe(true);
  });

  test('that is not shared is given up after the wait, naming the process', async () => {
    const owner = await openEmbedded({ dataDir, shared: false });
    cleanUp.push(() => owner.close());
    const waits: object[] = [];
    const opening = openEmbedded({ dataDir, waitMs: 300, onWait: (wait) => waits.push(wait) });
    await expect(opening).rejects.toThrow(/in use by process .* wait until it has finished, or run "npm start"/);
    expect(waits).toEqual([{ pid: process.pid, waitMs: 300 }]);
  });

  test('is opened as soon as its owner ends while it is waited for', async () => {
    const lock = await lockDataDirectory(dataDir);
    const opening = open({ dataDir });

    await lock?.release();

    expect((await opening).owned).toBe(true);
  });
});

describe('a data directory of this process', () => {
  test('keeps its rows when it is closed and opened again', async () => {
    const first = await openEmbedded({ dataDir });
    const database = createDatabase({ connection: first.connection });
    await database.owner((query) => query('create table kept (id int)'));
    await database.owner((query) => query('insert into kept values (7)'));
    await database.close();
    await first.close();

    const second = await open({ dataDir });

    expect(second.owned).toBe(true);
    expect(await connect(second).owner((query) => query('select id from kept'))).toEqual([{ id: 7 }]);
  });

  test('can be entered by no other user, and neither can its socket', async () => {
    await chmod(dataDir, 0o755);

    const server = await open({ dataDir });

    expect(server.connection.host).toBe(dataDir);
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
  });

  test('is created where there is none, or where creating it was cut off, with vectors', async () => {
    const fresh = join(dataDir, 'fresh');
    await mkdir(join(fresh, 'postgres.new'), { recursive: true });
    await writeFile(join(fresh, 'postgres.new/PG_VERSION'), '18\n');

    const rows = await connect(await open({ dataDir: fresh })).owner((query) =>
      query(`create extension vector; select '[1,0]'::vector <-> '[0,0]'::vector as distance`),
    );

    expect(rows).toEqual([{ distance: 1 }]);
  });

  test('with a long path has its socket in a directory of the same user elsewhere', async () => {
    const long = join(dataDir, 'x'.repeat(120));
    await mkdir(long);
    await rename(join(dataDir, 'postgres'), join(long, 'postgres'));

    const server = await open({ dataDir: long });
    cleanUp.push(() => rm(server.connection.host, { recursive: true, force: true }));

    expect(server.connection.host).not.toContain('xxx');
    expect((await stat(server.connection.host)).mode & 0o777).toBe(0o700);
    expect(await connect(server).owner((query) => query('select 1 as one'))).toEqual([{ one: 1 }]);
  });

  test('with a long path is refused when others may enter the directory of its socket', async () => {
    const long = join(dataDir, 'y'.repeat(120));
    const elsewhere = await socketDirectory(long);
    cleanUp.push(() => rm(elsewhere, { recursive: true, force: true }));
    await chmod(elsewhere, 0o755);

    await expect(openEmbedded({ dataDir: long })).rejects.toThrow(/is not a directory of this user alone/);
  });
});

describe('a server whose thread ends', () => {
  test('reports it once, fails the statements that run and that come, and frees the directory', async () => {
    const starting = once(process, 'worker') as Promise<[Worker]>;
    const ends: Error[] = [];
    const server = await openEmbedded({ dataDir, onExit: (error) => ends.push(error) });
    const database = connect(server);
    const [thread] = await starting;

    const pending = database.owner((query) => query('select pg_sleep(5)'));
    const failed = expect(pending).rejects.toThrow(DatabaseUnavailableError);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await thread.terminate();

    await failed;
    await expect(database.owner((query) => query('select 1'))).rejects.toThrow(DatabaseUnavailableError);
    const gone = database.owner((query) => query('select 1'));
    await expect(gone).rejects.toThrow(/^the embedded database has stopped(?!.*\b(host|port)\b)/);
    await vi.waitFor(() => expect(ends).toEqual([expect.any(DatabaseUnavailableError)]));
    expect((await open({ dataDir })).owned).toBe(true);
  });
});

describe('a data directory that cannot be used', () => {
  test('because another version of PostgreSQL wrote it is refused with both versions', async () => {
    await writeFile(join(dataDir, 'postgres/PG_VERSION'), '16\n');

    await expect(openEmbedded({ dataDir })).rejects.toThrow(/written by PostgreSQL 16, this release embeds 18/);
  });

  test('because it is a file is refused', async () => {
    const file = join(dataDir, 'file');
    await writeFile(file, '');

    await expect(openEmbedded({ dataDir: file })).rejects.toThrow(/must be a directory that this user owns/);
  });

  // Node's own recursive mkdir never ends there.
  test.skipIf(!existsSync('/proc/self'))('because its file system makes no directories is refused', async () => {
    await expect(openEmbedded({ dataDir: '/proc/verbatim/data' })).rejects.toThrow(
      /\/proc\/verbatim\/data cannot be used/,
    );
  });

  test('may lie several levels below what there is', async () => {
    const deep = join(dataDir, 'a/b/c');
    expect(await prepareDataDirectory(deep)).toBe(await realpath(deep));
    expect((await stat(join(dataDir, 'a'))).mode & 0o777).toBe(0o700);
  });

  test('because its control file is damaged is refused, and its lock is free again', async () => {
    await truncate(join(dataDir, 'postgres/global/pg_control'), 100);

    await expect(openEmbedded({ dataDir })).rejects.toThrow(/cannot start: its files may be damaged/);

    const lock = await lockDataDirectory(dataDir);
    expect(lock).not.toBeNull();
    await lock?.release();
  });
});
