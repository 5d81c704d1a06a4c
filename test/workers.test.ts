// What the workers do about an embedder's server that is away and comes back, seen by somebody who searches by meaning.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Submission, submitDocument } from '../ingest/documents.ts';
import { forgetDocument } from '../ingest/forget-document.ts';
import { visibleAcls } from '../retrieval/visible-acls.ts';
import { readConfig } from '../src/config.ts';
import { createLogger } from '../src/logger.ts';
import { openProduct, type Product } from '../src/product.ts';
import { acl } from './helpers/corpus.ts';
import { type ModelServer, startModelServer } from './helpers/model-servers.ts';
import { type ProcessDatabase, processDatabase } from './helpers/process-database.ts';

// Texts of one subject have one vector, whatever their words.
const SUBJECTS = [/annual leave|recreation/, /lost badge|identity card/];
const vectorOf = (text: string) => [...SUBJECTS.map((subject) => (subject.test(text) ? 1 : 0)), 0.1];

let place: ProcessDatabase;
let server: ModelServer;
let product: Product;
beforeEach(async () => {
  [place, server] = await Promise.all([processDatabase(), startModelServer()]);
  server.vectors(vectorOf);
});
afterEach(() => Promise.all([server.close(), place.close()]));

async function inProduct(run: () => Promise<void>): Promise<void> {
  const settings = { VERBATIM_TENANT: 'acme', VERBATIM_EMBEDDER: 'ollama:emb', OLLAMA_BASE_URL: server.url };
  product = await openProduct(readConfig({ ...place.environment, ...settings }), createLogger({ level: 'fatal' }));
  try {
    await run();
  } finally {
    await product.close();
  }
}

async function submit(uri: string, text: string): Promise<string> {
  const submission: Submission = {
    ...{ tenantId: 'acme', sourceId: 'upload', uri, fileName: uri, mediaType: '', submittedBy: 'test' },
    ...{ bytes: Buffer.from(text), acl: acl({ allow: ['verbatim:everyone'], level: 'public' }) },
  };
  const { documentId } = await product.database.transaction((query) =>
    submitDocument(query, product.outbox, submission),
  );
  return documentId;
}

const rows = <Row extends object>(sql: string) => product.database.owner((query) => query<Row>(sql));

const states = () =>
  rows<{ uri: string }>(
    'select uri, state, version, pending_version as pending, failure_code as failure from documents order by uri',
  );

/** The best document for a question that has no word of it. */
async function foundByMeaning(question: string): Promise<string | undefined> {
  const audience = [{ principals: ['verbatim:everyone'] }];
  const visibleTo = await product.database.transaction((query) => visibleAcls(query, 'acme', audience));
  const { ranked, degraded } = await product.search({ question, visibleTo, audience, limit: 5 });
  expect([degraded, ranked.filter(({ contributions }) => contributions.lexical > 0)]).toEqual([[], []]);
  return ranked[0]?.uri;
}

const WAITING = `name = 'embed-missing' and state in ('created', 'retry') and start_after > now()`;

/** The job waits for the end of a burst of documents, which has come. */
async function embedMissingNow(): Promise<void> {
  await vi.waitFor(
    async () => {
      const moved = await rows(`update pgboss.job set start_after = now() where ${WAITING} returning 1 as one`);
      expect(moved).toHaveLength(1);
    },
    { timeout: 30_000, interval: 200 },
  );
}

const RECREATION = 'How long may I stay away for recreation?';
const BADGE = 'Somebody found my identity card; whom do I tell?';

test('a document that came while it was away is found by meaning when it is back, however often it was asked in vain', async () => {
  await inProduct(async () => {
    await product.startWorkers();
    server.fail(503, Number.POSITIVE_INFINITY);
    await submit('leave.md', 'Every employee has thirty days of annual leave.');
    const live = { uri: 'leave.md', state: 'live', version: 1, pending: null, failure: null };
    await vi.waitFor(async () => expect(await states()).toEqual([live]), { timeout: 60_000, interval: 200 });
    const asked = server.received.length;
    await embedMissingNow();
    await vi.waitFor(() => expect(server.received.length).toBeGreaterThan(asked), { timeout: 30_000 });
    // The job that has asked in vain leaves another one.
    await embedMissingNow();
    server.fail(503, 0);
    await vi.waitFor(async () => expect(await foundByMeaning(RECREATION)).toBe('leave.md'), {
      timeout: 30_000,
      interval: 200,
    });
    expect(server.violations).toEqual([]);
  });
}, 180_000);

test('documents that an earlier release gave up while it was away are live after an upgrade, with their vectors', async () => {
  await inProduct(async () => {
    await product.startWorkers();
    await submit('badge.md', 'Nobody needs a pass in the garden.');
    await vi.waitFor(async () => expect(await states()).toMatchObject([{ state: 'live' }]), { timeout: 30_000 });
  });
  await inProduct(async () => {
    for (const uri of ['leave.md', 'gone.md']) await submit(uri, 'Every employee has thirty days of annual leave.');
    await submit('badge.md', 'Report a lost badge to the front desk at once.');
    // As it recorded that, for a new document and for a new version of one that is live.
    await rows(`update documents set pending_version = null, lease_owner = null, lease_until = null,
      failure_code = 'embedding_failed', failure_reason = 'none of 1 chunks could be embedded by ollama:emb; see the log',
      state = case when version = 0 then 'failed' else state end`);
    await rows(`delete from pgboss.job where name = 'index-document'`);
    await product.database.transaction(async (query) => {
      const [gone] = await query<{ id: string }>(`select document_id as id from documents where uri = 'gone.md'`);
      await forgetDocument(query, 'acme', gone?.id ?? '', 'test');
    });
  });
  await inProduct(async () => {
    expect(await states()).toMatchObject([
      { uri: 'badge.md', state: 'live', version: 1, failure: 'embedding_failed' },
      { uri: 'gone.md', state: 'deleted' },
      { uri: 'leave.md', state: 'failed', version: 0, failure: 'embedding_failed' },
    ]);
    await product.startWorkers();
    const live = { state: 'live', pending: null, failure: null };
    await vi.waitFor(
      async () =>
        expect(await states()).toMatchObject([
          { ...live, uri: 'badge.md', version: 2 },
          { uri: 'gone.md', state: 'deleted' },
          { ...live, uri: 'leave.md', version: 1 },
        ]),
      { timeout: 30_000, interval: 200 },
    );
    expect([await foundByMeaning(RECREATION), await foundByMeaning(BADGE)]).toEqual(['leave.md', 'badge.md']);
  });
}, 180_000);
