// Ingest through the product's own indexer with the configured embedder.
import { randomUUID } from 'node:crypto';
import pLimit from 'p-limit';
import type { BenchFigures } from '../../eval/bench/render-bench.ts';
import { createSyntheticCorpus } from '../../eval/bench/synthetic-corpus.ts';
import { submitDocument } from '../../ingest/documents.ts';
import { createIndexer } from '../../ingest/index-document.ts';
import type { Embedder } from '../../retrieval/ports.ts';
import { openProduct, type Product } from '../product.ts';
import { onOwnDirectory } from './own-database.ts';
import type { StoppableContext } from './until-stopped.ts';

const DOCUMENTS = 16;
const SECTIONS = 5; // a chunk each

/** Ingests synthetic documents into an embedded database of its own. */
export function measureIngest({
  config,
  logger,
  untilStopped,
}: StoppableContext): Promise<NonNullable<BenchFigures['ingest']>> {
  return onOwnDirectory('bench', async (dataDir) => {
    const product = await openProduct({ ...config, databaseUrl: null, dataDir }, logger);
    try {
      return await untilStopped(indexAll(product));
    } finally {
      await product.close();
    }
  });
}

async function indexAll({ database, embedder, config, logger }: Product): Promise<NonNullable<BenchFigures['ingest']>> {
  await embedder.embed(['warm'], 'document');
  const watched = watchEmbedder(embedder);
  const tenantId = 'bench';
  const outbox = { send: async () => undefined };
  const corpus = createSyntheticCorpus({ shares: [100], seed: 2 });
  const start = performance.now();
  const index = createIndexer({ database, outbox, embedder: watched.embedder, logger, workerId: randomUUID() });
  const limit = pLimit(config.indexWorkers);
  await Promise.all(
    Array.from({ length: DOCUMENTS }, (_, document) =>
      limit(async () => {
        const sections = corpus.batch(document * SECTIONS, SECTIONS);
        const text = sections.map((section) => `# Section ${section.number}\n\n${section.text}\n`).join('\n');
        const { documentId, version } = await database.transaction((query) =>
          submitDocument(query, outbox, {
            tenantId,
            sourceId: 'bench',
            uri: `bench:${document}`,
            fileName: `${document}.md`,
            mediaType: '',
            bytes: Buffer.from(text),
            acl: null,
            submittedBy: 'bench',
          }),
        );
        await index({ tenantId, documentId, version });
      }),
    ),
  );
  const elapsedMs = performance.now() - start;
  const chunks = DOCUMENTS * SECTIONS;
  return { chunks, chunksPerSecond: (1000 * chunks) / elapsedMs, embedderShare: watched.busyMs() / elapsedMs };
}

// The time in which at least one text is being embedded: calls of several documents overlap.
function watchEmbedder(embedder: Embedder): { embedder: Embedder; busyMs(): number } {
  let running = 0;
  let since = 0;
  let busyMs = 0;
  return {
    embedder: {
      ...embedder,
      async embed(texts, kind) {
        if (running++ === 0) since = performance.now();
        try {
          return await embedder.embed(texts, kind);
        } finally {
          if (--running === 0) busyMs += performance.now() - since;
        }
      },
    },
    busyMs: () => busyMs,
  };
}
