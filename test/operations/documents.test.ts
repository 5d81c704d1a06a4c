import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { NewDocument } from '../../adapters/ports.ts';
import { UsageError } from '../../retrieval/errors.ts';
import { lexicalSearch } from '../../retrieval/lexical-search.ts';
import { visibleAcls } from '../../retrieval/visible-acls.ts';
import type { Operations } from '../../src/operations/create-operations.ts';
import { type Corpus, createCorpus } from '../helpers/corpus.ts';
import { type TestDatabase, testDatabase } from '../helpers/database.ts';
import { importPeople, testOperations } from '../helpers/operations.ts';

let opened: TestDatabase;
let documents: Operations['documents'];
let corpus: Corpus;
beforeAll(async () => {
  opened = await testDatabase();
  documents = testOperations(opened.database).documents;
});
beforeEach(async () => {
  await opened.reset();
  await importPeople(opened.database, 'acme');
  corpus = createCorpus(opened.database);
});
afterAll(() => opened.close());

const ANN = [{ person: 'ann@x.example' }];
const BOB = [{ person: 'bob@x.example' }];

const EVERYONE = { allow: ['verbatim:everyone'], require: [], level: 'internal' } as const;

const newDocument = (text: string, rest: Partial<NewDocument> = {}): NewDocument => ({
  fileName: 'note.md',
  mediaType: 'text/markdown',
  bytes: Buffer.from(text),
  readers: { allow: ['verbatim:role:manager'], require: [], level: 'internal' },
  replaces: 'any',
  ...rest,
});

async function add(text: string, rest: Partial<NewDocument> = {}): Promise<string> {
  const { documentId } = await documents.submit('acme', 'eve@x.example', newDocument(text, rest));
  const rows = await opened.database.transaction((query) =>
    query<{ version: number }>('select pending_version as version from documents where document_id = $1', [documentId]),
  );
  await corpus.index({ documentId, version: rows[0]?.version ?? 0, outcome: 'queued' });
  return documentId;
}

async function finds(word: string, audience = ANN): Promise<boolean> {
  const visibleTo = await opened.database.transaction((query) => visibleAcls(query, 'acme', audience));
  const { hits } = await lexicalSearch(opened.database, visibleTo, word, { limit: 5, timeoutMs: 60_000 });
  return hits.length > 0;
}

test('a submitted document is pending, then live, and says who may read it', async () => {
  const pending = await documents.submit('acme', 'eve@x.example', newDocument('# Sea\n\nThe walrus sleeps.'));
  expect(pending).toMatchObject({ state: 'pending', version: 0, chunks: 0, createdBy: 'eve@x.example', failure: null });
  expect(pending.uri).toMatch(/^upload:[0-9a-f-]{36}$/);
  expect(await finds('walrus')).toBe(false);
  await corpus.index({ documentId: pending.documentId, version: 1, outcome: 'queued' });
  expect(await documents.find('acme', pending.documentId)).toMatchObject({
    title: 'Sea',
    state: 'live',
    version: 1,
    chunks: 1,
    accessLevel: 'internal',
    readers: expect.stringContaining('verbatim:role:manager'),
    tookEffectAt: expect.any(Date),
  });
  expect(await documents.find('other', pending.documentId)).toBeNull();
  expect(await finds('walrus')).toBe(true);
});

test('equal content is two documents, each with its own readers', async () => {
  const first = await add('The walrus sleeps.');
  const second = await add('The walrus sleeps.', { readers: null });
  expect(second).not.toBe(first);
  expect(await documents.find('acme', first)).toMatchObject({
    readers: expect.stringContaining('verbatim:role:manager'),
  });
});

test('an admin replaces the document of a URI, an editor only what the editor added', async () => {
  const uri = 'https://wiki.example/fee';
  const first = await add('The fee is 3 crowns.', { uri });
  expect(await add('The fee is 4 crowns.', { uri })).toBe(first);
  const editors = async (text: string) =>
    (await documents.submit('acme', 'bob@x.example', newDocument(text, { uri, replaces: 'own', readers: EVERYONE })))
      .documentId;
  const own = await editors('The fee is 99 crowns.');
  expect(own).not.toBe(first);
  expect(await editors('The fee is 98 crowns.')).toBe(own);
  expect(await documents.find('acme', first)).toMatchObject({ version: 2, createdBy: 'eve@x.example' });
});

test.each([
  ['a principal that is none', { readers: { allow: ['finance'], require: [], level: null } }],
  ['a URI that runs something', { uri: 'javascript:alert(1)' }],
  ['a URI that leads out of its folder', { uri: '../../etc/passwd' }],
  ['a URI of the product itself', { uri: 'demo://company/policy.md' }],
  ['a URI that no index holds', { uri: `x:${'y'.repeat(3_000)}` }],
  ['more bytes than a document has', { bytes: new Uint8Array(50 * 2 ** 20 + 1) }],
])('%s is refused and nothing is stored', async (_, rest) => {
  await expect(documents.submit('acme', 'eve@x.example', newDocument('x', rest))).rejects.toThrow(UsageError);
  expect((await documents.list('acme', { limit: 9 })).documents).toEqual([]);
});

describe('the list', () => {
  test('goes page by page over every document once, newest first', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 5; index++) {
      const { documentId } = await documents.submit('acme', 'eve@x.example', newDocument(`Text ${index}.`));
      ids.unshift(documentId);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await documents.list('acme', { limit: 2, ...(cursor ? { cursor } : {}) });
      expect(page.documents.length).toBeLessThanOrEqual(2);
      seen.push(...page.documents.map(({ documentId }) => documentId));
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
    expect(seen).toEqual(ids);
    expect((await documents.list('other', { limit: 9 })).documents).toEqual([]);
  });

  test('is filtered by state and by a part of title or URI', async () => {
    await add('The walrus sleeps.', { title: 'Night watch', uri: 'https://docs.x.example/a' });
    await documents.submit('acme', 'eve@x.example', newDocument('%', { title: 'Day 100%' }));
    const titles = async (filter: object) =>
      (await documents.list('acme', { limit: 9, ...filter })).documents.map(({ title }) => title);
    expect(await titles({})).toEqual(['Day 100%', 'Night watch']);
    expect(await titles({ state: 'pending' })).toEqual(['Day 100%']);
    expect(await titles({ state: 'deleted' })).toEqual([]);
    expect(await titles({ search: 'NIGHT' })).toEqual(['Night watch']);
    expect(await titles({ search: 'docs.x' })).toEqual(['Night watch']);
    expect(await titles({ search: '0%' })).toEqual(['Day 100%']);
  });

  test.each(['', 'x', 'bm90IGpzb24', Buffer.from('["now()","a"]').toString('base64url'), 'W10'])(
    'a cursor that no page gave is refused: %j',
    async (cursor) => {
      await expect(documents.list('acme', { limit: 2, cursor })).rejects.toThrow(UsageError);
    },
  );
});

describe('reading', () => {
  test('whoever may read a document gets its text with its headings; others and other tenants get nothing', async () => {
    const documentId = await add('# Sea\n\nIntro.\n\n## Walrus\n\nIt sleeps.\n\n## Otter\n\nIt plays.\n');
    const read = await documents.read('acme', ANN, documentId);
    expect(read).toMatchObject({ documentId, title: 'Sea', version: 1, source: 'upload' });
    const heads = read?.headings.map(({ start, path }) => [read.text.slice(start).split('\n')[0], path]);
    expect(heads).toEqual([
      ['# Sea', ['Sea']],
      ['## Walrus', ['Sea', 'Walrus']],
      ['## Otter', ['Sea', 'Otter']],
    ]);
    expect(await documents.read('acme', BOB, documentId)).toBeNull();
    expect(await documents.read('acme', [...ANN, ...BOB], documentId)).toBeNull();
    expect(await documents.read('acme', [], documentId)).toBeNull();
    expect(await documents.read('other', ANN, documentId)).toBeNull();
    expect(await documents.read('acme', ANN, 'none')).toBeNull();
  });

  test('a pending, an outdated or a superseded document is not read', async () => {
    const { documentId } = await documents.submit('acme', 'eve@x.example', newDocument('Soon.'));
    expect(await documents.read('acme', ANN, documentId)).toBeNull();
    const outdated = await add('Old.');
    expect(await documents.read('acme', ANN, outdated)).not.toBeNull();
    await opened.database.transaction((query) =>
      query("update documents set effective_to = now() - interval '1 day' where document_id = $1", [outdated]),
    );
    expect(await documents.read('acme', ANN, outdated)).toBeNull();
  });
});

test('a quarantined document is found and read by nobody, and comes back without being indexed anew', async () => {
  const documentId = await add('The walrus sleeps.');
  const rowsOf = () =>
    opened.database.owner((query) =>
      query(
        `select c.acl_id, c.chunk_id, e.acl_id as vector_acl, c.version from chunks c
           join chunk_embeddings e using (tenant_id, chunk_id)`,
      ),
    );
  const before = await rowsOf();
  expect(await documents.quarantine('other', 'eve@x.example', documentId)).toBe(false);
  expect(await documents.quarantine('acme', 'eve@x.example', documentId)).toBe(true);
  expect(await documents.quarantine('acme', 'eve@x.example', documentId)).toBe(false);
  expect(await rowsOf()).toMatchObject([{ acl_id: 0, vector_acl: 0 }]);
  expect(await finds('walrus')).toBe(false);
  expect(await documents.read('acme', ANN, documentId)).toBeNull();
  expect(await documents.find('acme', documentId)).toMatchObject({ state: 'quarantined', chunks: 1 });
  expect(await documents.release('acme', 'eve@x.example', documentId)).toBe(true);
  expect(await documents.release('acme', 'eve@x.example', documentId)).toBe(false);
  expect(await rowsOf()).toEqual(before);
  expect(await finds('walrus')).toBe(true);
  expect(await finds('walrus', BOB)).toBe(false);
});

test('a forgotten document leaves a receipt and a tombstone, and nothing else', async () => {
  const documentId = await add('The walrus sleeps.');
  expect(await documents.forget('other', 'eve@x.example', documentId)).toBeNull();
  expect(await documents.forget('acme', 'eve@x.example', documentId)).toMatchObject({
    documentId,
    versions: 1,
    chunks: 1,
    vectors: 1,
    answers: 0,
    postedAnswers: 0,
  });
  expect(await documents.forget('acme', 'eve@x.example', documentId)).toBeNull();
  expect(await documents.read('acme', ANN, documentId)).toBeNull();
  expect(await documents.find('acme', documentId)).toMatchObject({ state: 'deleted', title: '', chunks: 0 });
  expect((await documents.list('acme', { limit: 9 })).documents).toEqual([]);
});

test('each change stands in the audit log with who made it', async () => {
  const documentId = await add('The walrus sleeps.', { uri: 'a.md' });
  await documents.quarantine('acme', 'eve@x.example', documentId);
  await documents.release('acme', 'ann@x.example', documentId);
  await documents.forget('acme', 'eve@x.example', documentId);
  const log = await opened.database.transaction((query) =>
    query('select actor, action, target from audit_log order by at'),
  );
  expect(log).toEqual([
    { actor: 'eve@x.example', action: 'document.ingest', target: 'a.md' },
    { actor: 'eve@x.example', action: 'document.quarantine', target: documentId },
    { actor: 'ann@x.example', action: 'document.release', target: documentId },
    { actor: 'eve@x.example', action: 'document.forget', target: 'a.md' },
  ]);
});
