import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../helpers/database.ts';
import {
  fillDatabase,
  fillWorkspace,
  type SlackCompany,
  type SlackInstance,
  settle,
  startSlackInstance,
} from '../../helpers/slack-bench.ts';
import { type SlackEmulator, startSlackEmulator } from '../../helpers/slack-emulator.ts';
import { envelope, mentionEvent, sendSigned } from '../../helpers/slack-requests.ts';

let opened: TestDatabase;
let emulator: SlackEmulator;
let instances: SlackInstance[] = [];
const COMPANY: SlackCompany = {
  people: [{ email: 'bob@acme.example', role: 'intern' }],
  documents: { 'leave.md': { text: '# Leave\n\nEmployees have thirty days of annual leave each year.' } },
  users: { U0BOB: { email: 'bob@acme.example' } },
  channels: { C0A: ['U0BOB'], C0B: ['U0BOB'], C0C: ['U0BOB'] },
};

beforeAll(async () => {
  opened = await testDatabase();
});
afterAll(() => opened?.close());
beforeEach(async () => {
  await opened.reset();
  emulator = await startSlackEmulator();
  await fillDatabase(opened, COMPANY);
  fillWorkspace(emulator, COMPANY);
});
afterEach(async () => {
  for (const instance of instances) await instance.close();
  instances = [];
  await emulator.close();
});

const QUESTION = 'How many days of annual leave do employees have?';

function mention(channel: string, text = QUESTION) {
  const said = `<@${emulator.botUserId}> ${text}`;
  const ts = emulator.say(channel, said);
  return { channel, ts, event: envelope(emulator, mentionEvent(emulator, { channel, user: 'U0BOB', text: said, ts })) };
}

let clock = 0;
async function deliver(instance: SlackInstance | undefined, event: object): Promise<void> {
  clock += 1;
  const timestamp = Math.floor(Date.now() / 1_000) - (clock % 250);
  const response = await sendSigned(instance?.url ?? '', emulator, event, { timestamp });
  expect([200, 401]).toContain(response.status);
}

describe('a burst in one channel', () => {
  test('is answered in order, with the waits that Slack asks for, and none is lost', async () => {
    instances = [await startSlackInstance(opened, emulator)];
    emulator.refuseNext = 3;
    const asked = Array.from({ length: 12 }, () => mention('C0A'));
    await Promise.all(asked.map(({ event }) => deliver(instances[0], event)));
    await settle(instances[0]?.database as never, 100_000);
    const threads = emulator.replies('C0A').map((message) => message.thread_ts);
    expect(threads).toEqual(asked.map(({ ts }) => ts));
    expect(emulator.calls.filter(({ error }) => error === 'ratelimited')).toHaveLength(3);
  });
});

describe('two instances with redeliveries', () => {
  test('answer every question once', async () => {
    instances = [await startSlackInstance(opened, emulator), await startSlackInstance(opened, emulator)];
    const asked = ['C0A', 'C0B', 'C0C'].flatMap((channel) => Array.from({ length: 5 }, () => mention(channel)));
    const deliveries = asked.flatMap(({ event }) => [0, 1, 0].map((instance) => deliver(instances[instance], event)));
    await Promise.all(deliveries);
    await settle(instances[0]?.database as never, 100_000);
    for (const { channel, ts } of asked) expect(emulator.replies(channel, ts)).toHaveLength(1);
  });
});

describe('an instance that dies', () => {
  test('while it answers leaves the question to another', async () => {
    let begun: () => void = () => undefined;
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const dying = await startSlackInstance(opened, emulator, {
      wrapAsk: () => () => {
        begun();
        return new Promise(() => undefined);
      },
    });
    const { ts, event } = mention('C0A');
    await deliver(dying, event);
    await started;
    await dying.crash();
    instances = [await startSlackInstance(opened, emulator)];
    await settle(instances[0]?.database as never, 60_000);
    expect(emulator.replies('C0A', ts).map(emulator.read)).toEqual([expect.stringContaining('thirty days')]);
  });

  test('after it posted but before it could note so does not make another post again', async () => {
    const dying = await startSlackInstance(opened, emulator);
    const { ts, event } = mention('C0A');
    // The answer reaches Slack, and the database is gone at that moment.
    const posted = new Promise<void>((resolve) => {
      const push = emulator.messages.push.bind(emulator.messages);
      emulator.messages.push = (...messages) => {
        const length = push(...messages);
        if (messages.some((message) => message.bot)) {
          emulator.messages.push = push;
          void dying.database.close().then(resolve);
        }
        return length;
      };
    });
    await deliver(dying, event);
    await posted;
    await dying.crash();
    instances = [await startSlackInstance(opened, emulator)];
    await settle(instances[0]?.database as never, 60_000);
    expect(emulator.replies('C0A', ts)).toHaveLength(1);
    const recorded = await opened.database.owner((query) =>
      query<{ message: string }>('select message from posted_answers'),
    );
    expect(recorded.map(({ message }) => message)).toEqual(emulator.replies('C0A', ts).map((message) => message.ts));
  });
});
