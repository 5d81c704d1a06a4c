// The product as an admin and an employee meet it in a terminal: commands in, text and exit statuses out.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEmbedded } from '../../src/database/embedded.ts';
import { type ProcessDatabase, processDatabase } from '../helpers/process-database.ts';
import { runCommand } from '../helpers/run-command.ts';

let place: ProcessDatabase;
let service: { close(): Promise<void> } | undefined;
let folder: string;
beforeAll(async () => {
  place = await processDatabase();
  // As beside a running service: the commands find its server in the data directory and connect to it.
  if (place.environment.VERBATIM_DATA_DIR)
    service = await openEmbedded({ dataDir: place.environment.VERBATIM_DATA_DIR });
  folder = await mkdtemp(join(tmpdir(), 'verbatim-cli-'));
  await mkdir(join(folder, 'docs/finance'), { recursive: true });
  await writeFile(join(folder, 'docs/leave.md'), '# Leave\n\nEvery employee has 30 days of annual leave a year.\n');
  await writeFile(join(folder, 'docs/finance/deal.md'), '# Deal\n\nThe Penguin Shipyard costs nine million euros.\n');
  await writeFile(join(folder, 'docs/broken.pdf'), 'This is no PDF.');
  await writeFile(join(folder, 'docs/empty.txt'), '');
  const directory = {
    people: [
      { email: 'Ann@x.example', role: 'manager' },
      { email: 'bob@x.example' },
      { email: 'gus@x.example', guest: true },
    ],
    groups: [{ id: 'finance', members: ['ann@x.example'] }],
  };
  await writeFile(join(folder, 'people.json'), JSON.stringify(directory));
});
afterAll(async () => {
  await service?.close();
  await place.close();
  await rm(folder, { recursive: true, force: true });
});

const run = (args: readonly string[], typed?: { readonly input?: string; readonly atTerminal?: boolean }) =>
  runCommand(args, { ...place.environment, VERBATIM_TOKEN_SECRET: 'a secret of the tests that is long enough' }, typed);

const ask = async (question: string, ...people: string[]) => {
  const [as = '', ...others] = people.map((name) => `${name}@x.example`);
  const result = await run(['ask', question, '--as', as, ...others.flatMap((email) => ['--with', email]), '--json']);
  expect(result.status).toBe(0);
  return JSON.parse(result.out);
};

test('a company is set up, asked, and cleared', async () => {
  const imported = await run(['directory', 'import', join(folder, 'people.json')]);
  expect(imported).toMatchObject({ status: 0, out: '3 people (3 new, 0 deactivated), 1 group with 1 member.\n' });

  const ingested = await run(['ingest', join(folder, 'docs'), '--allow', 'verbatim:everyone']);
  expect(ingested.status).toBe(0);
  expect(ingested.out).toMatch(/broken\.pdf: not_what_its_name_says/);
  expect(ingested.out).toMatch(/empty\.txt: empty/);
  expect(ingested.out).toMatch(/confidential .*deal\.md: .*finance/);
  expect(ingested.out).toMatch(/4 documents: 2 indexed \(2 chunks\), 0 unchanged, 2 failed\./);

  const again = await run(['ingest', join(folder, 'docs/leave.md'), '--allow', 'verbatim:everyone']);
  expect(again.out).toMatch(/1 document: 0 indexed \(0 chunks\), 1 unchanged, 0 failed\./);

  const answer = await ask('How many days of annual leave are there?', 'bob');
  expect(Object.keys(answer).sort()).toEqual(
    [
      'answerId',
      'citations',
      'confidence',
      'costUsd',
      'degraded',
      'refusal',
      'sources',
      'status',
      'text',
      'timingsMs',
    ].sort(),
  );
  expect(answer).toMatchObject({ status: 'answered', refusal: null });
  expect(Object.keys(answer.citations[0]).sort()).toEqual(
    ['chunkId', 'documentId', 'documentVersion', 'end', 'headingPath', 'quote', 'start', 'title', 'uri'].sort(),
  );
  expect(answer.citations[0].quote).toContain('30 days of annual leave');

  const dear = 'What does the Penguin Shipyard cost?';
  expect((await ask(dear, 'ann')).status).toBe('answered');
  expect(await ask(dear, 'bob')).toMatchObject({ status: 'refused', refusal: 'no_evidence', citations: [] });
  expect(await ask(dear, 'ann', 'bob')).toMatchObject({
    status: 'refused',
    refusal: 'audience_limited',
    citations: [],
  });
  expect(await ask(dear, 'gus')).toMatchObject({ status: 'refused', refusal: 'no_evidence' });

  const found = await run(['search', 'Penguin Shipyard', '--as', 'ann@x.example', '--json']);
  const { results, dropped } = JSON.parse(found.out);
  expect(dropped).toBe(0);
  expect(results[0]).toMatchObject({
    rank: 1,
    uri: expect.stringContaining('deal.md'),
    text: expect.stringContaining('nine million'),
  });
  const parts = Object.values(results[0].contributions as Record<string, number>);
  expect(results[0].score).toBeCloseTo(parts.reduce((sum, part) => sum + part, 0));

  const forgotten = await run(['forget', join(folder, 'docs/leave.md')]);
  expect(forgotten.out).toMatch(/forgotten Leave .*1 version with.* 1 chunk, 1 vector, 1 stored answer emptied/);
  expect((await ask('How many days of annual leave are there?', 'bob')).status).toBe('refused');

  const status = JSON.parse((await run(['status', '--json'])).out);
  expect(status).toMatchObject({
    documentsByState: { deleted: 1, failed: 2, live: 1 },
    chunks: 1,
    chunksWithoutVector: 0,
  });
  expect(status.failures.map((failure: { code: string }) => failure.code).sort()).toEqual([
    'empty',
    'not_what_its_name_says',
  ]);
}, 600_000);

test('a token and a password are for active people of the directory, and the token is all that is printed', async () => {
  const issued = await run(['token', '--as', 'Ann@x.example']);
  expect(issued.status).toBe(0);
  expect(issued.out).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
  expect(issued.err).toBe('');
  const set = await run(['user', 'password', 'ann@x.example'], { input: 'correct horse\n' });
  expect(set).toMatchObject({ status: 0, out: '' });
  expect(await run(['user', 'password', 'ann@x.example'], { input: 'short\n' })).toMatchObject({ status: 2 });
  for (const command of [
    ['token', '--as', 'nobody@x.example'],
    ['token', '--as', 'ann@x.example', '--tenant', 'other'],
    ['user', 'password', 'nobody@x.example'],
  ]) {
    const refused = await run(command, { input: 'correct horse\n' });
    expect(refused).toMatchObject({ status: 2, out: '' });
    expect(refused.err).toMatch(/is not an active person/);
  }
});

test('standard input is a document, and without rights only admins read it, which is said', async () => {
  const ingested = await run(['ingest', '-', '--name', 'note.md'], {
    input: '# Note\n\nThe otter plays at noon in the yard.\n',
  });
  expect(ingested.status).toBe(0);
  expect(ingested.err).toMatch(/only admins can read/);
  expect((await ask('When does the otter play?', 'bob')).status).toBe('refused');
});

describe('forgetting more than one document', () => {
  let docs: string;
  beforeAll(async () => {
    docs = join(folder, 'two');
    await mkdir(docs);
    for (const name of ['gull', 'tern']) await writeFile(join(docs, `${name}.md`), `The ${name} flies low.\n`);
    expect((await run(['ingest', docs])).out).toMatch(/2 documents: 2 indexed/);
  }, 600_000);
  const live = async () => JSON.parse((await run(['status', '--documents', '--json'])).out).documents.length;

  test('an empty target is not the current folder', async () => {
    for (const target of ['', '  ']) {
      const refused = await run(['forget', target, '--yes']);
      expect(refused).toMatchObject({ status: 2, out: '' });
      expect(refused.err).toMatch(/names no document/);
    }
  });

  test('it says how many, and does it only when told so', async () => {
    const before = await live();
    for (const target of [docs, '/']) {
      const refused = await run(['forget', target]);
      expect(refused).toMatchObject({ status: 2, out: '' });
      expect(refused.err).toMatch(/stands for \d+ documents \(.*--yes/);
    }
    for (const input of ['n\n', '\n', '']) {
      const declined = await run(['forget', docs], { input, atTerminal: true });
      expect(declined).toMatchObject({ status: 1, out: '' });
      expect(declined.err).toMatch(/stands for 2 documents .*gull\.md.*\[y\/N\].*Nothing was forgotten/s);
    }
    expect(await live()).toBe(before);
    const agreed = await run(['forget', docs], { input: 'y\n', atTerminal: true });
    expect(agreed).toMatchObject({ status: 0, out: expect.stringMatching(/forgotten gull.*\nforgotten tern/s) });
    expect(await live()).toBe(before - 2);
  });

  test('one document that is below a folder goes without a question', async () => {
    await run(['ingest', join(docs, 'gull.md')]);
    expect((await run(['forget', docs])).status).toBe(0);
    await run(['ingest', docs]);
    expect((await run(['forget', docs, '--yes'])).status).toBe(0);
  });
});

test('a second text from standard input does not replace the first', async () => {
  const everyone = ['--allow', 'verbatim:everyone', '--json'];
  const [first, second] = [
    await run(['ingest', '-', ...everyone], { input: 'The heron stands in the pond.' }),
    await run(['ingest', '-', ...everyone], { input: 'The stork stands on the roof.' }),
  ].map(({ out }) => JSON.parse(out).documents[0]);
  expect([first.version, second.version]).toEqual([1, 1]);
  expect(first.documentId).not.toBe(second.documentId);
});

test('groups of members whom nobody knows are a hint with their names', async () => {
  const members = ['zoe@x.example', 'ann@x.example', 'group:nowhere'];
  const input = JSON.stringify({ people: [{ email: 'ann@x.example' }], groups: [{ id: 'leads', members }] });
  const imported = await run(['directory', 'import', '-', '--tenant', 'strangers'], { input });
  expect(imported).toMatchObject({ status: 0, out: '1 person (1 new, 0 deactivated), 1 group with 3 members.\n' });
  expect(imported.err).toMatch(/hold nothing: group:nowhere, zoe@x\.example\n/);
  expect(imported.err).not.toMatch(/ann@x/);
});

test('what a folder holds besides files is counted, and a name that is not UTF-8 is given as the reason', async () => {
  const odd = join(folder, 'odd');
  await mkdir(join(odd, '.git'), { recursive: true });
  await mkdir(join(odd, 'node_modules'));
  await writeFile(join(odd, 'swan.md'), 'The swan swims at dawn.\n');
  await writeFile(join(odd, '.secret.md'), 'hidden');
  await symlink(join(odd, 'swan.md'), join(odd, 'one.md'));
  await symlink(odd, join(odd, 'two'));
  await promisify(execFile)('mkfifo', [join(odd, 'pipe')]);
  await writeFile(Buffer.concat([Buffer.from(`${odd}/m`), Buffer.from([0xfc]), Buffer.from('ller.md')]), 'Latin');
  const skipped = {
    link: 2,
    'hidden file': 1,
    'hidden folder': 1,
    'special file': 1,
    'folder of packages or of an archiver': 1,
  };
  const ingested = await run(['ingest', odd, '--title', 'A\ntitle']);
  expect(ingested).toMatchObject({ status: 2, err: expect.stringMatching(/--title names one document/) });
  const plain = await run(['ingest', odd]);
  expect(plain.out).toMatch(/m%EF%BF%BDller\.md: undecodable_name: .*not UTF-8/);
  for (const part of ['2 links', '1 hidden file', '1 hidden folder', '1 special file', '1 folder of packages'])
    expect(plain.out).toMatch(new RegExp(`^2 documents: .*skipped: .*${part}`, 'm'));
  expect(JSON.parse((await run(['ingest', odd, '--json'])).out).skipped).toEqual(skipped);
  const pipe = await run(['ingest', join(odd, 'pipe')]);
  expect(pipe).toMatchObject({ status: 2, err: expect.stringMatching(/is a pipe, a socket or a device/) });
});

test('a line break in a title does not break the receipt', async () => {
  await writeFile(join(folder, 'lines.md'), 'The crane dances.\n');
  await run(['ingest', join(folder, 'lines.md'), '--title', 'Crane\nforgotten Everything']);
  const { out } = await run(['forget', join(folder, 'lines.md')]);
  expect(out).toMatch(/^forgotten Crane forgotten Everything .*\n$/);
});

describe('what cannot be done', () => {
  test.each([
    ['an unknown command', ['fetch'], 2, /unknown command/],
    ['a question without an asker', ['ask', 'Why?'], 2, /--as/],
    ['an asker who is no e-mail', ['ask', 'Why?', '--as', 'ann'], 2, /"ann" is not an e-mail/],
    ['an empty question', ['ask', ' ', '--as', 'ann@x.example'], 2, /question is empty/],
    ['an unknown level', ['ingest', '.', '--level', 'secret'], 2, /"secret" is not an access level/],
    ['a principal that is none', ['ingest', '.', '--allow', 'finance'], 2, /"finance" is not a principal/],
    ['a role that is none', ['ingest', '.', '--allow', 'verbatim:role:boss'], 2, /roles are intern, analyst/],
    ['a path that is not there', ['ingest', '/nowhere/at-all.md'], 2, /\/nowhere\/at-all\.md does not exist/],
    [
      'a URL with a password',
      ['ingest', 'https://ann:secret@docs.x.example/a.md'],
      2,
      /user name or password is not fetched/,
    ],
    ['a tenant that is none', ['status', '--tenant', 'A B'], 2, /"A B" is not a tenant/],
    ['a limit that is none', ['search', 'x', '--as', 'ann@x.example', '--limit', '0'], 2, /1 to 100/],
    ['a directory file that is not there', ['directory', 'import', '/nowhere.json'], 2, /cannot be read/],
    ['forgetting what is not there', ['forget', 'nothing.md'], 1, /no document of tenant default has/],
    ['a host that is not allowed', ['ingest', 'http://127.0.0.1:9/secret.md'], 1, /VERBATIM_FETCH_HOSTS/],
  ] as const)('%s', async (_, args, status, message) => {
    const result = await run(args);
    expect(result.status).toBe(status);
    expect(result.err + result.out).toMatch(message);
  });

  const LEADS = 'jane@x.example';
  test.each([
    ['a JSON array', JSON.stringify([{ email: LEADS }]), /is a JSON array; it must be an object like \{"people"/],
    ['an empty JSON array', '[]', /is a JSON array/],
    ['an object of something else', '{"users": []}', /Unrecognized key/],
    ['an empty object', '{}', /needs a list "people"/],
    ['a JSON text', '"people"', /neither JSON like \{"people".* nor CSV/],
    ['a number', '42', /neither JSON like/],
    ['null', 'null', /neither JSON like/],
    ['a header alone that is none', 'name,role', /a CSV header must name/],
    ['people that are no list', '{"people": {"email": "x"}}', /people: Expected array/],
    ['bytes that are no text', 'PK\u0003\u0004\u0000\u0000\u0000', /not text in UTF-8/],
  ])('a directory file that is %s changes nobody', async (_, content, message) => {
    const tenant = ['--tenant', 'shapes'];
    const start = await run(['directory', 'import', '-', ...tenant, '--merge'], { input: `email\n${LEADS}\n` });
    expect(start.status).toBe(0);
    const refused = await run(['directory', 'import', '-', ...tenant], { input: content });
    expect(refused).toMatchObject({ status: 2, out: '' });
    expect(refused.err).toMatch(message);
    const { people } = JSON.parse((await run(['status', '--json', ...tenant])).out);
    expect(people).toMatchObject({ active: 1, inactive: 0 });
  });

  test.each([1, 2, 3, 4])(
    'a directory that leaves out all of %i people deactivates them only when forced',
    async (count) => {
      const tenant = ['--tenant', `all-of-${count}`];
      const people = Array.from({ length: count }, (_, index) => `p${index}@x.example`);
      await run(['directory', 'import', '-', ...tenant], { input: ['email', ...people].join('\n') });
      const input = 'email\nnew@x.example\n';
      const refused = await run(['directory', 'import', '-', ...tenant], { input });
      expect(refused).toMatchObject({ status: 2, out: '' });
      expect(refused.err).toMatch(new RegExp(`leaves out ${count} of ${count} active .*--force`));
      const forced = await run(['directory', 'import', '-', ...tenant, '--force'], { input });
      expect(forced.out).toMatch(`1 person (1 new, ${count} deactivated)`);
    },
  );

  test('a faulty directory changes nobody', async () => {
    await writeFile(join(folder, 'faulty.csv'), 'email,role\nann@x.example,boss\nnot-an-email,intern\n');
    const result = await run(['directory', 'import', join(folder, 'faulty.csv')]);
    expect(result.status).toBe(2);
    expect(result.err).toMatch(/has 2 faults/);
    expect(result.err).toMatch(/line 2, role/);
    expect(result.err).toMatch(/line 3, email/);
  });
});
