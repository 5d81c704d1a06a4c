import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TestDatabase } from '../../helpers/database.ts';
import {
  openSlackBench,
  type SlackBench,
  type SlackInstance,
  settle,
  startSlackInstance,
} from '../../helpers/slack-bench.ts';
import type { SlackEmulator } from '../../helpers/slack-emulator.ts';
import { envelope, mentionEvent, sendSigned } from '../../helpers/slack-requests.ts';

const CHANNEL = 'C0BOARD';
let opened: TestDatabase;
let emulator: SlackEmulator;
let instance: SlackInstance;
let bench: SlackBench;
/** Done after an answer was made and before it is posted. */
let meanwhile: (() => Promise<void>)[] = [];
let asked = 0;

beforeAll(async () => {
  bench = await openSlackBench({
    people: [
      { email: 'ann@acme.example', role: 'manager' },
      { email: 'eve@acme.example', role: 'manager' },
      { email: 'bob@acme.example', role: 'intern' },
    ],
    documents: {
      'deal.md': {
        text: '# Deal\n\nThe company will buy the Penguin Shipyard for nine million euros.',
        allow: 'verbatim:role:manager',
      },
    },
    users: {
      U0ANN: { email: 'ann@acme.example' },
      U0EVE: { email: 'eve@acme.example' },
      U0BOB: { email: 'bob@acme.example' },
    },
  });
  ({ opened, emulator } = bench);
  instance = await startSlackInstance(opened, emulator, {
    wrapAsk: (ask) => async (question, options) => {
      const answer = await ask(question, options);
      asked += 1;
      await meanwhile.shift()?.();
      return answer;
    },
  });
});
afterAll(async () => {
  expect(emulator.faults).toEqual([]);
  await instance?.close();
  await bench?.close();
});
beforeEach(async () => {
  // Nobody hears of it that the test begins with other people.
  await opened.database.owner((query) => query('delete from chat_members'));
  emulator.messages.length = 0;
  emulator.channels.set(CHANNEL, ['U0ANN', emulator.botUserId]);
  meanwhile = [];
  asked = 0;
});

async function member(type: 'member_joined_channel' | 'member_left_channel', user: string): Promise<void> {
  const others = (emulator.channels.get(CHANNEL) ?? []).filter((id) => id !== user);
  emulator.channels.set(CHANNEL, type === 'member_joined_channel' ? [...others, user] : others);
  const event = { type, user, channel: CHANNEL, channel_type: 'C', team: emulator.teamId, event_ts: emulator.nextTs() };
  const response = await sendSigned(instance.url, emulator, envelope(emulator, event));
  expect(response.status).toBe(200);
}

async function ask(): Promise<string> {
  const text = `<@${emulator.botUserId}> When will the company buy the Penguin Shipyard?`;
  const ts = emulator.say(CHANNEL, text);
  const event = mentionEvent(emulator, { channel: CHANNEL, user: 'U0ANN', text, ts });
  await sendSigned(instance.url, emulator, envelope(emulator, event));
  await settle(instance.database);
  return ts;
}

async function sweep(): Promise<void> {
  await settle(instance.database);
  await instance.slack.retractions.sweep();
  await settle(instance.database);
}

const shown = (ts: string) => emulator.replies(CHANNEL, ts).map(emulator.read).join();

test('whoever joins between question and answer sees nothing that they may not read', async () => {
  meanwhile = [() => member('member_joined_channel', 'U0BOB')];
  const ts = await ask();
  expect([asked, shown(ts)]).toEqual([2, expect.stringMatching(/found nothing that everyone here may read/)]);
});

test('who joins with the same rights gets the answer as well', async () => {
  meanwhile = [() => member('member_joined_channel', 'U0EVE')];
  const ts = await ask();
  expect([asked, shown(ts)]).toEqual([2, expect.stringContaining('nine million')]);
});

test('when the people change again and again the question ends with a sentence', async () => {
  const coming = () => member('member_joined_channel', 'U0EVE');
  const going = () => member('member_left_channel', 'U0EVE');
  meanwhile = [coming, going, coming];
  expect(shown(await ask())).toMatch(/went wrong/);
});

test('when nobody comes or goes one answer is made', async () => {
  expect(shown(await ask())).toContain('nine million');
  expect(asked).toBe(1);
});

test('who joins later finds a notice in place of the answer, and so does everybody; who left is not waited for', async () => {
  const ts = await ask();
  await member('member_joined_channel', 'U0EVE');
  await sweep();
  expect(shown(ts)).toContain('nine million');
  await member('member_joined_channel', 'U0BOB');
  await sweep();
  expect(shown(ts)).toMatch(/taken back/);
  // The answer was made for somebody who may still read it.
  const stored = await opened.database.owner((query) =>
    query('select retracted_at from answers order by asked_at desc limit 1'),
  );
  expect(stored).toEqual([{ retracted_at: null }]);
  await member('member_left_channel', 'U0BOB');
  await sweep();
  expect(shown(await ask())).toContain('nine million');
});

test('a right that somebody loses who joined later takes the answer back', async () => {
  const ts = await ask();
  await member('member_joined_channel', 'U0EVE');
  await sweep();
  expect(shown(ts)).toContain('nine million');
  await opened.database.owner((query) =>
    query(`update people set role = 'intern' where email = 'eve@acme.example';
      update tenants set index_version = index_version + 1`),
  );
  await sweep();
  expect(shown(ts)).toMatch(/taken back/);
});
