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

interface SessionOptions {
  readonly translate: Translate;
  readonly begun: Promise<unknown>;
  readonly oneStatement: boolean;
  readonly onFirstSent: () => void;
}

// One statement at a time: the driver's own queue is deprecated, and a statement that arrives after the end would run
// in the next transaction of the connection, under another tenant's rights.
// Nothing that a statement gives is believed before `begun`.
function openSession(client: PoolClient, { translate, begun, oneStatement, onFirstSent }: SessionOptions): Session {
  let last: Promise<unknown> = Promise.resolve();
  let first = true;
  let finished = false;
  const send = <Row extends object>(sql: string, values?: readonly unknown[]) =>
    client.query<Row>(sql, values === undefined ? undefined : [...values]);
  const query: Query = async <Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]> => {
    if (finished) throw new TypeError('the transaction of this query function has ended');
    if (!first && oneStatement) throw new TypeError('this transaction was to have one statement');
    const sent = first ? send<Row>(sql, values) : last.then(() => begun).then(() => send<Row>(sql, values));
    if (first) onFirstSent();
    first = false;
    last = sent.catch(() => undefined);
    await begun;
    return sent.then(rowsOfLast, (error: unknown) => {
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

async function commit(committed: Promise<QueryResult>, translate: Translate): Promise<void> {
  const result = await committed.catch((error: unknown) => {
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
  /** Refuses a second statement. Where the transaction only reads, the commit goes along with the first. */
  readonly oneStatement?: boolean | undefined;
}

/**
 * Runs `run` between `begin` and `commit` on one connection; an error rolls back and is thrown on.
 *
 * @returns what `run` returned, after the commit.
 * @throws StaleConnectionError when the connection was lost before the transaction began.
 */
export async function runInTransaction<T>(
  client: PoolClient,
  { begin, translate, reading, oneStatement = false }: TransactionOptions<T>,
  run: (query: Query) => Promise<T>,
): Promise<T> {
  // What goes in one packet wakes the server once.
  const packet = reading ? holdBack(client) : null;
  const begun = client.query(begin).catch((error: unknown) => {
    throw translate(error);
  });
  begun.catch(() => undefined); // told when it is waited for
  let committed: Promise<QueryResult> | null = null;
  const onFirstSent = () => {
    if (reading && oneStatement) committed = client.query('commit');
    committed?.catch(() => undefined); // told when it is waited for
    packet?.send();
  };
  const session = openSession(client, { translate, begun, oneStatement, onFirstSent });
  try {
    if (!reading) await begun;
    const result = await run(session.query);
    packet?.send();
    await session.finish();
    reading?.onResult(result);
    await commit(committed ?? client.query('commit'), translate);
    return result;
  } catch (error) {
    packet?.send();
    await session.finish().catch(() => undefined);
    const failure = await begun.then(
      () => null,
      (reason: unknown) => reason,
    );
    if (failure instanceof Error && isConnectionLost(failure.cause)) throw new StaleConnectionError(failure);
    throw failure ?? error;
  }
}

// Keeps what is written to the connection until `send`, which may be called again.
function holdBack(client: PoolClient): { send(): void } {
  const { stream } = client.connection;
  let held = true;
  stream.cork();
  return {
    send() {
      if (held) stream.uncork();
      held = false;
    },
  };
}
