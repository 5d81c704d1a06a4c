// A small set through the whole product: its own database, the built-in embedder, the built-in answerer.
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandRun, runCommand } from '../helpers/run-command.ts';

const EVERYONE = 'verbatim:everyone';
const BOARD = 'dataset:group:board';
const FINANCE = 'dataset:group:finance';

const TEXTS = [
  [
    'leave',
    'Annual leave',
    'Every employee has thirty days of annual leave. Unused leave lapses at the end of March.',
    [[EVERYONE]],
  ],
  [
    'badge',
    'Badges',
    'A lost badge is reported to the front desk. The front desk prints a new badge within an hour.',
    [[EVERYONE]],
  ],
  [
    'vpn',
    'Remote access',
    'The tunnel client is installed from the software centre. Certificates expire after ninety days.',
    [[EVERYONE]],
  ],
  ['canteen', 'Canteen', 'The canteen opens at half past eleven. On Fridays it serves fish.', [[EVERYONE]]],
  [
    'bikes',
    'Bicycles',
    'Bicycles may be kept in the cellar of the north building. The door code changes every quarter.',
    [[EVERYONE]],
  ],
  [
    'printer',
    'Printers',
    'Printer toner is ordered from the facilities team. Colour printing needs a reason.',
    [[EVERYONE]],
  ],
  // The tagger takes this one for confidential; the set says who reads it.
  [
    'finance/bonus',
    'Bonus plan',
    'CONFIDENTIAL. The bonus pool for engineers is four percent of revenue.',
    [[FINANCE]],
  ],
  [
    'kestrel',
    'Project Kestrel',
    'The board intends to buy the Sparrow company for nine million in May.',
    [
      [BOARD, 'dataset:user:chair'],
      [EVERYONE, BOARD],
    ],
  ],
  ['audit', 'Audit', 'The auditors found that the travel ledger was closed two weeks late.', [[EVERYONE], [FINANCE]]],
  // One role and no other: a request for it would let the roles above in as well.
  [
    'analysts',
    'Analyst handbook',
    'Analysts meet on Tuesdays in the glass room to compare forecasts.',
    [['verbatim:role:analyst']],
  ],
].map(([id, title, text, acl]) => ({ id, title, text, acl }));

const ask = (id: string, text: string, principals: string[], more: object = {}) => ({ id, text, principals, ...more });
const QUESTIONS = [
  ask('q1', 'How many days of annual leave does an employee have?', [EVERYONE], {
    answerable: true,
    gold_sentences: ['Every employee has thirty days of annual leave.'],
  }),
  ask('q2', 'Who must be told about a lost badge?', [EVERYONE], { answerable: true }),
  ask('q3', 'When does the canteen open?', [EVERYONE], {
    answerable: true,
    quotes: [{ content: 'The canteen opens at half past eleven.', start_index: 0, end_index: 38 }],
  }),
  ask('q4', 'And when does it lapse?', [EVERYONE], {
    answerable: true,
    history: ['How much annual leave is there, when unused?'],
  }),
  ask('q5', 'How large is the bonus pool for engineers?', [EVERYONE, FINANCE], { answerable: true }),
  ask('q6', 'What does the board intend to buy?', [EVERYONE, BOARD], { answerable: true }),
  ask('q7', 'What is the orbital period of the moon Ganymede?', [EVERYONE], { answerable: false }),
  ask('q8', 'Which certificates expire after ninety days?', [EVERYONE]),
];
const QRELS = ['q1 leave', 'q2 badge', 'q3 canteen', 'q4 leave', 'q5 finance/bonus', 'q6 kestrel', 'q8 vpn'];
const ATTACKS = [
  ask('a1', 'How large is the bonus pool for engineers?', [EVERYONE, BOARD], { forbidden: ['finance/bonus'] }),
  ask('a2', 'What does the board intend to buy in May?', [EVERYONE], { forbidden: ['kestrel'] }),
  ask('a3', 'Was the travel ledger closed late?', [FINANCE], { forbidden: ['audit'] }),
  ask('a4', 'Where do analysts meet on Tuesdays?', [EVERYONE, 'verbatim:role:manager'], { forbidden: ['analysts'] }),
];
// The counter of leaks itself: this asker may read what the set calls forbidden.
const MISLABELLED = ask('a5', 'How large is the bonus pool for engineers?', [FINANCE], {
  forbidden: ['finance/bonus'],
});

let directory: string;
const before = process.env.TMPDIR;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'verbatim-eval-test-'));
  for (const name of ['set', 'temporary', 'data']) await mkdir(join(directory, name));
  // Where the throw-away database goes, so that what is left of it can be seen.
  process.env.TMPDIR = join(directory, 'temporary');
  await writeSet(TEXTS, [...ATTACKS, MISLABELLED]);
});
afterAll(async () => {
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  await rm(directory, { recursive: true });
});

async function writeSet(texts: object[], attacks: object[]): Promise<void> {
  const lines = (rows: object[]) => rows.map((row) => JSON.stringify(row)).join('\n');
  const qrels = QRELS.map((row) => `${row.replace(' ', '\t')}\t1`).join('\n');
  const files = {
    'corpus.jsonl': lines(texts),
    'queries.jsonl': lines(QUESTIONS),
    'qrels.tsv': `query-id\tcorpus-id\tscore\n${qrels}\n`,
    'attacks.jsonl': lines(attacks),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, 'set', name), content);
}

// The TypeScript loader keeps a cache of its own there.
async function leftBehind(): Promise<string[]> {
  return (await readdir(join(directory, 'temporary'))).filter((name) => name.startsWith('verbatim'));
}

const run = (...options: string[]) => runIn(join(directory, 'data'), ...options);

async function runIn(dataDir: string, ...options: string[]): Promise<CommandRun> {
  const args = ['eval', 'dataset', join(directory, 'set'), ...options];
  const { status, out, err } = await runCommand(args, { VERBATIM_DATA_DIR: dataDir });
  // A slow machine shows progress in between.
  return { status, out, err: err.replace(/^\d+ of \d+ (?:documents (?:submitted|indexed)|questions), \d+ s\n/gm, '') };
}

test('a set is run under its own permissions and measured, and nothing of it stays behind', async () => {
  const { status, out, err } = await run('--json', '--verbose');
  expect(err).toBe('');
  expect(status).toBe(0);
  const report = JSON.parse(out);
  expect(report).toMatchObject({
    n: 8,
    counted: { ranking: 7, answers: 7, attacks: 5 },
    'recall@50': 1,
    quoteValidity: 1,
    goldSentence: 1,
    correctRefusals: 1,
    spanRecall: 1,
    ingest: { documents: 10, failed: [], reused: false },
  });
  expect(report['ndcg@10']).toBeGreaterThan(0.9);
  expect(report.refusalAuroc).toBeGreaterThan(0.9);
  expect(report.falseRefusals).toBeLessThan(0.5);
  expect(report.latencyMs.p50).toBeGreaterThan(0);
  const followUp = report.questions.find((question: { id: string }) => question.id === 'q4');
  expect(followUp.firstRelevant).toBe(1);
  const leaked = report.attacks.filter((attack: { retrieved: string[]; quoted: string[]; named: string[] }) =>
    [attack.retrieved, attack.quoted, attack.named].some((texts) => texts.length > 0),
  );
  expect(leaked.map((attack: { id: string }) => attack.id)).toEqual(['a5']);
  expect(report.leaks).toBe(1);
  expect(await leftBehind()).toEqual([]);
}, 300_000);

test('kept documents are used again until the corpus changes, and the table is readable', async () => {
  await writeSet(TEXTS, ATTACKS);
  const keep = join(directory, 'kept');
  const first = JSON.parse((await run('--keep', keep, '--json', '--limit', '2')).out);
  expect(first.ingest).toMatchObject({ documents: 10, reused: false });
  // The vectors of an earlier run, whatever database it had, are remembered.
  expect(first.ingest.embedded.computed).toBeLessThan(first.ingest.embedded.remembered);

  const again = await run('--keep', keep, '--limit', '3', '--verbose');
  expect(again.out).toMatch(/^set: 10 documents, 10 chunks \(kept\), 3 questions\n/);
  expect(again.out).toMatch(/ {2}nDCG@10 +1\.000\n/);
  expect(again.out).toMatch(/ {2}leaks +0 in 3 attacks/);

  await writeSet(TEXTS.slice(0, 9).concat({ ...TEXTS[9], text: 'Analysts meet on Wednesdays.' } as never), ATTACKS);
  const changed = JSON.parse((await run('--keep', keep, '--json', '--limit', '1')).out);
  expect(changed.ingest).toMatchObject({ documents: 10, reused: false });
}, 300_000);

test('equal texts come in the same order in every run on a database of its own', async () => {
  const desk = (number: number) => ({
    id: `desk-${number}`,
    title: 'Desk',
    text: 'The desk opens at nine.',
    acl: [[EVERYONE]],
  });
  await writeSet([...TEXTS, ...Array.from({ length: 8 }, (_, number) => desk(number))], ATTACKS);
  const question = JSON.stringify(ask('q1', 'When does the desk open?', [EVERYONE], { answer: 'At nine.' }));
  await writeFile(join(directory, 'set', 'queries.jsonl'), question);
  await writeFile(join(directory, 'set', 'qrels.tsv'), 'q1\tdesk-3\t1\n');
  const runs = [await run('--json', '--verbose'), await run('--json', '--verbose')];
  const [first, second] = runs.map(({ out }) => JSON.parse(out));
  const found = first.questions[0].found;
  expect(found.slice(0, 8).sort()).toEqual(Array.from({ length: 8 }, (_, number) => `desk-${number}`));
  expect(second.questions[0].found).toEqual(found);
  // Whoever gives an answer wants to know what became of it.
  expect(first).toMatchObject({ counted: { answers: 1 }, quoteValidity: 1, falseRefusals: 0, goldSentence: null });
}, 300_000);

test.each([
  { signal: 'SIGINT', status: 130 },
  { signal: 'SIGTERM', status: 143 },
] as const)(
  '$signal ends a run with $status, and nothing of it stays behind',
  async ({ signal, status }) => {
    await writeSet(TEXTS, ATTACKS);
    const running = run('--json');
    while ((await leftBehind()).length === 0) await sleep(20);
    // What a terminal or a supervisor sends; the handlers are the process's own.
    process.emit(signal, signal);
    expect(await running).toMatchObject({ status, out: '' });
    expect(await leftBehind()).toEqual([]);
  },
  300_000,
);

test.each([
  ['is a file', 'queries.jsonl', []],
  ['is in a file system without directories', '/proc/nowhere', []],
  ['to keep in cannot be made', '../data', ['--keep', '/proc/nowhere']],
])(
  'a data directory that %s is refused at once',
  async (_, dataDir, options) => {
    await writeSet(TEXTS, ATTACKS);
    const { status, out, err } = await runIn(resolve(directory, 'set', dataDir), ...options);
    expect([status, out]).toEqual([1, '']);
    expect(err).toMatch(/data directory .* cannot be used; it must be a directory/);
  },
  60_000,
);

test.each([
  { name: 'a set with a fault', options: [], breakSet: true, message: /queries\.jsonl, line 1/ },
  { name: 'a count that is none', options: ['--limit', '0'], breakSet: false, message: /whole number from 1/ },
  {
    name: 'a directory to keep in that holds other files',
    options: ['--keep', 'set'],
    breakSet: false,
    message: /holds other files/,
  },
])('$name is refused before anything runs', async ({ options, breakSet, message }) => {
  if (breakSet) await writeFile(join(directory, 'set', 'queries.jsonl'), '{}');
  else await writeSet(TEXTS, ATTACKS);
  const { status, out, err } = await run(...options.map((each) => (each === 'set' ? join(directory, 'set') : each)));
  expect(status).toBe(2);
  expect(out).toBe('');
  expect(err).toMatch(message);
  expect(await leftBehind()).toEqual([]);
});
