// @ts-check
// The thread that PostgreSQL runs in: it computes inside WebAssembly, and would stop all timers and sockets of the process.
// Plain JavaScript, because a thread of its own TypeScript loader costs it half a second of both cores at every start.
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';

/** @import { EmbeddedWorkerData, EmbeddedWorkerMessage } from './embedded-worker-messages.ts' */

// Of 10,000 chunks PostgreSQL's own 128 MB held 109 MB more in memory than this, and searched no faster: the operating
// system keeps the files' pages as well.
const START_PARAMETERS = [...PGlite.defaultStartParams, '-c', 'shared_buffers=32MB'];

// Far above the pools of a few processes; the socket server's own default is one.
const MAX_CONNECTIONS = 200;

const port = parentPort;
if (port === null) throw new TypeError('embedded-worker.js runs as a worker thread only');
const report = (/** @type {EmbeddedWorkerMessage} */ message) => port.postMessage(message);
const fail = (/** @type {unknown} */ error) => {
  report({ kind: 'failed', error });
  process.exit(1);
};

/**
 * A directory under its final name is always complete: an initialisation that was killed starts anew.
 * @param {string} clusterDir
 * @returns {Promise<PGlite>}
 */
async function openCluster(clusterDir) {
  if (!existsSync(clusterDir)) {
    const unfinished = `${clusterDir}.new`;
    await rm(unfinished, { recursive: true, force: true });
    const initialised = await PGlite.create({ dataDir: unfinished });
    await initialised.close();
    await rename(unfinished, clusterDir);
  }
  return await PGlite.create({ dataDir: clusterDir, extensions: { vector }, startParams: START_PARAMETERS });
}

/** @param {EmbeddedWorkerData} data */
async function serve({ clusterDir, socketPath }) {
  const database = await openCluster(clusterDir);
  failOnEngineError(database);
  const server = new PGLiteSocketServer({
    db: database,
    maxConnections: MAX_CONNECTIONS,
    ...(socketPath === null ? { host: '127.0.0.1', port: 0 } : { path: socketPath }),
  });
  await server.start();
  port?.once('message', () => close(database, server).then(() => report({ kind: 'closed' }), fail));
  report({ kind: 'ready', port: socketPath === null ? Number(server.getServerConn().split(':').at(-1)) : null });
}

/**
 * When the engine itself throws, the socket server's queue stops for good: better no server than one that hangs.
 *
 * @param {PGlite} database
 */
function failOnEngineError(database) {
  const execute = database.execProtocolRawStream.bind(database);
  database.execProtocolRawStream = async (message, options) => {
    try {
      await execute(message, options);
    } catch (error) {
      fail(error);
    }
  };
}

/**
 * @param {PGlite} database
 * @param {PGLiteSocketServer} server
 */
async function close(database, server) {
  await server.stop();
  // A transaction of another process that was cut off would make the checkpoint fail.
  if (database.isInTransaction()) await database.exec('rollback');
  await database.exec('checkpoint');
  await database.close();
}

serve(workerData).catch(fail);
