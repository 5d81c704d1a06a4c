import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestDatabase } from '../../helpers/database.ts';
import {
  openSlackBench,
  type SlackBench,
  type SlackInstance,
  settle,
  startSlackInstance,
} from '../../helpers/slack-bench.ts';
import type { SlackEmulator } from '../../helpers/slack-emulator.ts';
import { envelope, mentionEvent, messageEvent, type Signing, sendSigned } from '../../helpers/slack-requests.ts';

let opened: TestDatabase;
let emulator: SlackEmulator;
let instance: SlackInstance;
let bench: SlackBench;

beforeAll(async () => {
  bench = await openSlackBench({
    users: { U0BOB: { email: 'bob@acme.example' } },
    channels: { C0GENERAL: ['U0BOB'] },
  });
  ({ opened, emulator } = bench);
  instance = await startSlackInstance(opened, emulator, { environment: { SLACK_APP_TOKEN: emulator.appToken } });
});
afterAll(async () => {
  await instance?.close();
  await bench?.close();
});

const now = () => Math.floor(Date.now() / 1_000);
const mention = () => {
  const text = `<@${emulator.botUserId}>`;
  const ts = emulator.say('C0GENERAL', text);
  return { ts, event: envelope(emulator, mentionEvent(emulator, { channel: 'C0GENERAL', user: 'U0BOB', text, ts })) };
};
const stored = async () =>
  (
    await opened.database.owner((query) => query<{ count: number }>('select count(*)::int as count from chat_events'))
  )[0]?.count;

describe('a request to /slack/events', () => {
  test.each<[string, (signing: object) => Signing]>([
    ['without a signature', () => ({ headers: { 'x-slack-signature': undefined } })],
    ['without a timestamp', () => ({ headers: { 'x-slack-request-timestamp': undefined } })],
    ['signed with another secret', () => ({ secret: 'another-secret-of-somebody' })],
    ['older than five minutes', () => ({ timestamp: now() - 301 })],
    ['from more than a minute in the future', () => ({ timestamp: now() + 65 })],
    ['with a timestamp that is no number', () => ({ headers: { 'x-slack-request-timestamp': `${now()}.5` } })],
    ['with its signature spelled otherwise', () => ({ headers: { 'x-slack-signature': `v0=${'A'.repeat(64)}` } })],
  ])('%s is refused, and nothing is stored', async (_, signing) => {
    const before = await stored();
    const response = await sendSigned(instance.url, emulator, mention().event, signing({}));
    expect({ status: response.status, stored: await stored() }).toEqual({ status: 401, stored: before });
  });

  test('from a clock that is a little ahead is accepted', async () => {
    expect((await sendSigned(instance.url, emulator, mention().event, { timestamp: now() + 40 })).status).toBe(200);
    await settle(instance.database);
  });

  test('that is replayed is refused, whatever it is and whether or not it leaves anything to do', async () => {
    const join = {
      type: 'message',
      subtype: 'channel_join',
      channel: 'C0GENERAL',
      user: 'U0BOB',
      ts: '1700000000.0001',
    };
    const foreign = { team_id: 'T0UNKNOWN', authorizations: [{ team_id: 'T0UNKNOWN' }] };
    for (const body of [
      mention().event,
      envelope(emulator, join),
      envelope(emulator, { type: 'channel_rename', channel: { id: 'C0GENERAL' } }),
      { ...mention().event, ...foreign },
      {
        command: '/verbatim',
        text: 'help',
        user_id: 'U0BOB',
        team_id: emulator.teamId,
        channel_id: 'C0GENERAL',
        trigger_id: '1',
        response_url: emulator.responseUrl('C0GENERAL', 'U0BOB'),
      },
    ]) {
      const timestamp = now();
      expect((await sendSigned(instance.url, emulator, body, { timestamp })).status).toBe(200);
      expect((await sendSigned(instance.url, emulator, body, { timestamp })).status).toBe(401);
    }
    await settle(instance.database);
  });

  test('of an unknown workspace is acknowledged, dropped and logged', async () => {
    const before = await stored();
    const { event } = mention();
    const foreign = { ...event, team_id: 'T0UNKNOWN', authorizations: [{ team_id: 'T0UNKNOWN' }] };
    expect((await sendSigned(instance.url, emulator, foreign)).status).toBe(200);
    expect(await stored()).toBe(before);
    expect(instance.log().map(({ message }) => message)).toContain(
      'something of an unknown or uninstalled workspace was dropped',
    );
  });

  test('that verifies the address gets its challenge back', async () => {
    const response = await sendSigned(instance.url, emulator, { type: 'url_verification', challenge: 'c', token: 't' });
    expect([response.status, await response.json()]).toEqual([200, { challenge: 'c' }]);
  });

  test.each(['{"type": "event_call', '', 'null', '[]', '[{"type": "event_callback"}]', '5', 'true', '"text"'])(
    'that is signed, but is %s and no object, is refused, and not by ending the process',
    async (body) => {
      expect((await sendSigned(instance.url, emulator, body)).status).toBe(400);
      expect((await sendSigned(instance.url, emulator, body, { secret: 'another' })).status).toBe(401);
    },
  );

  test('with a payload of a form that is no object is refused', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await sendSigned(instance.url, emulator, 'payload=null', { headers })).status).toBe(400);
  });

  test('that is larger than anything of Slack is refused', async () => {
    expect((await sendSigned(instance.url, emulator, `"${'x'.repeat(2 ** 22)}"`)).status).toBe(413);
  });

  test.each([
    { event: null },
    { event: 5 },
    { event: [] },
    { event: {} },
    { authorizations: 'x' },
    { event: { type: 5 } },
  ])('with %j in it is answered, and the next one, too', async (odd) => {
    const response = await sendSigned(instance.url, emulator, { ...mention().event, ...odd });
    expect([200, 404, 500]).toContain(response.status);
    expect((await sendSigned(instance.url, emulator, mention().event, { timestamp: now() - 1 })).status).toBe(200);
    await settle(instance.database);
  });

  test('by another method finds nothing', async () => {
    expect((await fetch(`${instance.url}/slack/events`)).status).toBe(404);
  });
});

test('through Socket Mode an event is acknowledged when it is stored, and answered', async () => {
  const { ts, event } = mention();
  await emulator.sendSocket('events_api', event);
  expect(await stored()).toBeGreaterThan(0);
  await settle(instance.database);
  expect(emulator.replies('C0GENERAL', ts)).toHaveLength(1);
  await emulator.sendSocket('events_api', event);
  await settle(instance.database);
  expect(emulator.replies('C0GENERAL', ts)).toHaveLength(1);
});

test('a question whose event cannot be stored gets a plain sentence, and none when even that fails, so that Slack sends it again', async () => {
  const broken = await startSlackInstance(opened, emulator);
  try {
    await broken.database.close();
    const text = `<@${emulator.botUserId}> hello?`;
    const send = () => {
      const ts = emulator.say('C0GENERAL', text);
      return {
        ts,
        response: sendSigned(
          broken.url,
          emulator,
          envelope(emulator, mentionEvent(emulator, { channel: 'C0GENERAL', user: 'U0BOB', text, ts })),
        ),
      };
    };
    const told = send();
    expect((await told.response).status).toBe(200);
    expect(emulator.replies('C0GENERAL', told.ts).map(emulator.read).join()).toMatch(/went wrong/);
    emulator.broken.set('chat.postMessage', 'internal_error');
    expect((await send().response).status).toBe(500);
  } finally {
    emulator.broken.clear();
    await broken.crash();
  }
});

describe('an app that is uninstalled', () => {
  test('is not served any more, until its token is configured anew', async () => {
    await sendSigned(
      instance.url,
      emulator,
      envelope(emulator, { type: 'app_uninstalled', event_ts: emulator.nextTs() }),
    );
    await settle(instance.database);
    const before = await stored();
    const direct = messageEvent(emulator, { channel: 'D0BOB', user: 'U0BOB', text: 'hi', ts: emulator.nextTs() });
    expect((await sendSigned(instance.url, emulator, envelope(emulator, direct))).status).toBe(200);
    expect(await stored()).toBe(before);
    const again = await startSlackInstance(opened, emulator);
    const { ts, event } = mention();
    await sendSigned(again.url, emulator, event);
    await settle(again.database);
    await again.close();
    expect(emulator.replies('C0GENERAL', ts)).toHaveLength(1);
  });
});
