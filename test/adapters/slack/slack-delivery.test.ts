// What becomes of messages and events when Slack fails, refuses, or loses an answer.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AnswerQuestion } from '../../../retrieval/answer-question.ts';
import type { TestDatabase } from '../../helpers/database.ts';
import {
  openSlackBench,
  type SlackBench,
  type SlackInstance,
  settle,
  startSlackInstance,
  TENANT,
} from '../../helpers/slack-bench.ts';
import type { SlackEmulator } from '../../helpers/slack-emulator.ts';
import { envelope, mentionEvent, sendSigned } from '../../helpers/slack-requests.ts';

const LEAVE = 'How many days of annual leave do employees have?';
let bench: SlackBench;
let opened: TestDatabase;
let emulator: SlackEmulator;
let instance: SlackInstance;
let asked = 0;

beforeAll(async () => {
  bench = await openSlackBench({
    people: [{ email: 'ada@acme.example', role: 'admin' }],
    documents: { 'leave.md': { text: '# Leave\n\nEmployees have thirty days of annual leave each year.' } },
    users: { U0ADA: { email: 'ada@acme.example' } },
    channels: {},
  });
  ({ opened, emulator } = bench);
  const wrapAsk =
    (ask: AnswerQuestion): AnswerQuestion =>
    (...question) => {
      asked += 1;
      return ask(...question);
    };
  instance = await startSlackInstance(opened, emulator, { wrapAsk });
});
afterAll(async () => {
  await instance?.close();
  await bench?.close();
});

let channel = '';
let channels = 0;
// Each test has a channel of its own: what one left behind in a lane is no business of the next.
beforeEach(() => {
  channels += 1;
  channel = `C0TEST${channels}`;
  emulator.channels.set(channel, ['U0ADA', emulator.botUserId]);
  emulator.messages.length = 0;
  emulator.calls.length = 0;
  asked = 0;
});
afterEach(async () => {
  emulator.broken.clear();
  emulator.faults.length = 0;
  await opened.database.owner((query) => query(`delete from chat_events where ended_at is null`));
});

const send = async (event: object) => {
  const response = await sendSigned(instance.url, emulator, envelope(emulator, event));
  expect(response.status).toBe(200);
};
const mention = async (text: string = LEAVE): Promise<string> => {
  const said = `<@${emulator.botUserId}> ${text}`;
  const ts = emulator.say(channel, said);
  await send(mentionEvent(emulator, { channel, user: 'U0ADA', text: said, ts }));
  return ts;
};
const said = (thread: string) => emulator.replies(channel, thread).map(({ text }) => text);
const rows = <Row extends object>(sql: string) => opened.database.owner((query) => query<Row>(sql));
const recorded = () =>
  rows<{ message: string; retraction: string | null; error: string | null }>(
    `select message, retraction, retraction_error as error from posted_answers where conversation = '${channel}' order by message`,
  );
async function eventually<T>(look: () => T | Promise<T>, holds: (value: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 200; tries++) {
    const value = await look();
    if (holds(value)) return value;
    await sleep(50);
  }
  throw new Error('it did not come about');
}
/** Fails so often, then no more. */
const times = (count: number, error: string) => {
  let left = count;
  return () => (left-- > 0 ? error : undefined);
};

describe('a message whose answer from Slack is lost', () => {
  test('is looked for and not posted again, and can be taken back', async () => {
    emulator.broken.set('chat.postMessage', times(1, 'lost'));
    const thread = await mention();
    await settle(instance.database);
    const [message, ...more] = emulator.replies(channel, thread);
    expect([more, await recorded()]).toEqual([[], [{ message: message?.ts, retraction: null, error: null }]]);
    expect(asked).toBe(1);
  });

  test('is posted again where Slack had not taken it', async () => {
    emulator.broken.set('chat.postMessage', times(1, 'down'));
    const thread = await mention();
    await settle(instance.database);
    expect([said(thread).length, (await recorded()).length, asked]).toEqual([1, 1, 1]);
  });
});

describe('a message that Slack refuses', () => {
  const blocked = (refused: (params: Readonly<Record<string, string>>) => boolean, code: string) => {
    emulator.broken.set('chat.postMessage', (params) => (refused(params) ? code : undefined));
  };

  test.each(['invalid_blocks', 'msg_blocks_too_long', 'a_code_of_tomorrow'])(
    'with %s is said as plain text',
    async (code) => {
      blocked(({ blocks }) => blocks !== undefined, code);
      const thread = await mention();
      await settle(instance.database);
      expect(said(thread)).toEqual([expect.stringContaining('thirty days of annual leave')]);
      expect([asked, (await recorded()).length]).toEqual([1, 1]);
    },
  );

  test('in either form becomes the sentence that it failed', async () => {
    blocked(({ text }) => text?.includes('leave') === true, 'msg_too_long');
    const thread = await mention();
    await settle(instance.database);
    expect([said(thread), asked]).toEqual([[expect.stringMatching(/^Something went wrong/)], 1]);
  });

  test('because the bot may not speak is given up at once', async () => {
    emulator.broken.set('chat.postMessage', 'restricted_action');
    await mention();
    await settle(instance.database, 3_000);
    expect([asked, emulator.calls.filter(({ method }) => method === 'chat.postMessage').length]).toEqual([1, 1]);
  });
});

test('an answer that could not be posted for a while is posted later, and not made anew', async () => {
  emulator.broken.set('chat.postMessage', times(4, 'internal_error'));
  const thread = await mention();
  await settle(instance.database);
  expect([said(thread).length, asked]).toEqual([1, 1]);
});

describe('an event that fails', () => {
  const outcome = async (type: string) =>
    (
      await rows<{ outcome: string }>(
        `select outcome from chat_events where event_key like '%/event/%' order by ended_at desc limit 1`,
      )
    ).map((row) => `${type} ${row.outcome}`);
  const react = async (thread: string) => {
    const [answer] = emulator.replies(channel, thread);
    await send({
      type: 'reaction_added',
      user: 'U0ADA',
      reaction: 'thumbsdown',
      item_user: emulator.botUserId,
      item: { type: 'message', channel, ts: answer?.ts },
      event_ts: emulator.nextTs(),
    });
  };

  test('only in a hint has not failed: the opinion counts', async () => {
    const thread = await mention();
    await settle(instance.database);
    emulator.broken.set('chat.postEphemeral', 'user_not_in_channel');
    await react(thread);
    await settle(instance.database, 3_000);
    expect(await rows('select verdict from feedback')).toEqual([{ verdict: 'down' }]);
  });

  test('only in a Home tab has not failed', async () => {
    emulator.broken.set('views.publish', 'not_enabled');
    await send({ type: 'app_home_opened', user: 'U0ADA', channel, tab: 'home', event_ts: emulator.nextTs() });
    await settle(instance.database, 3_000);
    expect(await outcome('home')).toEqual(['home done']);
  });

  test('for good is tried once', async () => {
    emulator.broken.set('usergroups.list', 'missing_scope');
    await send({ type: 'subteam_updated', subteam: { id: 'S1' }, event_ts: emulator.nextTs() });
    await settle(instance.database, 3_000);
    expect(await outcome('group')).toEqual(['group failed']);
  });

  test('again and again lets the next of its conversation pass after two tries', async () => {
    const first = await mention();
    emulator.broken.set('chat.postMessage', ({ thread_ts: thread }) =>
      thread === first ? 'internal_error' : undefined,
    );
    const second = await mention();
    await eventually(
      () => said(second),
      (replies) => replies.length === 1,
    );
    expect(said(first)).toEqual([]);
    emulator.broken.clear();
    await settle(instance.database);
    expect([said(first).length, asked]).toEqual([1, 2]);
  });

  test('is refused at the door where it names nobody', async () => {
    const before = (await rows('select 1 from chat_events')).length;
    for (const user of [undefined, null, {}, { name: 'nobody' }]) {
      await send({ type: 'user_change', user, event_ts: emulator.nextTs() });
    }
    expect((await rows('select 1 from chat_events')).length).toBe(before);
  });
});

describe('an answer that is to be taken back', () => {
  const forget = async () => {
    await opened.database.owner((query) =>
      query(`update answers set retracted_at = now(), body = body || '{"text": "", "citations": []}'
        where answer_id in (select answer_id from posted_answers where conversation = '${channel}')`),
    );
    await instance.slack.retractions.sweep();
  };
  const answered = async () => {
    const thread = await mention();
    await settle(instance.database);
    return thread;
  };
  // What waits for an hour or a day waits no longer.
  const later = () =>
    opened.database.owner((query) => query('update chat_events set try_after = now() where ended_at is null'));
  const done = (list: { retraction: string | null }[]) => list[0]?.retraction === 'done';

  test.each([
    'request_timeout',
    'internal_error',
    'service_unavailable',
    'html',
    'no_code',
    'down',
    'a_code_of_tomorrow',
  ])('is tried again after %s, and says meanwhile why it stands', async (error) => {
    const thread = await answered();
    emulator.broken.set('chat.update', error);
    await forget();
    const known = /^[a-z_]+$/.test(error) && !['html', 'no_code', 'down'].includes(error);
    const waiting = await eventually(recorded, ([row]) => row?.error != null);
    expect(waiting[0]).toMatchObject({ retraction: 'pending', error: known ? error : 'no_answer' });
    emulator.broken.clear();
    await later();
    await eventually(recorded, done);
    expect(said(thread)).toEqual([expect.stringContaining('taken back')]);
  });

  test('is tried more often than any other event', async () => {
    await answered();
    emulator.broken.set('chat.update', 'fatal_error');
    await forget();
    await eventually(recorded, ([row]) => row?.error != null);
    await opened.database.owner((query) =>
      query(
        `update chat_events set attempts = 100, try_after = now() where lane like '%/retract' and ended_at is null`,
      ),
    );
    const attempts = () =>
      rows<{ attempts: number }>(
        `select attempts from chat_events where ended_at is null and lane like '%/retract' and try_after > now()`,
      );
    await eventually(attempts, ([row]) => (row?.attempts ?? 0) > 100);
    expect((await recorded())[0]?.retraction).toBe('pending');
    emulator.broken.clear();
    await later();
    await eventually(recorded, done);
  });

  test.each(['internal_error', 'not_in_channel'])('and cannot for %s does not hold back another', async (error) => {
    const one = await answered();
    const other = await answered();
    const [stuck] = emulator.replies(channel, one);
    emulator.broken.set('chat.update', ({ ts }) => (ts === stuck?.ts ? error : undefined));
    await forget();
    await eventually(
      () => said(other),
      ([text]) => text?.includes('taken back') === true,
    );
  });

  test.each(['kicked', 'gone'])('where the bot was %s is taken back when it is there again', async (how) => {
    const thread = await answered();
    if (how === 'kicked') emulator.channels.set(channel, ['U0ADA']);
    else for (const method of ['chat.update', 'conversations.info']) emulator.broken.set(method, 'channel_not_found');
    await forget();
    const error = how === 'kicked' ? 'not_in_channel' : 'channel_not_found';
    const waiting = await eventually(recorded, ([row]) => row?.error != null);
    expect(waiting[0]).toMatchObject({ retraction: how === 'kicked' ? 'pending' : 'failed', error });
    emulator.broken.clear();
    emulator.channels.set(channel, ['U0ADA', emulator.botUserId]);
    await send({
      type: 'member_joined_channel',
      user: emulator.botUserId,
      channel,
      channel_type: 'C',
      team: emulator.teamId,
      event_ts: emulator.nextTs(),
    });
    await eventually(async () => {
      await instance.slack.retractions.sweep();
      return recorded();
    }, done);
    expect(said(thread)).toEqual([expect.stringContaining('taken back')]);
  });

  test('and may not be edited is removed', async () => {
    const thread = await answered();
    emulator.broken.set('chat.update', 'edit_window_closed');
    await forget();
    await eventually(recorded, done);
    expect(said(thread)).toEqual([]);
  });

  test('and may be neither edited nor removed is given up, and admins are told what to do', async () => {
    await answered();
    emulator.broken.set('chat.update', 'cant_update_message').set('chat.delete', 'cant_delete_message');
    await forget();
    const [row] = await eventually(recorded, ([first]) => first?.retraction === 'failed');
    expect(row?.error).toBe('cant_delete_message');
    const { createAdminTools } = await import('../../../src/chat/admin-tools.ts');
    const status = await createAdminTools(instance.product, []).status(TENANT);
    expect(status).toMatch(new RegExp(`retracting 1 message .*${channel}/${row?.message}.*delete it by hand`));
  });
});

describe('"Ask about this"', () => {
  const askAbout = async (ts: string) => {
    const response = await sendSigned(instance.url, emulator, {
      type: 'message_action',
      callback_id: 'ask_about_this',
      trigger_id: `trigger-${ts}`,
      action_ts: ts,
      message_ts: ts,
      team: { id: emulator.teamId, domain: 'acme' },
      user: { id: 'U0ADA', name: 'ada' },
      channel: { id: channel, name: 'general' },
      message: { type: 'message', user: 'U0ADA', ts, text: LEAVE },
      response_url: emulator.responseUrl(channel, 'U0ADA'),
    });
    expect(response.status).toBe(200);
  };
  const told = (place: string) =>
    emulator.messages.filter((message) => message.channel === place && message.bot).map(emulator.read);

  test.each([
    ['does not see', () => emulator.channels.delete(channel)],
    ['is not in', () => emulator.channels.set(channel, ['U0ADA'])],
  ])('in a channel that the bot %s says to invite it, and answers nothing', async (_, leave) => {
    leave();
    await askAbout(emulator.say(channel, LEAVE));
    const texts = await eventually(
      () => told(channel),
      (list) => list.length > 0,
    );
    await settle(instance.database);
    expect([texts, asked]).toEqual([[expect.stringMatching(/I am not in that channel. Invite me/)], 0]);
  });

  test('in a channel that the bot has just left says so in a direct message, and answers once at the most', async () => {
    emulator.broken.set('chat.postMessage', ({ channel: place }) => (place === channel ? 'not_in_channel' : undefined));
    await askAbout(emulator.say(channel, LEAVE));
    await settle(instance.database);
    const texts = await eventually(
      () => told('D0ADA'),
      (list) => list.length > 0,
    );
    expect(texts).toEqual([expect.stringMatching(/Invite me/)]);
    expect(asked).toBeLessThanOrEqual(1);
  });
});
