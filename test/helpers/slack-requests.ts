// Slack's requests as it sends them: signed, with bodies of the recorded shapes.
import { createHmac, randomUUID } from 'node:crypto';
import type { types } from '@slack/bolt';
import type { SlackEmulator } from './slack-emulator.ts';

/** How a request is signed; what is not given is right. */
export interface Signing {
  readonly secret?: string;
  readonly timestamp?: number;
  readonly headers?: Record<string, string | undefined>;
  readonly signal?: AbortSignal;
}

/** Sends a signed request as Slack does: events as JSON, commands and interactions as forms, a text as it is. */
export async function sendSigned(
  url: string,
  emulator: SlackEmulator,
  body: object | string,
  signing: Signing = {},
): Promise<Response> {
  const form = typeof body === 'string' ? null : formOf(body);
  const json = typeof body === 'string' ? body : JSON.stringify(body);
  const text = form ? new URLSearchParams(form as Record<string, string>).toString() : json;
  const timestamp = String(signing.timestamp ?? Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', signing.secret ?? emulator.signingSecret)
    .update(`v0:${timestamp}:${text}`)
    .digest('hex');
  const headers = {
    'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': `v0=${signature}`,
    ...signing.headers,
  };
  const given = Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const init = { method: 'POST', headers: given, body: text };
  return fetch(`${url}/slack/events`, signing.signal ? { ...init, signal: signing.signal } : init);
}

function formOf(body: object): object | null {
  if ('command' in body) return body;
  return 'type' in body && isInteraction(String(body.type)) ? { payload: JSON.stringify(body) } : null;
}

function isInteraction(type: string): boolean {
  return ['block_actions', 'view_submission', 'message_action', 'shortcut'].includes(type);
}

let counter = 0;

/** Wraps an event as the Events API does. */
export function envelope(
  emulator: SlackEmulator,
  event: object,
  extra: object = {},
): { event_id: string; [key: string]: unknown } {
  counter += 1;
  return {
    token: 'unused',
    team_id: emulator.teamId,
    api_app_id: 'A0VERBATIM',
    type: 'event_callback',
    event_id: `Ev${String(counter).padStart(10, '0')}`,
    event_time: Math.floor(Date.now() / 1_000),
    event_context: 'unused',
    is_ext_shared_channel: false,
    authorizations: [
      {
        enterprise_id: null,
        team_id: emulator.teamId,
        user_id: emulator.botUserId,
        is_bot: true,
        is_enterprise_install: false,
      },
    ],
    event,
    ...extra,
  };
}

/** A message of a person to the bot, in a direct message or by a mention. */
export function messageEvent(
  emulator: SlackEmulator,
  {
    channel,
    user,
    text,
    thread,
    ts,
    ...extra
  }: { channel: string; user: string; text: string; thread?: string | undefined; ts: string; [key: string]: unknown },
): Partial<types.GenericMessageEvent> & { ts: string } {
  const direct = channel.startsWith('D');
  return {
    client_msg_id: randomUUID(),
    type: 'message',
    team: emulator.teamId,
    user,
    text,
    ts,
    event_ts: ts,
    channel,
    channel_type: direct ? 'im' : 'channel',
    blocks: [],
    ...(thread === undefined ? {} : { thread_ts: thread }),
    ...extra,
  } as Partial<types.GenericMessageEvent> & { ts: string };
}

/** The same as the event of a mention. */
export function mentionEvent(emulator: SlackEmulator, message: Parameters<typeof messageEvent>[1]): object {
  const { channel_type: _type, ...event } = messageEvent(emulator, message);
  return { ...event, type: 'app_mention' };
}
