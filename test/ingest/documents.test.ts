import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { importDirectory } from '../../ingest/directory.ts';
import { setQuarantine } from '../../ingest/document-acl.ts';
import { findForgetTargets, forgetDocument } from '../../ingest/forget-document.ts';
import { lexicalSearch } from '../../retrieval/lexical-search.ts';
import { visibleAcls } from '../../retrieval/visible-acls.ts';
import { acl, createCorpus } from '../helpers/corpus.ts';
import { type TestDatabase, testDatabase } from '../helpers/database.ts';

let opened: TestDatabase;
beforeAll(async () => {
  opened = await testDatabase();
});
beforeEach(async () => {
  await opened.reset();
  await opened.database.transaction((query) =>
    importDirectory(
      query,
      {
        people: [
          { email: 'intern@x.example', name: '', role: 'intern', active: true, guest: false },
          { email: 'analyst@x.example', name: '', role: 'analyst', active: true, guest: false },
          { email: 'manager@x.example', name: '', role: 'manager', active: true, guest: false },
          { email: 'exec@x.example', name: '', role: 'exec', active: true, guest: false },
          { email: 'admin@x.example', name: '', role: 'admin', active: true, guest: false },
          { email: 'guest@x.example', name: '', role: 'intern', active: true, guest: true },
          { email: 'gone@x.example', name: '', role: 'exec', active: false, guest: false },
        ],
        groups: [
          { id: 'finance', name: 'Finance', members: ['analyst@x.example', 'group:auditors'] },
          { id: 'auditors', name: 'Auditors', members: ['guest@x.example', 'gone@x.example'] },
        ],
      },
      { tenantId: 'acme', name: 'test', merge: false, force: false },
    ),
  );
});
afterAll(() => opened.close());

const EVERYBODY = ['admin', 'analyst', 'exec', 'guest', 'intern', 'manager', 'gone', 'stranger'];

/** Who of all people finds a chunk with the word. */
async function readersOf(word: string): Promise<string[]> {
  const readers: string[] = [];
  for (const name of EVERYBODY) {
    const audience = [{ person: `${name}@x.example` }];
    const visibleTo = await opened.database.transaction((query) => visibleAcls(query, 'acme', audience));
    const { hits } = await lexicalSearch(opened.database, visibleTo, word, { limit: 5, timeoutMs: 60_000 });
    if (hits.length > 0) readers.push(name);
  }
  return readers.sort();
}

async function rows<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
  return opened.database.owner((query) => query<Row>(sql, values));
}

describe('who may read an ingested document', () => {
  const everyone = ['verbatim:everyone'];
  const finance = ['verbatim:group:finance'];
  const members = ['admin', 'analyst', 'exec', 'intern', 'manager'];
  test.each([
    ['nobody named: admins only', 'a.md', {}, ['admin']],
    ['everyone: every member, no guest', 'a.md', { allow: everyone }, members],
    ['public and everyone: still no guest', 'a.md', { allow: everyone, level: 'public' }, members],
    ['a group: its members, also through a nested group', 'a.md', { allow: finance }, ['analyst', 'guest']],
    [
      'two principals of one layer: either',
      'a.md',
      { allow: [...finance, 'verbatim:role:exec'] },
      ['admin', 'analyst', 'exec', 'guest'],
    ],
    ['a required layer besides: both', 'a.md', { allow: everyone, require: finance }, ['analyst']],
    ['two required layers: all', 'a.md', { require: [...finance, 'verbatim:role:manager'] }, []],
    [
      'denied beats allowed',
      'a.md',
      { allow: everyone, deny: ['verbatim:role:intern'] },
      ['admin', 'analyst', 'exec', 'manager'],
    ],
    [
      'denied beats granted',
      'a.md',
      { allow: everyone, level: 'restricted', grant: finance, deny: ['verbatim:group:auditors'] },
      ['admin', 'analyst', 'exec'],
    ],
    [
      'confidential asks for a manager',
      'a.md',
      { allow: everyone, level: 'confidential' },
      ['admin', 'exec', 'manager'],
    ],
    ['restricted asks for an exec', 'a.md', { allow: everyone, level: 'restricted' }, ['admin', 'exec']],
    [
      'a grant beats the level, for guests too',
      'a.md',
      { allow: everyone, level: 'restricted', grant: finance },
      ['admin', 'analyst', 'exec', 'guest'],
    ],
    ['finance is never below confidential', 'finance/a.md', { allow: everyone }, ['admin', 'exec', 'manager']],
    [
      'not even when it is said to be public',
      'finance/a.md',
      { allow: everyone, level: 'public' },
      ['admin', 'exec', 'manager'],
    ],
    [
      'a group named on a document whose level is derived reads it',
      'finance/a.md',
      { allow: finance },
      ['analyst', 'guest'],
    ],
    ['but not where the level was demanded', 'finance/a.md', { allow: finance, level: 'confidential' }, []],
  ] as const)('%s', async (_, uri, request, expected) => {
    await createCorpus(opened.database).add(`file:///docs/${uri}`, 'The walrus sleeps.', {
      acl: acl(request as object),
    });
    expect(await readersOf('walrus')).toEqual([...expected].sort());
  });
});

describe('submitting again', () => {
  test('equal bytes change nothing', async () => {
    const corpus = createCorpus(opened.database);
    await corpus.add('a.md', 'The walrus sleeps.');
    const again = await corpus.submit('a.md', 'The walrus sleeps.');
    expect(again).toMatchObject({ outcome: 'unchanged', version: 1 });
    expect(corpus.sent).toEqual(['index-document']);
  });

  test('equal bytes with other rights change the rights at once, without indexing', async () => {
    const corpus = createCorpus(opened.database);
    await corpus.add('a.md', 'The walrus sleeps.');
    const again = await corpus.submit('a.md', 'The walrus sleeps.', {
      acl: acl({ allow: ['verbatim:group:finance'] }),
    });
    expect(again.outcome).toBe('acl_changed');
    expect(await readersOf('walrus')).toEqual(['analyst', 'guest']);
    expect(corpus.sent).toEqual(['index-document']);
  });

  test('without rights they stay as they were', async () => {
    const corpus = createCorpus(opened.database);
    await corpus.add('a.md', 'The walrus sleeps.', { acl: acl({ allow: ['verbatim:group:finance'] }) });
    await corpus.add('a.md', 'The walrus wakes.', { acl: null });
    expect(await readersOf('wakes')).toEqual(['analyst', 'guest']);
  });

  // On the embedded server transactions run one after the other; a real one lets them meet.
  test('submitted by several at once it is stored once, and a change of many of it once', async () => {
    const corpus = createCorpus(opened.database);
    const atOnce = <T>(what: () => Promise<T>) => Promise.all([what(), what(), what()]);
    const first = await atOnce(() =>
      corpus.submit('a.md', 'The walrus sleeps.', { acl: acl({ deny: ['verbatim:role:exec'] }) }),
    );
    expect(new Set(first.map(({ documentId }) => documentId)).size).toBe(1);
    const again = await atOnce(() => corpus.submit('a.md', 'The walrus wakes.', { acl: null }));
    expect(new Set(again.map(({ version }) => version))).toEqual(new Set([2]));
    const versions = await opened.database.transaction((query) =>
      query<{ deny: string[] }>(
        `select submission->'acl'->'deny' as deny from document_versions where tenant_id = 'acme' order by version`,
      ),
    );
    expect(versions.map(({ deny }) => deny)).toEqual([['verbatim:role:exec'], ['verbatim:role:exec']]);
  });

  test('a changed file replaces the old version when it is in, not before', async () => {
    const corpus = createCorpus(opened.database);
    const documentId = await corpus.add('a.md', 'The walrus sleeps.');
    const pending = await corpus.submit('a.md', 'The seal swims.');
    expect([await readersOf('walrus'), await readersOf('seal')].map((each) => each.length > 0)).toEqual([true, false]);
    await corpus.index(pending);
    expect([await readersOf('walrus'), await readersOf('seal')].map((each) => each.length > 0)).toEqual([false, true]);
    expect(pending).toMatchObject({ documentId, version: 2 });
    const versions = await rows<{ version: number; kept: boolean }>(
      'select version, text is not null or original is not null as kept from document_versions order by version',
    );
    expect(versions).toEqual([
      { version: 1, kept: false },
      { version: 2, kept: true },
    ]);
  });

  test('rights that get tighter hold for the old version while the new one is on its way', async () => {
    const corpus = createCorpus(opened.database);
    await corpus.add('a.md', 'The walrus sleeps.');
    const pending = await corpus.submit('a.md', 'The walrus wakes.', {
      acl: acl({ allow: ['verbatim:group:finance'] }),
    });
    expect(await readersOf('walrus')).toEqual(['analyst']);
    await corpus.index(pending);
    expect(await readersOf('walrus')).toEqual(['analyst', 'guest']);
  });

  test('a version that cannot be parsed is recorded, and the one before stays', async () => {
    const corpus = createCorpus(opened.database);
    await corpus.add('a.md', 'The walrus sleeps.');
    await corpus.index(await corpus.submit('a.md', ' \n '));
    expect(await readersOf('walrus')).not.toEqual([]);
    expect(await rows('select state, version, failure_code from documents')).toEqual([
      { state: 'live', version: 1, failure_code: 'empty' },
    ]);
  });

  test('an outdated job does nothing', async () => {
    const corpus = createCorpus(opened.database);
    const first = await corpus.submit('a.md', 'The walrus sleeps.');
    const second = await corpus.submit('a.md', 'The seal swims.');
    expect(await corpus.index(first)).toBe(false);
    expect(await corpus.index(second)).toBe(true);
    expect(await readersOf('walrus')).toEqual([]);
  });
});

test('a pending document is found by nobody', async () => {
  await createCorpus(opened.database).submit('a.md', 'The walrus sleeps.');
  expect(await readersOf('walrus')).toEqual([]);
  expect(await rows('select state from documents')).toEqual([{ state: 'pending' }]);
});

test('a quarantined document vanishes at once and comes back without being indexed again', async () => {
  const corpus = createCorpus(opened.database);
  const documentId = await corpus.add('a.md', 'The walrus sleeps.');
  await opened.database.transaction((query) => setQuarantine(query, 'acme', documentId, true));
  expect(await readersOf('walrus')).toEqual([]);
  await opened.database.transaction((query) => setQuarantine(query, 'acme', documentId, false));
  expect(await readersOf('walrus')).toHaveLength(5);
  expect(corpus.sent).toEqual(['index-document']);
});

test('text that is not in effect is not found', async () => {
  const corpus = createCorpus(opened.database);
  const day = 86_400_000;
  await corpus.add('old.md', 'The walrus sleeps.', { effectiveTo: new Date(Date.now() - day) });
  await corpus.add('future.md', 'The seal swims.', { effectiveFrom: new Date(Date.now() + day) });
  await corpus.add('now.md', 'The otter plays.', {
    effectiveFrom: new Date(Date.now() - day),
    effectiveTo: new Date(Date.now() + day),
  });
  expect(await readersOf('walrus')).toEqual([]);
  expect(await readersOf('seal')).toEqual([]);
  expect(await readersOf('otter')).toHaveLength(5);
});

test('forgetting removes text, chunks, vectors, words and originals, and leaves a tombstone without content', async () => {
  const corpus = createCorpus(opened.database);
  await corpus.add('keep.md', 'The otter plays.');
  await corpus.add('docs/secret.md', 'The walrus sleeps in Zanzibar.', { title: 'Walrus secrets' });
  await corpus.refresh();
  const receipt = await opened.database.transaction(async (query) => {
    const targets = await findForgetTargets(query, 'acme', ['docs']);
    return forgetDocument(query, 'acme', targets[0]?.documentId ?? '', 'admin@x.example');
  });
  expect(receipt).toMatchObject({ uri: 'docs/secret.md', versions: 1, chunks: 1, vectors: 1, answers: 0 });
  expect(await readersOf('walrus')).toEqual([]);
  expect(await readersOf('otter')).toHaveLength(5);
  const dump = JSON.stringify([
    ...(await rows('select * from documents')),
    ...(await rows('select * from document_versions')),
    ...(await rows('select * from chunks')),
    ...(await rows('select * from term_statistics')),
    ...(await rows('select * from tombstones')),
  ]);
  expect(dump).toContain('otter');
  expect(dump.toLowerCase()).not.toContain('walrus');
  expect(dump.toLowerCase()).not.toContain('zanzibar');
  expect(await rows('select uri from tombstones')).toEqual([{ uri: 'docs/secret.md' }]);
});

test('what was forgotten may come back as a new document', async () => {
  const corpus = createCorpus(opened.database);
  const first = await corpus.add('a.md', 'The walrus sleeps.');
  await opened.database.transaction((query) => forgetDocument(query, 'acme', first, 'admin'));
  const second = await corpus.add('a.md', 'The walrus sleeps.');
  expect(second).not.toBe(first);
  expect(await readersOf('walrus')).toHaveLength(5);
});

test('tenants do not see each other', async () => {
  await createCorpus(opened.database, { tenantId: 'other' }).add('a.md', 'The walrus sleeps.');
  expect(await readersOf('walrus')).toEqual([]);
});
