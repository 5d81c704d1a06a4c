// The product as an admin and an employee meet it in a terminal: commands in, text and exit statuses out.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../../src/cli/run-cli.ts';
import { openEmbedded } from '../../src/database/embedded.ts';
import { type ProcessDatabase, processDatabase } from '../helpers/process-database.ts';

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

interface Run {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

async function run(args: readonly string[], { input = '' } = {}): Promise<Run> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const read = [text(stdout), text(stderr)] as const;
  const status = await runCli(
    args,
    { stdin: Readable.from([Buffer.from(input)]), stdout, stderr },
    { ...place.environment, VERBATIM_TOKEN_SECRET: 'a secret of the tests that is long enough' },
  );
  stdout.end();
  stderr.end();
  const [out, err] = await Promise.all(read);
  return { status, out, err };
}

const ask = async (question: string, ...people: string[]) => {
  const [as = '', ...others] = people.map((name) => `${name}@x.example`);
  const result = await run(['ask', question, '--as', as, ...others.flatMap((email) => ['--with', email]), '--json']);
  expect(result.status).toBe(0);
  return JSON.parse(result.out);
};

test('a company is set up, asked, and cleared', async () => {
  const imported = await run(['directory', 'import', join(folder, 'people.json')]);
  expect(imported).toMatchObject({ status: 0, out: '3 people (3 new, 0 deactivated), 1 groups with 1 members.\n' });

  const ingested = await run(['ingest', join(folder, 'docs'), '--allow', 'verbatim:everyone']);
  expect(ingested.status).toBe(0);
  expect(ingested.out).toMatch(/broken\.pdf: not_what_its_name_says/);
  expect(ingested.out).toMatch(/empty\.txt: empty/);
  expect(ingested.out).toMatch(/confidential .*deal\.md: .*finance/);
  expect(ingested.out).toMatch(/4 documents: 2 indexed \(2 chunks\), 0 unchanged, 2 failed\./);

  const again = await run(['ingest', join(folder, 'docs/leave.md'), '--allow', 'verbatim:everyone']);
  expect(again.out).toMatch(/1 documents: 0 indexed \(0 chunks\), 1 unchanged, 0 failed\./);

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
  expect(forgotten.out).toMatch(/forgotten Leave .*1 version\(s\).*1 chunks, 1 vectors, 1 stored answer\(s\) emptied/);
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

test('a second text from standard input does not replace the first', async () => {
  const everyone = ['--allow', 'verbatim:everyone', '--json'];
  const [first, second] = [
    await run(['ingest', '-', ...everyone], { input: 'The heron stands in the pond.' }),
    await run(['ingest', '-', ...everyone], { input: 'The stork stands on the roof.' }),
  ].map(({ out }) => JSON.parse(out).documents[0]);
  expect([first.version, second.version]).toEqual([1, 1]);
  expect(first.documentId).not.toBe(second.documentId);
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

  test('a faulty directory changes nobody', async () => {
    await writeFile(join(folder, 'faulty.csv'), 'email,role\nann@x.example,boss\nnot-an-email,intern\n');
    const result = await run(['directory', 'import', join(folder, 'faulty.csv')]);
    expect(result.status).toBe(2);
    expect(result.err).toMatch(/line 2, role/);
    expect(result.err).toMatch(/line 3, email/);
  });
});
