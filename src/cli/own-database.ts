// Where an evaluation or a benchmark works: what is measured never touches anybody's documents.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../retrieval/errors.ts';
import { createDatabase } from '../database/pool.ts';
import { StatementError } from '../database/statement-error.ts';

type Purpose = 'eval' | 'bench';

/** Runs on a new directory of the system's temporary ones, gone afterwards. Close what is open in it first. */
export async function onOwnDirectory<T>(purpose: Purpose, run: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), `verbatim-${purpose}-`));
  try {
    return await run(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const INSUFFICIENT_PRIVILEGE = '42501'; // PostgreSQL, Appendix A

/**
 * Runs on a new database of a server, gone afterwards.
 * @throws UsageError when the user may not create one.
 */
export async function onOwnServerDatabase<T>(
  serverUrl: string,
  purpose: Purpose,
  run: (databaseUrl: string) => Promise<T>,
): Promise<T> {
  const name = `verbatim_${purpose}_${randomBytes(8).toString('hex')}`;
  const server = createDatabase({ connectionString: serverUrl, poolSize: 1 });
  try {
    await server.outsideTransaction(`create database ${name}`).catch((cause: unknown) => {
      if (!(cause instanceof StatementError) || cause.sqlState !== INSUFFICIENT_PRIVILEGE) throw cause;
      throw new UsageError(
        'a database of its own is needed, and the user of this one may not create it; let an administrator run ' +
          '"alter role … createdb", or use the embedded database',
        { cause },
      );
    });
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    try {
      return await run(url.href);
    } finally {
      await server.outsideTransaction(`drop database ${name} with (force)`);
    }
  } finally {
    await server.close();
  }
}
