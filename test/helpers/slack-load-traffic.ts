// What comes out of a workspace in which people talk, ask, react, come and go; and Slack's way of delivering it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { SlackEmulator } from './slack-emulator.ts';
import type { LoadCompany } from './slack-load-company.ts';
import { envelope, mentionEvent, messageEvent, sendSigned } from './slack-requests.ts';

/** What an event is, and what must come of it. */
export interface TrafficEvent {
  readonly kind: Kind;
  readonly body: object;
  /** The key under which exactly one reply must stand; null: nobody expects one. */
  readonly replyKey: string | null;
}

const KINDS = ['mention', 'direct', 'followUp', 'talk', 'reaction', 'member'] as const;
type Kind = (typeof KINDS)[number];
/** Shares of the kinds of events, summing to 1. */
export type Mix = Readonly<Record<Kind, number>>;

/** Gives events of a mix; `fresh`: each question is a different one. */
export function createTraffic(
  emulator: SlackEmulator,
  company: LoadCompany,
  mix: Mix,
  questions: 'fresh' | 'repeated',
) {
  let count = 0;
  const reacted = new Set<string>();
  const any = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)] as T;
  const question = () =>
    questions === 'fresh' ? `${any(company.questions)} (request ${++count})` : any(company.questions);
  const answered = () => emulator.messages.filter(({ bot, channel }) => bot && channel.startsWith('C'));
  const say = (channel: string, text: string, thread?: string) => {
    const user = channel.startsWith('D') ? `U${channel.slice(1)}` : any(company.users);
    return { channel, user, text, thread, ts: emulator.say(channel, text, thread) };
  };
  const keyOf = (channel: string, ts: string) => `slack:${emulator.teamId}/message/${channel}/${ts}#0`;
  const wrap = (kind: Kind, event: object, replyKey: string | null = null): TrafficEvent => ({
    kind,
    body: envelope(emulator, event),
    replyKey,
  });
  const makers: Record<Kind, () => TrafficEvent> = {
    mention: () => {
      const said = say(any(company.channels), `<@${emulator.botUserId}> ${question()}`);
      return wrap('mention', mentionEvent(emulator, said), keyOf(said.channel, said.ts));
    },
    direct: () => {
      const said = say(`D${any(company.users).slice(1)}`, question());
      return wrap('direct', messageEvent(emulator, said), keyOf(said.channel, said.ts));
    },
    // Without an answered thread there is nothing to follow up.
    followUp: () => {
      const parent = any(answered());
      if (!parent?.thread_ts) return makers.mention();
      const said = say(parent.channel, question(), parent.thread_ts);
      return wrap('followUp', messageEvent(emulator, said), keyOf(said.channel, said.ts));
    },
    talk: () => wrap('talk', messageEvent(emulator, say(any(company.channels), 'Lunch is at twelve today.'))),
    reaction: () => {
      const message = any(answered());
      const user = any(company.users);
      const key = `${user} ${message?.ts}`;
      if (!message || reacted.has(key)) return makers.talk();
      reacted.add(key);
      const item = { type: 'message', channel: message.channel, ts: message.ts };
      const event = { type: 'reaction_added', user, reaction: '+1', item, item_user: emulator.botUserId };
      return wrap('reaction', { ...event, event_ts: emulator.nextTs() });
    },
    member: () => {
      const event = { type: 'member_joined_channel', user: any(company.users), channel: any(company.channels) };
      return wrap('member', { ...event, channel_type: 'C', team: emulator.teamId, event_ts: emulator.nextTs() });
    },
  };
  return {
    mention: (channel: string): TrafficEvent => {
      const said = say(channel, `<@${emulator.botUserId}> ${question()}`);
      return wrap('mention', mentionEvent(emulator, said), keyOf(said.channel, said.ts));
    },
    next(): TrafficEvent {
      let at = Math.random();
      for (const kind of KINDS) {
        at -= mix[kind];
        if (at < 0) return makers[kind]();
      }
      return makers.talk();
    },
  };
}

/** One delivery of an event, until it was acknowledged or given up. */
export interface Delivered {
  readonly acknowledged: boolean;
  /** Of the try that was acknowledged. */
  readonly ms: number;
  readonly tries: number;
}

const GIVE_UP_MS = 3_000; // Slack waits no longer for an acknowledgement
/** Pauses before Slack's three further tries: at once, one minute and five minutes, at a twentieth. */
const RETRY_PAUSES_MS = [0, 3_000, 15_000];

/** Delivers an event as Slack does, each try to one of `urls()`. */
export async function deliver(
  emulator: SlackEmulator,
  body: object,
  urls: () => readonly string[],
): Promise<Delivered> {
  for (let tries = 1; tries <= RETRY_PAUSES_MS.length + 1; tries++) {
    const started = performance.now();
    if (await deliverOnce(emulator, body, urls(), tries - 1)) {
      return { acknowledged: true, ms: performance.now() - started, tries };
    }
    await sleep(RETRY_PAUSES_MS[tries - 1] ?? 0);
  }
  return { acknowledged: false, ms: Number.POSITIVE_INFINITY, tries: RETRY_PAUSES_MS.length + 1 };
}

/** One try. @returns whether it was acknowledged. */
export async function deliverOnce(
  emulator: SlackEmulator,
  body: object,
  urls: readonly string[],
  retry: number,
): Promise<boolean> {
  const url = urls[Math.floor(Math.random() * urls.length)] ?? '';
  const headers = retry === 0 ? {} : { 'x-slack-retry-num': String(retry), 'x-slack-retry-reason': 'http_timeout' };
  try {
    const response = await sendSigned(url, emulator, body, { headers, signal: AbortSignal.timeout(GIVE_UP_MS) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/** Calls `run` so often a second until it has been called `count` times; what it began goes on. */
export async function atRate(perSecond: number, count: number, run: () => void): Promise<void> {
  const started = performance.now();
  for (let done = 0; done < count; ) {
    const due = Math.min(count, Math.floor(((performance.now() - started) / 1_000) * perSecond) + 1);
    for (; done < due; done++) run();
    await sleep(2);
  }
}
