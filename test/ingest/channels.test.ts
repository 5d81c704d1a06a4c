import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { importDirectory } from '../../ingest/directory.ts';
import { type Directory, readDirectoryFile } from '../../ingest/directory-file.ts';
import { createPeople } from '../../src/operations/people.ts';
import { type TestDatabase, testDatabase } from '../helpers/database.ts';

let opened: TestDatabase;
beforeAll(async () => {
  opened = await testDatabase();
});
beforeEach(() => opened.reset());
afterAll(() => opened.close());

const PEOPLE = {
  people: [
    { email: 'ann@x.example' },
    { email: 'ben@x.example' },
    { email: 'gus@x.example', guest: true },
    { email: 'lea@x.example', active: false },
  ],
  groups: [
    { id: 'finance', members: ['group:books'] },
    { id: 'books', members: ['ann@x.example', 'lea@x.example'] },
  ],
};

const read = (channels?: object[]): Directory => readDirectoryFile(JSON.stringify({ ...PEOPLE, channels }));

const put = (directory: Directory, options: { name?: string; merge?: boolean } = {}) =>
  opened.database.transaction((query) =>
    importDirectory(query, directory, { tenantId: 'acme', name: 'import', merge: false, force: true, ...options }),
  );

async function channelsOf(name: string): Promise<Record<string, readonly string[]>> {
  const people = createPeople({ database: opened.database, config: { largeAudiencePeople: 500 } });
  const channels = await people.channels('acme', `${name}@x.example`);
  return Object.fromEntries(channels.map(({ name: channel, members }) => [channel, members]));
}

const everyone = { id: 'all', name: 'all', members: ['everyone'] };
const finance = { id: 'money', name: 'money', members: ['group:finance', 'gus@x.example'] };

describe('channels of a directory', () => {
  test('hold people, groups in groups, and everyone but guests and those who left', async () => {
    await put(read([everyone, finance]));
    expect(await channelsOf('ann')).toEqual({
      all: ['ann@x.example', 'ben@x.example'],
      money: ['ann@x.example', 'gus@x.example'],
    });
    expect(await channelsOf('ben')).toEqual({ all: ['ann@x.example', 'ben@x.example'] });
    expect(Object.keys(await channelsOf('gus'))).toEqual(['money']);
    expect(await channelsOf('lea')).toEqual({});
  });

  test('that a later file leaves out are gone, with --merge they stay, and without channels nothing changes', async () => {
    await put(read([everyone, finance]));
    await put(read());
    expect(Object.keys(await channelsOf('ann'))).toEqual(['all', 'money']);
    await put(read([{ ...finance, members: ['ben@x.example'] }]), { merge: true });
    expect(await channelsOf('ben')).toEqual({ all: ['ann@x.example', 'ben@x.example'], money: ['ben@x.example'] });
    await put(read([finance]));
    expect(Object.keys(await channelsOf('ben'))).toEqual([]);
    expect(Object.keys(await channelsOf('ann'))).toEqual(['money']);
  });

  test('of one directory leave those of another alone', async () => {
    await put(read([everyone]), { name: 'other' });
    await put(read([finance]));
    expect(Object.keys(await channelsOf('ann'))).toEqual(['all', 'money']);
  });

  test.each([
    ['an id that is no name', { id: 'Two words', name: 'x' }, 'lower-case letters'],
    ['no name', { id: 'x', name: ' ' }, 'must not be empty'],
    ['a member that is nobody', { id: 'x', name: 'x', members: ['somebody'] }, 'or "everyone"'],
    ['a field that there is not', { id: 'x', name: 'x', private: true }, 'Unrecognized key'],
  ])('with %s are refused', (_name, channel, fault) => {
    expect(() => read([channel])).toThrow(fault);
  });

  test('that are named twice are refused', () => {
    expect(() => read([everyone, everyone])).toThrow('names the channel all twice');
  });
});
