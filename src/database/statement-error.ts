import { DatabaseTimeoutError, DatabaseUnavailableError, VerbatimError } from '../../retrieval/errors.ts';

/**
 * PostgreSQL refused a statement; the transaction was rolled back. `sqlState` is its five-character code
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html), `constraint` the violated constraint, if any.
 */
export class StatementError extends VerbatimError {
  readonly sqlState: string;
  readonly constraint: string | null;
  constructor(sqlState: string, message: string, options?: { cause?: unknown; constraint?: string | undefined }) {
    super('database_statement', message, options);
    this.sqlState = sqlState;
    this.constraint = options?.constraint ?? null;
  }
}

/** The server cannot be reached at all, or turns the connection away. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there; check that the server runs and that host and port are right',
  ENOTFOUND: 'the host name is unknown; check the spelling and the DNS',
  EAI_AGAIN: 'the host name could not be looked up; check the DNS',
  ENOENT: 'its socket is gone; the process that served it has ended, start it again',
  EACCES: 'its socket belongs to another user; run as the user that owns the data directory',
  ETIMEDOUT: 'no reply; check the network and the firewall',
  EHOSTUNREACH: 'there is no route to it; check the network',
  ECONNRESET: 'the connection was lost; check whether the server was restarted',
  EPIPE: 'the connection was lost; check whether the server was restarted',
};

/** SQLSTATEs and classes that mean "no service" rather than "wrong statement". */
const NO_SERVICE: readonly (readonly [RegExp, string])[] = [
  [/^08/, 'the connection was lost'],
  [/^28/, 'it refused the login; check user, password and pg_hba.conf'],
  [/^3D000/, 'the database does not exist; create it, or correct its name'],
  [/^53100/, 'its disk is full; free some space'],
  [/^53200/, 'it is out of memory'],
  [/^53300/, 'it has no free connection; lower the pool size or raise max_connections'],
  [/^53/, 'it is short of a resource; see its log'],
  // Of 55000 only what is said of a database: the rest of the code is about a statement.
  [/^55000 .*not currently accepting connections/, 'it accepts no connections at present; try again'],
  [/^57P0/, 'it is starting or shutting down, or was dropped; try again'],
  [/^58/, 'it cannot read or write its files; check its disk and its log'],
  [/^XX00[12]/, 'its files are damaged; restore a backup'],
];

/** The same where writing was meant: a standby after a failover, or a server that was set to read only. */
const NO_WRITING = 'it only reads at present; connect to the primary, or end its read-only mode';

function noService(code: string, message: string, writing: boolean): string | undefined {
  // Without a deadline of ours it was somebody else's: an administrator's, or a timeout of the server.
  if (writing && code === '57014') return 'it cancelled the statement; see its statement_timeout and its log';
  if (writing && code === '25006') return NO_WRITING;
  return NO_SERVICE.find(([pattern]) => pattern.test(`${code} ${message}`))?.[1];
}

interface PostgresError extends Error {
  readonly code?: string;
  readonly constraint?: string;
}

function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as PostgresError).code : undefined;
  return typeof code === 'string' ? code : '';
}

// The driver reports a lost connection by message alone; these are all its wordings (pg 8.23, lib/client.js).
const LOST_CONNECTION =
  /^(Connection terminated|timeout expired|timeout exceeded|Client was closed|Client has encountered a connection error|Cannot use a pool)/;

/** Whether an error of the driver says that the connection is lost, rather than that a statement is wrong. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  return /^(08|57P0)/.test(code) || code in UNREACHABLE || LOST_CONNECTION.test(error.message);
}

// Refused, gone, cut off: not EACCES, which has its own advice for a socket of the file system.
function isGone(error: Error): boolean {
  return (codeOf(error) in UNREACHABLE && codeOf(error) !== 'EACCES') || LOST_CONNECTION.test(error.message);
}

/** Whether PostgreSQL asks to run the same transaction again: serialization failure or deadlock. */
export function isTransient(error: unknown): boolean {
  return error instanceof StatementError && (error.sqlState === '40001' || error.sqlState === '40P01');
}

// The embedded server has no host and no port that somebody could check.
const EMBEDDED_GONE =
  'the embedded database has stopped, or the process that ran it has ended; start "npm start" again, or run the command again';

/**
 * An error of the driver as one of ours; errors of ours and of callers' code pass through. Neither the message nor
 * an enumerable field of the result holds a row's values: those stay in the cause (`detail` quotes rows).
 *
 * @param server `host:port/database`, for the message; null for the embedded server.
 * @param timeoutMs the deadline of the statement, if it had one: only reading has.
 */
export function translateError(error: unknown, server: string | null, timeoutMs?: number): unknown {
  if (!(error instanceof Error) || error instanceof VerbatimError) return error;
  const code = codeOf(error);
  if (code === '57014' && timeoutMs !== undefined) return new DatabaseTimeoutError(timeoutMs, { cause: error });
  const advice = UNREACHABLE[code] ?? noService(code, error.message, timeoutMs === undefined);
  if (server === null && isGone(error)) return new DatabaseUnavailableError(EMBEDDED_GONE, { cause: error });
  const where = server === null ? 'the embedded database' : `the database at ${server}`;
  if (advice !== undefined) {
    return new DatabaseUnavailableError(`${where} is not available: ${advice}`, { cause: error });
  }
  if (LOST_CONNECTION.test(error.message)) {
    const message = `${where} is not available: the connection was lost or could not be made in time`;
    return new DatabaseUnavailableError(message, { cause: error });
  }
  if (!/^[0-9A-Z]{5}$/.test(code)) return error;
  // Messages of class 22 (data exceptions) quote the offending value, which may come from a private document.
  const what = code.startsWith('22') ? 'a value does not fit its type' : error.message;
  return new StatementError(code, `PostgreSQL refused a statement (${code}): ${what}`, {
    cause: error,
    constraint: (error as PostgresError).constraint,
  });
}
