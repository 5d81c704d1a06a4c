import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { Client, escapeLiteral, Pool, type PoolClient, type PoolConfig } from 'pg';
import { DatabaseTimeoutError, DatabaseUnavailableError, VerbatimError } from '../../retrieval/errors.ts';
import type { VisibleTo } from '../../retrieval/model.ts';
import type { Database, Query } from '../../retrieval/ports.ts';
import { APP_ROLE, type DatabaseConnection, type DatabaseLogger, READER_ROLE } from './connection.ts';
import { isTransient, translateError } from './statement-error.ts';
import { runInTransaction, StaleConnectionError, type TransactionOptions, type Translate } from './transaction.ts';

/** The database of the composition root: the core's port, and what only migrations, index building and the queue do. */
export interface DatabaseClient extends Database {
  /** Whether one embedded PostgreSQL session serves every connection. */
  readonly embedded: boolean;
  /** A transaction as the connection's own user, which owns the tables and so bypasses row-level security. */
  owner<T>(run: (query: Query) => Promise<T>): Promise<T>;
  /** Runs statements that refuse a transaction (`create index concurrently`, `vacuum`) as the connection's own user. */
  outsideTransaction(sql: string): Promise<void>;
  /** Waits for running transactions, 10 s at the most, then closes all connections. */
  close(): Promise<void>;
}

/** Where to connect (exactly one of the first two), and how. */
export interface DatabaseOptions {
  readonly connection?: DatabaseConnection;
  /** `postgres://user:password@host:port/database?sslmode=require`. */
  readonly connectionString?: string;
  /** Transactions that run at the same time. */
  readonly poolSize?: number;
  readonly logger?: DatabaseLogger;
}

const DEFAULT_POOL_SIZE = 10; // pg.Pool's own default
const EMBEDDED_POOL_SIZE = 4; // one session runs them one after another; a few hide the round trips
// As many as one question uses at a time. A server's process has plans and pages at hand that a new one must get first.
const KEPT_CONNECTIONS = 3;
const DEFAULT_READ_TIMEOUT_MS = 10_000; // longer than any search measured (DESIGN.md §4) by two orders of magnitude
const CLOSE_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 10_000;
// The startup message of a new connection waits behind the running transaction: building a vector index took 81 s.
const EMBEDDED_CONNECT_TIMEOUT_MS = 180_000;

/**
 * The database over one pool of connections. Connects at the first transaction, so it never fails because of the server.
 *
 * A transaction is run once more, as a whole, after a serialization failure, a deadlock, or when its connection turns
 * out to have been closed while idle: what `run` does besides queries must bear that.
 *
 * @throws DatabaseUnavailableError when the connection string cannot be read.
 */
export function createDatabase(options: DatabaseOptions): DatabaseClient {
  const embedded = options.connection?.embedded === true;
  const poolSize = options.poolSize ?? (embedded ? EMBEDDED_POOL_SIZE : DEFAULT_POOL_SIZE);
  const { config, server } = readConnection(options);
  const pool = new Pool({
    ...config,
    // Statements that are not waited for are sent at once; the embedded server takes one at a time.
    ...{ pipeline: !embedded },
    max: poolSize,
    min: embedded ? 0 : KEPT_CONNECTIONS,
    connectionTimeoutMillis: embedded ? EMBEDDED_CONNECT_TIMEOUT_MS : CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  });
  reportLostConnections(pool, server, options.logger);
  const { lease, cutOff } = createLeases(pool, poolSize, (error) => translateError(error, server));

  const transact = async <T>(
    begin: string,
    run: (query: Query) => Promise<T>,
    deadline?: Deadline,
    options?: Pick<TransactionOptions<T>, 'reading' | 'oneStatement'>,
  ): Promise<T> => {
    const translate: Translate = (error) => translateError(error, server, deadline?.timeoutMs);
    const attempt = () => lease(deadline, (client) => runInTransaction(client, { begin, translate, ...options }, run));
    return insideTransaction(() => onceMore(attempt, deadline));
  };
  const transactReading = <T>(
    { begin, oneStatement = false }: { begin: string; oneStatement?: boolean | undefined },
    run: (query: Query) => Promise<T>,
    deadline?: Deadline,
  ): Promise<T> => {
    if (embedded) return transact(begin, run, deadline, { oneStatement });
    return new Promise((resolve, reject) => {
      transact(begin, run, deadline, { reading: { onResult: resolve }, oneStatement }).then(resolve, reject);
    });
  };
  const beginAs = (role: string | null) =>
    // The clean-up of a large tenant may take longer than a timeout that an administrator set for the role.
    role === null ? `begin; set local statement_timeout = 0` : `begin; set local role ${role}`;

  let closing: Promise<void> | undefined;
  return {
    embedded,
    read: (scope, run, { timeoutMs = DEFAULT_READ_TIMEOUT_MS, oneStatement } = {}) =>
      withDeadline(timeoutMs, (deadline) =>
        transactReading({ begin: beginRead(scope, embedded, timeoutMs), oneStatement }, run, deadline),
      ),
    transaction: (run, { readOnly = false, oneStatement } = {}) =>
      readOnly
        ? transactReading({ begin: `begin read only; set local role ${APP_ROLE}`, oneStatement }, run)
        : transact(beginAs(APP_ROLE), run),
    owner: (run) => transact(beginAs(null), run),
    outsideTransaction: (sql) =>
      insideTransaction(() =>
        lease(undefined, async (client) => {
          await client.query(sql).catch((error: unknown) => {
            throw translateError(error, server);
          });
        }),
      ),
    close() {
      closing ??= endPool(pool, cutOff);
      return closing;
    },
  };
}

// One snapshot for all statements of a search, so that what is visible and what is found agree. The settings end with
// the transaction: on the embedded server a session setting would leak into every other connection.
function beginRead(scope: VisibleTo, embedded: boolean, timeoutMs: number): string {
  const timeout = embedded ? '' : `; set local statement_timeout = ${Math.ceil(timeoutMs)}`;
  const tenantId = escapeLiteral(scope.tenantId);
  const aclIds = escapeLiteral(`{${scope.aclIds.map(Number).join(',')}}`);
  // In one text, because a statement with parameters would be one more round trip before each search.
  return `begin isolation level repeatable read read only${timeout}; set local role ${READER_ROLE};
    set local verbatim.tenant_id = ${tenantId}; set local verbatim.visible_acl_ids = ${aclIds}`;
}

function readConnection(options: DatabaseOptions): { config: PoolConfig; server: string | null } {
  const { connection, connectionString } = options;
  if ((connection === undefined) === (connectionString === undefined)) {
    throw new TypeError('createDatabase needs either connection or connectionString');
  }
  // Nothing of the embedded server may come from PGPASSWORD, PGSSLMODE and the like, which the driver reads itself.
  const config: PoolConfig = connection
    ? { host: connection.host, port: connection.port, user: connection.user, database: connection.database }
    : { connectionString };
  if (connection?.embedded) Object.assign(config, { password: 'unused', ssl: false, options: '' });
  let parsed: Client;
  try {
    parsed = new Client(config);
  } catch {
    // No cause: the parser's error quotes the whole string, with the password.
    throw new DatabaseUnavailableError(
      'the connection string of the database cannot be read; expected postgres://user:password@host:5432/database',
    );
  }
  return { config, server: connection?.embedded ? null : `${parsed.host}:${parsed.port}/${parsed.database}` };
}

function reportLostConnections(pool: Pool, server: string | null, logger: DatabaseLogger | undefined): void {
  pool.on('error', (error) => {
    logger?.warn({ server: server ?? 'embedded', reason: error.message }, 'idle database connection lost');
  });
  // While a connection is in use its error arrives with the statement; without a listener it would end the process too.
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
  });
}

interface Deadline {
  readonly timeoutMs: number;
  /** Rejects when the time is over. */
  readonly expired: Promise<never>;
  readonly signal: AbortSignal;
}

/** Rejects after `timeoutMs` even when the server does not: the embedded one has no timers, a network may be silent. */
async function withDeadline<T>(timeoutMs: number, work: (deadline: Deadline) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const expired = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(new DatabaseTimeoutError(timeoutMs)), { once: true });
  });
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  try {
    return await Promise.race([work({ timeoutMs, signal: controller.signal, expired }), expired]);
  } finally {
    clearTimeout(timer);
  }
}

type Lease = <T>(deadline: Deadline | undefined, use: (client: PoolClient) => Promise<T>) => Promise<T>;

interface Leases {
  readonly lease: Lease;
  /** Destroys the connections in use. */
  cutOff(): void;
}

// The limit queues in front of the pool, because the pool's only timeout would count waiting for a free connection as
// failing to connect.
function createLeases(pool: Pool, poolSize: number, translate: Translate): Leases {
  const limit = pLimit(poolSize);
  const inUse = new Set<() => void>();
  const lease: Lease = (deadline, use) =>
    limit(async () => {
      deadline?.signal.throwIfAborted();
      const client = await pool.connect().catch((error: unknown) => {
        throw translate(error);
      });
      let held = true;
      const release = (destroy: boolean) => {
        if (held) client.release(destroy);
        held = false;
      };
      // Destroying it is the only cancellation that the embedded server knows, and frees the caller on any.
      const destroy = () => release(true);
      inUse.add(destroy);
      deadline?.signal.addEventListener('abort', destroy, { once: true });
      try {
        if (deadline?.signal.aborted) destroy();
        // Code of a caller that never comes back must not keep its place in the queue.
        return await Promise.race([use(client), ...(deadline === undefined ? [] : [deadline.expired])]);
      } catch (error) {
        if (held) release(!(await rollBack(client)));
        throw error;
      } finally {
        deadline?.signal.removeEventListener('abort', destroy);
        inUse.delete(destroy);
        release(false);
      }
    });
  return {
    lease,
    cutOff() {
      for (const destroy of inUse) destroy();
    },
  };
}

// A statement that does not end, or code that does not come back, must not keep the process from ending.
async function endPool(pool: Pool, cutOff: () => void): Promise<void> {
  const controller = new AbortController();
  const late = sleep(CLOSE_TIMEOUT_MS, undefined, { signal: controller.signal }).then(cutOff, () => undefined);
  await Promise.race([pool.end(), late]);
  controller.abort();
}

async function rollBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('rollback');
    return true;
  } catch {
    // The caller gets the first error; a connection that cannot roll back is thrown away.
    return false;
  }
}

async function onceMore<T>(attempt: () => Promise<T>, deadline?: Deadline): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    const again = error instanceof StaleConnectionError || isTransient(error);
    if (!again || deadline?.signal.aborted) throw error;
  }
  try {
    return await attempt();
  } catch (error) {
    throw error instanceof StaleConnectionError ? error.cause : error;
  }
}

const currentTransaction = new AsyncLocalStorage<{ open: boolean }>();

// A transaction that waits for another connection stops the embedded server for ever, and a real one when all
// connections do so at once: say it at once, everywhere.
async function insideTransaction<T>(work: () => Promise<T>): Promise<T> {
  if (currentTransaction.getStore()?.open) {
    throw new VerbatimError(
      'nested_transaction',
      'a transaction was started inside another; use the query it was given',
    );
  }
  const state = { open: true };
  try {
    return await currentTransaction.run(state, work);
  } finally {
    state.open = false;
  }
}
