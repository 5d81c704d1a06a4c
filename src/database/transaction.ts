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
// Nothing that a statement gives is believed before `begun`.
function openSession(client: PoolClient, translate: Translate, begun: Promise<unknown>): Session {
  let last: Promise<unknown> = Promise.resolve();
  let first = true;
  let finished = false;
  const query: Query = async <Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]> => {
    if (finished) throw new TypeError('the transaction of this query function has ended');
    const turn = first ? last : last.then(() => begun);
    first = false;
    const result = turn.then(() => client.query<Row>(sql, values === undefined ? undefined : [...values]));
    last = result.catch(() => undefined);
    await begun;
    return result.then(rowsOfLast, (error: unknown) => {
      throw translate(error);
    });
  };
  return {
    query,
    async finish() {
      finished = true;
      await last;
      await begun;
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

/** How a transaction is run. */
export interface TransactionOptions<T> {
  /** `begin` and the transaction-local settings. */
  readonly begin: string;
  /** Applied to what the driver throws; errors of `run`'s own code are left alone. */
  readonly translate: Translate;
  /**
   * For transactions that only read: the first statement is sent behind `begin` without waiting for it, and `onResult` gets the
   * result before the commit, which can lose nothing. That is one round trip in place of three. Never for one that writes:
   * if `begin` failed, its first statement would be saved by itself.
   */
  readonly reading?: { readonly onResult: (result: T) => void } | undefined;
}

/**
 * Runs `run` between `begin` and `commit` on one connection; an error rolls back and is thrown on.
 *
 * @returns what `run` returned, after the commit.
 * @throws StaleConnectionError when the connection was lost before the transaction began.
 */
export async function runInTransaction<T>(
  client: PoolClient,
  { begin, translate, reading }: TransactionOptions<T>,
  run: (query: Query) => Promise<T>,
): Promise<T> {
  const begun = client.query(begin).catch((error: unknown) => {
    throw translate(error);
  });
  begun.catch(() => undefined); // told when it is waited for
  const session = openSession(client, translate, begun);
  try {
    if (!reading) await begun;
    const result = await run(session.query);
    await session.finish();
    reading?.onResult(result);
    await commit(client, translate);
    return result;
  } catch (error) {
    await session.finish().catch(() => undefined);
    const failure = await begun.then(
      () => null,
      (reason: unknown) => reason,
    );
    if (failure instanceof Error && isConnectionLost(failure.cause)) throw new StaleConnectionError(failure);
    throw failure ?? error;
  }
}
