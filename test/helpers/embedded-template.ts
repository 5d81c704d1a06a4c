// A data directory with the current schema, without the seconds that creating one takes.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { lockDataDirectory } from '../../src/database/data-directory.ts';
import { openEmbedded } from '../../src/database/embedded.ts';
import { migrate } from '../../src/database/migrate.ts';
import { createDatabase, type DatabaseOptions } from '../../src/database/pool.ts';
import { createQueue } from '../../src/database/queue.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MIGRATIONS = join(ROOT, 'src/database/migrations');
const CACHE = join(ROOT, 'node_modules/.cache/verbatim-test-database');
const CACHE_DAYS = 3;

/** A new data directory that holds the migrated schema; the caller removes it. */
export async function migratedDataDir(): Promise<string> {
  const template = await embeddedTemplate();
  const dataDir = await mkdtemp(join(tmpdir(), 'verbatim-test-'));
  await cp(template, join(dataDir, 'postgres'), { recursive: true });
  return dataDir;
}

// Made once for each content of the migrations, by whichever test file comes first, and kept between runs.
async function embeddedTemplate(): Promise<string> {
  const directory = join(CACHE, await schemaHash());
  const complete = join(directory, 'complete');
  const template = join(directory, 'data/postgres');
  if (existsSync(complete)) return template;
  await mkdir(directory, { recursive: true });
  for (;;) {
    const lock = await lockDataDirectory(directory);
    if (lock !== null) {
      try {
        if (!existsSync(complete)) {
          await removeOldTemplates();
          await rm(join(directory, 'data'), { recursive: true, force: true });
          await buildEmbeddedTemplate(join(directory, 'data'));
          await writeFile(complete, '');
        }
        return template;
      } finally {
        await lock.release();
      }
    }
    await sleep(100);
  }
}

async function buildEmbeddedTemplate(dataDir: string): Promise<void> {
  const server = await openEmbedded({ dataDir, exclusive: true });
  try {
    await prepareSchema({ connection: server.connection });
  } finally {
    await server.close();
  }
}

/** Applies the migrations and the queue's tables. */
export async function prepareSchema(options: Pick<DatabaseOptions, 'connection' | 'connectionString'>): Promise<void> {
  const database = createDatabase(options);
  try {
    await migrate(database);
    const queue = createQueue(database, { queues: [] });
    await queue.start();
    await queue.stop();
  } finally {
    await database.close();
  }
}

/** What the schema's content depends on, as 16 hexadecimal digits. */
export async function schemaHash(): Promise<string> {
  const hash = createHash('sha256');
  for (const file of (await readdir(MIGRATIONS)).sort()) hash.update(await readFile(join(MIGRATIONS, file)));
  for (const file of ['embedded-worker.js', 'migrate.ts', 'roles.ts', 'queue.ts']) {
    hash.update(await readFile(join(ROOT, 'src/database', file)));
  }
  for (const name of ['@electric-sql/pglite', '@electric-sql/pglite-pgvector', 'pg-boss']) {
    hash.update(await readFile(join(ROOT, 'node_modules', name, 'package.json')));
  }
  return hash.digest('hex').slice(0, 16);
}

async function removeOldTemplates(): Promise<void> {
  const oldest = Date.now() - CACHE_DAYS * 86_400_000;
  for (const name of await readdir(CACHE)) {
    const directory = join(CACHE, name);
    if ((await stat(directory)).mtimeMs < oldest) await rm(directory, { recursive: true, force: true });
  }
}
