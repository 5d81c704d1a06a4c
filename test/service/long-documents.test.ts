// A page that is added while long documents are being indexed does not wait for them.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Embedder } from '../../retrieval/ports.ts';
import { readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { createOperations, type Operations } from '../../src/operations/create-operations.ts';
import { openProduct, type Product } from '../../src/product.ts';
import { importPeople } from '../helpers/operations.ts';
import { type ProcessDatabase, processDatabase } from '../helpers/process-database.ts';
import { createWordEmbedder } from '../helpers/word-embedder.ts';

const EVE = 'eve@x.example';
/** Long as a file; its one paragraph is quickly read. */
const LONG = `<h1>Almanac</h1><p>The tide turns at the harbour twice a day.</p><!--${'tide '.repeat(30_000)}-->`;

let place: ProcessDatabase;
let product: Product;
let operations: Operations;
let release: () => void;
beforeAll(async () => {
  place = await processDatabase();
  const words = createWordEmbedder();
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const embed: Embedder['embed'] = async (texts, kind) => {
    if (texts.some((text) => text.includes('tide'))) await released;
    return words.embed(texts, kind);
  };
  const config = readConfig({ ...place.environment, VERBATIM_TENANT: 'acme', VERBATIM_INDEX_WORKERS: '2' });
  const embedder = { ...words, embed, close: async () => undefined };
  product = await openProduct(config, createLogger({ level: 'fatal' }), { embedder });
  await importPeople(product.database, 'acme');
  await product.startWorkers();
  operations = createOperations(product);
});
afterAll(async () => {
  release();
  await product?.close();
  await place.close();
});

async function submit(text: string): Promise<string> {
  const document = { fileName: 'page.html', mediaType: 'text/html', bytes: Buffer.from(text), readers: null };
  return (await operations.documents.submit('acme', EVE, { ...document, replaces: 'any' })).documentId;
}

const stateOf = async (documentId: string) => (await operations.documents.find('acme', documentId))?.state;
const untilLive = (documentId: string) =>
  vi.waitFor(async () => expect(await stateOf(documentId)).toBe('live'), { timeout: 20_000, interval: 50 });

test('two long documents leave a worker for a short one, and are done after it', async () => {
  const long = [await submit(LONG), await submit(`${LONG}<p>It ends here.</p>`)];
  await vi.waitFor(async () => expect((await product.queue.counts())['index-long-document']?.active).toBe(1), {
    timeout: 20_000,
  });
  const short = await submit('<p>The gate closes at nine in the evening.</p>');
  await untilLive(short);
  expect(await Promise.all(long.map(stateOf))).toEqual(['pending', 'pending']);
  release();
  for (const each of long) await untilLive(each);
});
