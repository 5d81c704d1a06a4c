import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { DatabaseUnavailableError } from '../../retrieval/errors.ts';
import type { DatabaseConnection, DatabaseLogger } from './connection.ts';
import {
  type DirectoryLock,
  lockDataDirectory,
  prepareDataDirectory,
  readServerFile,
  removeServerFiles,
  type ServerFile,
  SOCKET_PORT,
  socketDirectory,
  socketPath,
  writeServerFile,
} from './data-directory.ts';
import type { EmbeddedWorkerData, EmbeddedWorkerMessage } from './embedded-worker-messages.ts';

/** A PostgreSQL server inside this process, or the one of another process on the same data directory. */
export interface EmbeddedServer {
  readonly connection: DatabaseConnection;
  /** Whether it runs in this process. Then no other process ran one when this one started. */
  readonly owned: boolean;
  /**
   * Ends the server with a checkpoint when it is owned; else does nothing. Close the pools first.
   * @throws DatabaseUnavailableError when a statement still ran after 30 s: it was cut off, as by a kill.
   */
  close(): Promise<void>;
}

/** How to open the embedded server. */
export interface EmbeddedOptions {
  readonly dataDir: string;
  /** Throw instead of using the server of another process; one that is not shared is waited for. */
  readonly exclusive?: boolean;
  /** Whether other processes may use this server; true by default. False for a process that ends soon: others wait. */
  readonly shared?: boolean;
  /** How long to wait for another process that owns the directory. */
  readonly waitMs?: number;
  /** Called once, at once, when another process must end first: with its number, and how long it is waited for. */
  readonly onWait?: (owner: { readonly pid: number; readonly waitMs: number }) => void;
  readonly logger?: DatabaseLogger;
  /** Called when an owned server starts on its thread. */
  readonly onStart?: () => void;
  /** Called once when an owned server ends by itself; later statements fail. Start a new process. */
  readonly onExit?: (error: DatabaseUnavailableError) => void;
}

const SERVER_MAJOR = '18'; // PGlite 0.5 is PostgreSQL 18; a test compares it with the server
const DEFAULT_WAIT_MS = 60_000; // ten times the first start measured in DESIGN.md §4
const POLL_MS = 100;
const PROBE_TIMEOUT_MS = 5_000;
const START_TIMEOUT_MS = 180_000;
const CLOSE_TIMEOUT_MS = 30_000; // service managers kill after 30 to 90 s
const WASI_ENOSPC = 51; // the number that the engine's file system has for it (wasi-libc, wasi/api.h)
const WAL_SEGMENT_BYTES = 16 * 2 ** 20; // PostgreSQL's default wal_segment_size; a start may need a new one

/**
 * Opens the embedded server of a data directory, creating it at first use (about 7 s; later 1 s).
 *
 * One process at a time runs the server, others connect to it through a socket that only this user can open. What a
 * commit reported survives the end of the process, however it ends; it may not survive a power failure, because the
 * engine cannot force its files to disk. For that, use a server.
 *
 * @throws DatabaseUnavailableError when the directory cannot be used, is damaged or of another version, or when another
 * process owns it and `exclusive` is set or it does not answer.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const dataDir = await prepareDataDirectory(options.dataDir);
  const { waitMs = DEFAULT_WAIT_MS } = options;
  const giveUpAt = performance.now() + waitMs;
  let said = false;
  for (;;) {
    const lock = await lockDataDirectory(dataDir);
    if (lock !== null) return await startOwned(dataDir, lock, options);
    const file = await readServerFile(dataDir);
    if (options.exclusive && file?.shared) throw inUse(dataDir, file);
    if (file?.state === 'ready' && file.shared) {
      const connection = connectionTo(file.host, file.port);
      if (await answers(connection)) return { connection, owned: false, close: async () => undefined };
    }
    if (file?.shared === false && !said) {
      said = true;
      options.onWait?.({ pid: file.pid, waitMs });
    }
    if (performance.now() >= giveUpAt)
      throw file?.shared === false ? notShared(dataDir, file) : notAnswering(dataDir, file);
    await sleep(POLL_MS);
  }
}

async function startOwned(dataDir: string, lock: DirectoryLock, options: EmbeddedOptions): Promise<EmbeddedServer> {
  const started = performance.now();
  try {
    const clusterDir = join(dataDir, 'postgres');
    await checkVersion(clusterDir);
    const socketDir = await socketDirectory(dataDir);
    await removeServerFiles(dataDir, socketDir);
    const file: ServerFile = {
      format: 1,
      pid: process.pid,
      state: 'starting',
      shared: options.shared ?? true,
      host: socketDir,
      port: SOCKET_PORT,
      startedAt: new Date().toISOString(),
    };
    await writeServerFile(dataDir, file);
    // Windows has no Unix sockets that the driver could use; there the port is open to the machine's other users.
    const path = process.platform === 'win32' ? null : socketPath(socketDir);
    const { worker, port } = await startWorker({ clusterDir, socketPath: path }, options.onStart);
    const connection = port === null ? connectionTo(socketDir, SOCKET_PORT) : connectionTo('127.0.0.1', port);
    await writeServerFile(dataDir, { ...file, state: 'ready', host: connection.host, port: connection.port });
    const cleanUp = async () => {
      await removeServerFiles(dataDir, socketDir);
      await lock.release();
    };
    const close = superviseWorker(worker, cleanUp, dataDir, options);
    options.logger?.info({ dataDir, durationMs: Math.round(performance.now() - started) }, 'embedded database started');
    return { connection, owned: true, close };
  } catch (error) {
    await rm(join(dataDir, 'server.json'), { force: true });
    await lock.release();
    if (error instanceof DatabaseUnavailableError) throw error;
    throw await cannotStart(dataDir, error);
  }
}

async function checkVersion(clusterDir: string): Promise<void> {
  if (!existsSync(clusterDir)) return;
  const version = (await readFile(join(clusterDir, 'PG_VERSION'), 'utf8')).trim();
  if (version !== SERVER_MAJOR) {
    throw new DatabaseUnavailableError(
      `${clusterDir} was written by PostgreSQL ${version}, this release embeds ${SERVER_MAJOR}; ` +
        'use the release that wrote it, or move the directory away and ingest again',
    );
  }
}

async function startWorker(
  data: EmbeddedWorkerData,
  onStart: () => void = () => {},
): Promise<{ worker: Worker; port: number | null }> {
  const worker = new Worker(new URL('./embedded-worker.js', import.meta.url), { workerData: data, execArgv: [] });
  onStart();
  try {
    const [message] = (await once(worker, 'message', { signal: AbortSignal.timeout(START_TIMEOUT_MS) })) as [
      EmbeddedWorkerMessage,
    ];
    if (message.kind === 'ready') return { worker, port: message.port };
    throw message.kind === 'failed' ? message.error : new TypeError(`unexpected message ${message.kind}`);
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}

// Gives the function that closes the server. Until it is called, the end of the thread is a failure.
function superviseWorker(
  worker: Worker,
  cleanUp: () => Promise<void>,
  dataDir: string,
  { onExit, logger }: EmbeddedOptions,
): () => Promise<void> {
  let failure: unknown;
  let closing: Promise<void> | undefined;
  worker.on('error', (error) => {
    failure ??= error;
  });
  worker.on('message', (message: EmbeddedWorkerMessage) => {
    if (message.kind === 'failed') failure ??= message.error;
  });
  const ended = once(worker, 'exit').then(cleanUp, cleanUp);
  ended.then(
    () => {
      if (closing !== undefined) return;
      const error = new DatabaseUnavailableError(
        `the embedded database of ${dataDir} has stopped; restart the process, and see whether the disk is full`,
        { cause: failure },
      );
      logger?.warn(
        { dataDir, reason: failure instanceof Error ? failure.message : 'unknown' },
        'embedded database stopped',
      );
      onExit?.(error);
    },
    (error: unknown) => {
      logger?.warn({ dataDir, reason: String(error) }, 'embedded database could not be cleaned up');
    },
  );
  return () => {
    closing ??= closeWorker(worker, ended);
    return closing;
  };
}

async function closeWorker(worker: Worker, ended: Promise<void>): Promise<void> {
  worker.postMessage('close');
  const last = await Promise.race([
    once(worker, 'message').then(([message]) => message as EmbeddedWorkerMessage),
    once(worker, 'exit').then(() => null),
    // A statement cannot be cancelled inside the engine; ending it here loses no more than a kill would.
    sleep(CLOSE_TIMEOUT_MS, null, { ref: false }),
  ]);
  await worker.terminate();
  await ended;
  if (last?.kind !== 'closed') {
    throw new DatabaseUnavailableError('the embedded database did not close cleanly; the next start will recover it', {
      cause: last?.kind === 'failed' ? last.error : undefined,
    });
  }
}

function connectionTo(host: string, port: number): DatabaseConnection {
  return { host, port, user: 'postgres', database: 'postgres', embedded: true };
}

// Only a query tells: the system accepts connections for a process that is stopped, and a killed one leaves its files.
async function answers({ host, port, user, database }: DatabaseConnection): Promise<boolean> {
  const { Client } = await import('pg');
  const client = new Client({
    ...{ host, port, user, database, password: 'unused', ssl: false },
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    await client.end();
    return true;
  } catch {
    // Not an error yet: the owner may be ending, or busy; the caller asks again until its time is over.
    client.end().catch(() => undefined);
    return false;
  }
}

function inUse(dataDir: string, file: ServerFile | null): DatabaseUnavailableError {
  return new DatabaseUnavailableError(
    `the data directory ${dataDir} is in use by ${describeOwner(file)}; stop that process first`,
  );
}

function notShared(dataDir: string, file: ServerFile): DatabaseUnavailableError {
  return new DatabaseUnavailableError(
    `the data directory ${dataDir} is in use by ${describeOwner(file)}, a command that ends by itself; ` +
      'wait until it has finished, or run "npm start" and both commands beside it',
  );
}

function notAnswering(dataDir: string, file: ServerFile | null): DatabaseUnavailableError {
  return new DatabaseUnavailableError(
    `the data directory ${dataDir} is owned by ${describeOwner(file)}, which does not answer; ` +
      'if it is busy, try again later, else stop it and start again',
  );
}

function describeOwner(file: ServerFile | null): string {
  return file === null ? 'another process' : `process ${file.pid} (since ${file.startedAt})`;
}

async function cannotStart(dataDir: string, cause: unknown): Promise<DatabaseUnavailableError> {
  const text = cause instanceof Error ? cause.message : '';
  const advice = (await isDiskFull(dataDir, cause))
    ? 'its disk is full; free some space'
    : /EACCES|EPERM|EROFS/.test(text)
      ? 'it must be writable for this user'
      : 'its files may be damaged; move the directory away and restore a backup, or ingest again';
  return new DatabaseUnavailableError(`the embedded database in ${dataDir} cannot start: ${advice}`, { cause });
}

// The engine's own reason is lost inside WebAssembly, and nobody should move files away because a disk is full.
async function isDiskFull(dataDir: string, cause: unknown): Promise<boolean> {
  if (cause instanceof Error && /ENOSPC|EDQUOT/.test(cause.message)) return true;
  const errno = typeof cause === 'object' && cause !== null && 'errno' in cause ? cause.errno : undefined;
  if (errno === WASI_ENOSPC) return true;
  const { bavail, bsize } = await statfs(dataDir);
  return bavail * bsize < WAL_SEGMENT_BYTES;
}
