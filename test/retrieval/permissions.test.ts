// Random layers, groups, denials, audiences and documents: what retrieval gives is compared with the rule as a sentence of
// plain code. Both ways: no leak, no over-denial.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { internAcl, putLayer } from '../../ingest/acl.ts';
import { importDirectory } from '../../ingest/directory.ts';
import { setAcl, setQuarantine } from '../../ingest/document-acl.ts';
import { checkpoint } from '../../retrieval/checkpoint.ts';
import { lexicalSearch } from '../../retrieval/lexical-search.ts';
import { ACCESS_LEVELS, type Audience, ROLES } from '../../retrieval/model.ts';
import { vectorSearch } from '../../retrieval/vector-search.ts';
import { visibleAcls } from '../../retrieval/visible-acls.ts';
import { createCorpus } from '../helpers/corpus.ts';
import { type TestDatabase, testDatabase } from '../helpers/database.ts';
import { createWordEmbedder } from '../helpers/word-embedder.ts';

let opened: TestDatabase;
beforeAll(async () => {
  opened = await testDatabase();
});
afterAll(() => opened.close());

const PEOPLE = ['ann@x.example', 'bob@x.example', 'cem@x.example', 'dee@x.example', 'eve@x.example'];
const GROUPS = ['red', 'green', 'blue'];
const WORLDS = 25;
const DOCUMENTS = 8;
const AUDIENCES = 20; // with the documents: 4,000 decisions, each made by four parts of the product

const principal = fc.constantFrom(
  'verbatim:everyone',
  ...PEOPLE.map((email) => `verbatim:user:${email}`),
  ...GROUPS.map((id) => `verbatim:group:${id}`),
  ...ROLES.map((role) => `verbatim:role:${role}`),
  'confluence:group:42',
);
const person = fc.record({
  role: fc.constantFrom(...ROLES),
  guest: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
  gone: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
});
const layer = fc.record({
  principals: fc.uniqueArray(principal, { maxLength: 4 }),
  resolved: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
});
const world = fc.record({
  people: fc.tuple(...PEOPLE.map(() => person)),
  groups: fc.tuple(
    ...GROUPS.map(() =>
      fc.uniqueArray(fc.constantFrom(...PEOPLE, ...GROUPS.map((id) => `group:${id}`)), { maxLength: 4 }),
    ),
  ),
  layers: fc.array(layer, { minLength: 1, maxLength: 6 }),
  documents: fc.array(
    fc.record({
      layers: fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 3 }),
      denied: fc.oneof(
        { weight: 3, arbitrary: fc.constant<string[]>([]) },
        { weight: 1, arbitrary: fc.uniqueArray(principal, { maxLength: 2 }) },
      ),
      level: fc.constantFrom(...ACCESS_LEVELS),
      quarantined: fc.integer({ min: 0, max: 7 }).map((n) => n === 0),
    }),
    { minLength: DOCUMENTS, maxLength: DOCUMENTS },
  ),
  audiences: fc.array(
    fc.uniqueArray(
      fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...PEOPLE).map((email) => ({ person: email })) },
        { weight: 1, arbitrary: fc.constant({ person: 'nobody@x.example' }) },
        {
          weight: 1,
          arbitrary: fc
            .constantFrom<string[]>(['verbatim:everyone'], ['confluence:group:42'], [])
            .map((principals) => ({ principals })),
        },
      ),
      { maxLength: 3, selector: (member) => JSON.stringify(member) },
    ),
    { minLength: AUDIENCES, maxLength: AUDIENCES },
  ),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;
type Document = Omit<World['documents'][number], 'denied'> & { denied: string[] };

/** The rule, in plain code. */
function mayRead(given: World, audience: Audience, index: number): boolean {
  const document: Document | undefined = given.documents[index];
  if (!document || document.quarantined || audience.length === 0) return false;
  return audience.every((member) => {
    const held = heldBy(given, member);
    const layers = [...new Set(document.layers.map((each) => each % given.layers.length))];
    return (
      layers.every((each) => {
        const needed = given.layers[each];
        return needed?.resolved === true && needed.principals.some((one) => held.has(one));
      }) && !document.denied.some((one) => held.has(one))
    );
  });
}

function heldBy(given: World, member: Audience[number]): Set<string> {
  const held = new Set<string>();
  if ('principals' in member) for (const each of member.principals) held.add(each);
  else {
    const found = given.people[PEOPLE.indexOf(member.person)];
    if (!found || found.gone) return held;
    held.add(`verbatim:user:${member.person}`);
    if (!found.guest) held.add('verbatim:everyone').add(`verbatim:role:${found.role}`);
  }
  for (let before = -1; before !== held.size; ) {
    before = held.size;
    GROUPS.forEach((id, index) => {
      const members = given.groups[index] ?? [];
      const belongs = members.some((each) =>
        held.has(each.startsWith('group:') ? `verbatim:${each}` : `verbatim:user:${each}`),
      );
      if (belongs) held.add(`verbatim:group:${id}`);
    });
  }
  return held;
}

async function build(tenantId: string, given: World): Promise<string[]> {
  const { database } = opened;
  const corpus = createCorpus(database, { tenantId });
  const documentIds: string[] = [];
  for (let index = 0; index < given.documents.length; index++) {
    documentIds.push(await corpus.add(`doc-${index}.txt`, `Everybody looks for walrus number ${index} in this text.`));
  }
  await database.transaction(async (query) => {
    const people = PEOPLE.map((email, index) => {
      const { role = 'intern', guest = false, gone = false } = given.people[index] ?? {};
      return { email, name: '', role, guest, active: !gone } as const;
    });
    const groups = GROUPS.map((id, index) => ({ id, name: '', members: given.groups[index] ?? [] }));
    await importDirectory(query, { people, groups }, { tenantId, name: 'test', merge: false, force: true });
    const layerIds: number[] = [];
    for (const [index, { principals, resolved }] of given.layers.entries()) {
      layerIds.push(await putLayer(query, tenantId, { node: `node-${index}`, principals }, resolved));
    }
    for (const [index, { layers, denied, level, quarantined }] of given.documents.entries()) {
      const ids = layers.map((each) => layerIds[each % layerIds.length] ?? 0);
      const aclId = await internAcl(query, tenantId, { accessLevel: level, layerIds: ids, denied });
      await setAcl(query, tenantId, documentIds[index] ?? '', aclId);
      if (quarantined) await setQuarantine(query, tenantId, documentIds[index] ?? '', true);
    }
  });
  await corpus.refresh();
  return documentIds;
}

test('retrieval gives exactly the documents that every member of the audience may read', async () => {
  const { database } = opened;
  const embedder = createWordEmbedder();
  const [vector = []] = await embedder.embed(['walrus'], 'question');
  let number = 0;
  let readable = 0;
  await fc.assert(
    fc.asyncProperty(world, async (given) => {
      number += 1;
      const tenantId = `world-${number}`;
      const documentIds = await build(tenantId, given);
      for (const audience of given.audiences) {
        const expected = documentIds.filter((_, index) => mayRead(given, audience, index)).sort();
        readable += expected.length;
        const visibleTo = await database.transaction((query) => visibleAcls(query, tenantId, audience));
        const limits = { limit: 50, timeoutMs: 60_000 };
        const lexical = await lexicalSearch(database, visibleTo, 'walrus', limits);
        const near = await vectorSearch(database, visibleTo, { embedder, vector }, limits);
        const candidates = documentIds.map((documentId) => ({ documentId, documentVersion: 1 }));
        const checked = await checkpoint(database, tenantId, audience, candidates);
        const context = JSON.stringify({ audience, given });
        expect(lexical.hits.map((hit) => hit.documentId).sort(), context).toEqual(expected);
        expect(near?.map((hit) => hit.documentId).sort(), context).toEqual(expected);
        expect(checked.passed.map((item) => item.documentId).sort(), context).toEqual(expected);
        const raw = await database.read(visibleTo, (query) =>
          query<{ document_id: string }>('select distinct document_id from chunks order by document_id'),
        );
        expect(raw.map((row) => row.document_id).sort(), context).toEqual(expected);
      }
    }),
    { numRuns: WORLDS, seed: 20261130, endOnFailure: true },
  );
  // The comparison would be empty if nothing were ever readable, or everything.
  const decisions = WORLDS * DOCUMENTS * AUDIENCES;
  expect(readable).toBeGreaterThan(decisions / 50);
  expect(readable).toBeLessThan(decisions / 2);
}, 1_200_000);
