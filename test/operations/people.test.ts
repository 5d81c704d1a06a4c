import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Operations } from '../../src/operations/create-operations.ts';
import { acl, createCorpus } from '../helpers/corpus.ts';
import { type TestDatabase, testDatabase } from '../helpers/database.ts';
import { importPeople, testOperations } from '../helpers/operations.ts';

let opened: TestDatabase;
let people: Operations['people'];
beforeAll(async () => {
  opened = await testDatabase();
  people = testOperations(opened.database).people;
});
beforeEach(async () => {
  await opened.reset();
  await importPeople(opened.database, 'acme');
});
afterAll(() => opened.close());

test('a person is found whatever the case, also after they left, and only in their tenant', async () => {
  expect(await people.find('acme', 'Ann@X.example')).toEqual({
    tenantId: 'acme',
    email: 'ann@x.example',
    name: 'Ann',
    role: 'manager',
    guest: false,
    active: true,
  });
  expect(await people.find('acme', 'zoe@x.example')).toMatchObject({ active: false });
  expect(await people.find('acme', 'nobody@x.example')).toBeNull();
  expect(await people.find('other', 'ann@x.example')).toBeNull();
  expect((await people.list('acme')).map(({ email }) => email)).toEqual(
    ['ann', 'bob', 'eve', 'gus', 'zoe'].map((name) => `${name}@x.example`),
  );
  expect(await people.list('other')).toEqual([]);
});

test('an identity leads to its person until it is taken back or given to another', async () => {
  const principal = 'slack:user:T1/U1';
  expect(await people.linked('acme', principal)).toBeNull();
  await people.link('acme', [{ principal, email: 'Ann@x.example' }]);
  expect(await people.linked('acme', principal)).toMatchObject({ email: 'ann@x.example' });
  expect(await people.linked('other', principal)).toBeNull();
  await people.link('acme', [{ principal, email: 'bob@x.example' }]);
  expect(await people.linked('acme', principal)).toMatchObject({ email: 'bob@x.example' });
  await people.link('acme', [{ principal, email: null }]);
  expect(await people.linked('acme', principal)).toBeNull();
});

describe('channels', () => {
  const channel = (channelId: string, ...members: string[]) =>
    opened.database.transaction(async (query) => {
      await query("insert into channels (tenant_id, channel_id, name, purpose) values ('acme', $1, $1, 'about it')", [
        channelId,
      ]);
      for (const member of members)
        await query("insert into channel_members (tenant_id, channel_id, member) values ('acme', $1, $2)", [
          channelId,
          member,
        ]);
    });
  const namesOf = async (email: string) =>
    (await people.channels('acme', `${email}@x.example`)).map(({ name }) => name);

  test.each([
    ['a person', ['verbatim:user:bob@x.example'], ['bob']],
    ['a group, through a nested one too, without those who left', ['verbatim:group:finance'], ['ann', 'gus']],
    ['everyone: no guest', ['verbatim:everyone'], ['ann', 'bob', 'eve']],
    ['a role', ['verbatim:role:manager'], ['ann']],
    ['a person twice', ['verbatim:user:ann@x.example', 'verbatim:group:finance'], ['ann', 'gus']],
    ['nobody who is known', ['verbatim:user:who@x.example'], []],
  ])('the members of a channel of %s', async (_, members, expected) => {
    await channel('general', ...members);
    const emails = expected.map((name) => `${name}@x.example`);
    for (const name of ['ann', 'bob', 'eve', 'gus', 'zoe']) {
      const inside = expected.includes(name);
      const seen = await people.channels('acme', `${name}@x.example`);
      expect(seen).toEqual(
        inside ? [{ channelId: 'general', name: 'general', purpose: 'about it', members: emails }] : [],
      );
    }
  });

  test('are those of the person, by name, and of no other tenant', async () => {
    await channel('b', 'verbatim:user:ann@x.example', 'verbatim:user:bob@x.example');
    await channel('a', 'verbatim:user:ann@x.example');
    expect(await namesOf('ann')).toEqual(['a', 'b']);
    expect(await namesOf('bob')).toEqual(['b']);
    await importPeople(opened.database, 'other');
    expect(await people.channels('other', 'ann@x.example')).toEqual([]);
  });

  test('a linked identity is a member', async () => {
    await people.link('acme', [{ principal: 'slack:user:T1/U1', email: 'bob@x.example' }]);
    await channel('c', 'slack:user:T1/U1');
    expect(await namesOf('bob')).toEqual(['c']);
  });
});

describe('who sees more alone', () => {
  const audienceOf = (...names: string[]) => names.map((name) => ({ person: `${name}@x.example` }));
  beforeEach(async () => {
    const corpus = createCorpus(opened.database);
    await corpus.add('all.md', 'For all.', { acl: acl({ allow: ['verbatim:everyone'], level: 'internal' }) });
    await corpus.add('few.md', 'For few.', { acl: acl({ allow: ['verbatim:role:manager'], level: 'internal' }) });
  });

  test.each([
    ['ann', ['ann'], false],
    ['ann', ['ann', 'bob'], true],
    ['bob', ['ann', 'bob'], false],
    ['bob', ['bob', 'gus'], true],
    ['ann', ['ann', 'eve'], false],
  ])('%s beside %j: %s', async (asker, audience, more) => {
    expect(await people.seesMoreAlone('acme', `${asker}@x.example`, audienceOf(...audience))).toBe(more);
  });

  test('in a large channel, which counts as everyone', async () => {
    const large = testOperations(opened.database, 1).people;
    expect(await large.seesMoreAlone('acme', 'ann@x.example', audienceOf('ann', 'eve'))).toBe(true);
    expect(await large.seesMoreAlone('acme', 'bob@x.example', audienceOf('ann', 'bob'))).toBe(false);
  });
});
