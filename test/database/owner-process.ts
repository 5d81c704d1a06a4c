// A process of its own that owns an embedded database and works until it is killed. It prints one JSON line an event.
// Arguments: the data directory, and `rows` (inserts rows for ever) or `job` (starts a job that never ends).
import { openEmbedded } from '../../src/database/embedded.ts';
import { createDatabase, type DatabaseClient } from '../../src/database/pool.ts';
import { createQueue } from '../../src/database/queue.ts';
import { STUCK_QUEUE } from './stuck-queue.ts';

const [dataDir = '', mode = ''] = process.argv.slice(2);
const say = (event: object) => process.stdout.write(`${JSON.stringify(event)}\n`);

async function insertRows(database: DatabaseClient): Promise<void> {
  await database.owner((query) => query('create table reported (id int primary key)'));
  for (let id = 1; ; id++) {
    await database.owner((query) => query('insert into reported (id) values ($1)', [id]));
    say({ committed: id });
  }
}

async function startStuckJob(database: DatabaseClient): Promise<void> {
  const queue = createQueue(database, { queues: [STUCK_QUEUE] });
  await queue.start();
  queue.work(STUCK_QUEUE.name, { concurrency: 1, pollMs: 50 }, async (job) => {
    say({ started: job.data });
    await new Promise(() => undefined);
  });
  await database.transaction((query) => queue.send(query, STUCK_QUEUE.name, { documentId: 'd1' }));
}

const server = await openEmbedded({ dataDir, exclusive: true });
const database = createDatabase({ connection: server.connection });
say({ opened: process.pid });
if (mode === 'rows') await insertRows(database);
else await startStuckJob(database);
