import type { PoolClient, QueryResult } from 'pg';
import type { Query } from '../../retrieval/ports.ts';
import { isConnectionLost, StatementError } from './statement-error.ts';

/** The connection was already lost when a transaction began: nothing was done, so it can begin again elsewhere. */
export class StaleConnectionError extends Error {
  constructor(cause: unknown) {
    super('the connection was lost before the transaction began', { cause });
    this.name = 'StaleConnectionError';
  }
}

/** Turns an error of the driver into one of ours. */
export type Translate = (error: unknown) => unknown;

interface Session {
  readonly query: Query;
  /** Waits for statements that the caller did not await, then refuses further ones. */
  finish(): Promise<void>;
}

// One statement at a time: the driver's own queue is deprecated, and a statement that arrives after the end would run
// in the next transaction of the connection, under another tenant's rights.
function openSession(client: PoolClient, translate: Translate): Session {
  let last: Promise<unknown> = Promise.resolve();
  let finished = false;
  const query: Query = <Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]> => {
    if (finished) return Promise.reject(new TypeError('the transaction of this query function has ended'));
    const result = last.then(() => client.query<Row>(sql, values === undefined ? undefined : [...values]));
    last = result.catch(() => undefined);
    return result.then(rowsOfLast, (error: unknown) => {
      throw translate(error);
    });
  };
  return {
    query,
    async finish() {
      finished = true;
      await last;
    },
  };
}

// The driver gives an array of results for several statements in one text, whatever its types say.
function rowsOfLast<Row extends object>(result: QueryResult<Row> | QueryResult<Row>[]): Row[] {
  return Array.isArray(result) ? (result.at(-1)?.rows ?? []) : result.rows;
}

async function commit(client: PoolClient, translate: Translate): Promise<void> {
  const result = await client.query('commit').catch((error: unknown) => {
    throw translate(error);
  });
  // COMMIT of an aborted transaction succeeds as a ROLLBACK: a caller that swallowed an error would believe it was saved.
  if (result.command !== 'COMMIT') {
    throw new StatementError('25P02', 'nothing was saved: a statement of the transaction had failed');
  }
}

/**
 * Runs `run` between `begin` and `commit` on one connection; an error rolls back and is thrown on.
 *
 * @param translate applied to what the driver throws; errors of `run`'s own code are left alone.
 * @param open `begin` and the transaction-local settings.
 * @returns what `run` returned, after the commit.
 * @throws StaleConnectionError when the connection is lost before `run` is called.
 */
export async function runInTransaction<T>(
  client: PoolClient,
  translate: Translate,
  open: (query: Query) => Promise<unknown>,
  run: (query: Query) => Promise<T>,
): Promise<T> {
  const session = openSession(client, translate);
  let running = false;
  try {
    await open(session.query);
    running = true;
    const result = await run(session.query);
    await session.finish();
    await commit(client, translate);
    return result;
  } catch (error) {
    await session.finish();
    if (!running && error instanceof Error && isConnectionLost(error.cause)) throw new StaleConnectionError(error);
    throw error;
  }
}
