// A process that is meant to be killed: it checks what its predecessor left, completes it, and goes on with the next round.
// Arguments: data directory, round to complete (-1: none), round to begin. Prints one JSON line a step.
import { readConfig } from '../../src/config.ts';
import { type Intake, ingestAll } from '../../src/ingest-run.ts';
import { createLogger } from '../../src/logger.ts';
import { openProduct, type Product } from '../../src/product.ts';
import { killRound } from './kill-rounds.ts';
import { createWordEmbedder } from './word-embedder.ts';

const [dataDir = '', complete = '-1', begin = '0'] = process.argv.slice(2);
const environment = process.env.TEST_DATABASE_URL
  ? { DATABASE_URL: dataDir, VERBATIM_EMBED_THREADS: '1' }
  : { VERBATIM_DATA_DIR: dataDir, VERBATIM_EMBED_THREADS: '1' };
// The real model would only make each of the many starts slower.
const embedder = { ...createWordEmbedder(), close: async () => undefined };
const product = await openProduct(readConfig(environment), createLogger({ level: 'error' }), { embedder });

function say(step: string, value: object = {}): void {
  process.stdout.write(`${JSON.stringify({ step, ...value })}\n`);
}

/** Documents whose chunks are not exactly those of their live version, each with its vector. */
async function findFaults({ database }: Product): Promise<object[]> {
  return database.transaction((query) =>
    query(
      `select d.uri, d.state, d.version, count(c.chunk_id)::int as chunks, count(distinct c.ordinal)::int as ordinals,
           count(e.chunk_id)::int as vectors, count(*) filter (where c.version <> d.version)::int as others
         from documents d
         left join chunks c on c.tenant_id = d.tenant_id and c.document_id = d.document_id
         left join chunk_embeddings e on e.tenant_id = c.tenant_id and e.chunk_id = c.chunk_id
         group by d.tenant_id, d.document_id, d.uri, d.state, d.version
         having count(c.chunk_id) <> count(distinct c.ordinal) or count(c.chunk_id) <> count(e.chunk_id)
           or count(*) filter (where c.version <> d.version) > 0 or (d.version > 0) <> (count(c.chunk_id) > 0)`,
    ),
  );
}

async function ingest(round: number): Promise<object> {
  const intakes: Intake[] = killRound(round).map(({ name, text }) => ({
    uri: `test:${name}`,
    fileName: name,
    acl: { allow: ['verbatim:everyone'], require: [], deny: [], grant: [], level: 'internal' },
    read: async () => ({ bytes: Buffer.from(text), mediaType: '' }),
  }));
  const documents = await ingestAll(product, intakes, { tenantId: 'default', submittedBy: 'test' });
  return { documents: documents.map(({ uri, version, chunks, failure }) => ({ uri, version, chunks, failure })) };
}

say('opened', { faults: await findFaults(product) });
if (Number(complete) >= 0) {
  const completed = await ingest(Number(complete));
  say('completed', { ...completed, faults: await findFaults(product) });
}
if (Number(begin) >= 0) {
  say('begin');
  say('done', await ingest(Number(begin)));
}
await product.close();
