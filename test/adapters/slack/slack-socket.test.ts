import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isEnvelope } from '../../../adapters/slack/socket-mode.ts';
import {
  openSlackBench,
  type SlackBench,
  type SlackInstance,
  settle,
  startSlackInstance,
} from '../../helpers/slack-bench.ts';
import type { SlackEmulator } from '../../helpers/slack-emulator.ts';
import { envelope, mentionEvent } from '../../helpers/slack-requests.ts';

let bench: SlackBench;
let emulator: SlackEmulator;
let instance: SlackInstance;
const start = (appToken = emulator.appToken) =>
  startSlackInstance(bench.opened, emulator, { environment: { SLACK_APP_TOKEN: appToken } });

beforeAll(async () => {
  bench = await openSlackBench({
    users: { U0BOB: { email: 'bob@acme.example' } },
    channels: { C0GENERAL: ['U0BOB'] },
  });
  ({ emulator } = bench);
  instance = await start();
});
afterAll(async () => {
  await instance?.close();
  await bench?.close();
});

async function repliesToMention(): Promise<number> {
  const text = `<@${emulator.botUserId}>`;
  const ts = emulator.say('C0GENERAL', text);
  await emulator.sendSocket(
    'events_api',
    envelope(emulator, mentionEvent(emulator, { channel: 'C0GENERAL', user: 'U0BOB', text, ts })),
  );
  await settle(instance.database);
  return emulator.replies('C0GENERAL', ts).length;
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    if (tries === 200) throw new Error('it did not come about');
    await sleep(50);
  }
}

const FRAMES = [
  'null',
  '5',
  '"text"',
  '[]',
  '{}',
  '{"type": 5}',
  '{"type": "events_api"}',
  '{"type": "events_api", "envelope_id": "e"}',
  '{"type": "events_api", "envelope_id": "e", "payload": null}',
  '{"type": "events_api", "envelope_id": "e", "payload": {"event": null}}',
  '{"type": "events_api", "envelope_id": "e", "payload": {"event": {}}}',
  '{"type": "slash_commands", "envelope_id": "e", "payload": []}',
  '{"type": "interactive", "payload": {}}',
  'no JSON',
];

test('frames that are no envelopes are refused, and the next event is answered', async () => {
  expect(FRAMES.filter(isEnvelope)).toEqual([]);
  for (const frame of FRAMES) for (const socket of emulator.sockets) socket.send(frame);
  expect(await repliesToMention()).toBe(1);
  expect(instance.log().filter(({ message }) => message.includes('no envelope'))).toHaveLength(FRAMES.length);
});

test.each(['down', 'internal_error', 'html', 'invalid_auth'])(
  'an outage (%s) at a reconnect ends with the outage, and is seen as long as it lasts',
  async (error) => {
    emulator.broken.set('apps.connections.open', error);
    const before = emulator.calls.length;
    for (const socket of emulator.sockets) socket.close();
    await until(() => instance.slack.connections().slack?.startsWith('not connected since 2') === true);
    // Not only once: the calls of the SDK within one try are more than one, and come within a second.
    await sleep(2_500);
    expect(instance.slack.connections().slack).toMatch(error === 'down' || error === 'html' ? /no_answer$/ : error);
    if (error !== 'down') expect(emulator.calls.length - before).toBeGreaterThan(1);
    emulator.broken.clear();
    await until(() => instance.slack.connections().slack === 'connected');
    expect(await repliesToMention()).toBe(1);
  },
);

test('a connection that Slack renews is renewed', async () => {
  const old = new Set(emulator.sockets);
  for (const socket of old) socket.send('{"type": "disconnect", "reason": "refresh_requested"}');
  await until(() => emulator.sockets.size === 1 && [...emulator.sockets].every((socket) => !old.has(socket)));
  await until(() => instance.slack.connections().slack === 'connected');
  expect(await repliesToMention()).toBe(1);
});

test('a start during an outage goes on, and connects when it is over', async () => {
  emulator.broken.set('apps.connections.open', 'internal_error');
  const second = await start();
  try {
    expect(second.slack.connections().slack).toMatch(/^not connected since .*internal_error$/);
    emulator.broken.clear();
    await until(() => second.slack.connections().slack === 'connected');
  } finally {
    emulator.broken.clear();
    await second.close();
  }
});

test('a start with a token that Slack refuses says which, and what to do', async () => {
  await expect(start('xapp-1-A0-another-token')).rejects.toThrow(
    /the app's token \(invalid_auth\); make SLACK_APP_TOKEN anew/,
  );
});
