// What Slack sends, from the request to the inbox: known workspaces only, each event once, stored before it is acknowledged.
import type { ReceiverEvent } from '@slack/bolt';
import type { Logger } from '../../retrieval/ports.ts';
import { reactionVerdict } from '../feedback-reactions.ts';
import type { ChatEvent, Inbox, Invalidation, Noted } from '../inbox.ts';
import type { Workspace, Workspaces } from './ports.ts';

/** The same signed request came before; it gets 401. */
export class ReplayedRequestError extends Error {
  constructor() {
    super('this request was seen before');
    this.name = 'ReplayedRequestError';
  }
}

export interface IntakeOptions {
  readonly workspaces: Workspaces;
  readonly inbox: Inbox;
  /** Runs what must be answered at once: commands, buttons, modals. */
  readonly processNow: (event: ReceiverEvent) => Promise<void>;
  /** Tells a question's author that it failed, when not even storing it worked. @returns whether that was shown. */
  readonly apologise: (workspace: Workspace, question: { channel: string; thread: string }) => Promise<boolean>;
  /** Follow-ups in the bot's threads are read without a mention. */
  readonly followUps: boolean;
  readonly logger: Logger;
}

/** The body of an event, by the names that this file reads. */
export interface EventBody {
  readonly type?: string;
  readonly team_id?: string;
  readonly event_id?: string;
  readonly command?: string;
  readonly trigger_id?: string;
  readonly user_id?: string;
  readonly team?: { readonly id?: string } | null;
  readonly view?: { readonly app_installed_team_id?: string };
  readonly authorizations?: readonly { readonly team_id?: string | null }[];
  readonly event?: SlackEvent;
}

/** The parts of an event that decide what becomes of it. */
export interface SlackEvent {
  readonly type: string;
  readonly subtype?: string;
  readonly channel?: string | { readonly id?: string };
  readonly channel_type?: string;
  readonly user?: string | { readonly id?: string };
  readonly user_team?: string;
  readonly source_team?: string;
  readonly team?: string;
  readonly bot_id?: string;
  readonly edited?: object;
  readonly text?: string;
  readonly ts?: string;
  readonly thread_ts?: string;
  readonly event_ts?: string;
  readonly files?: readonly object[];
  readonly item?: { readonly type?: string; readonly channel?: string; readonly ts?: string };
  readonly reaction?: string;
  readonly item_user?: string;
  readonly tab?: string;
}

/** Takes one verified request. @throws ReplayedRequestError; whatever the database throws, so that Slack sends it again. */
export function createIntake(options: IntakeOptions): (event: ReceiverEvent) => Promise<void> {
  return async (received) => {
    const body = received.body as EventBody;
    const teamId = workspaceOf(body);
    const workspace = teamId === null ? null : await options.workspaces.find(teamId);
    const signature = signatureOf(received);
    if (workspace === null) {
      options.logger.warn(
        { teamId, type: body.event?.type ?? body.type },
        'something of an unknown or uninstalled workspace was dropped',
      );
      // Of no tenant, and refused when it comes again like everything that was signed.
      if (signature !== null) await note(options.inbox, { tenantId: '' }, { signature, invalidates: null });
      return received.ack();
    }
    const isAsk = body.command === '/ask';
    if (!body.event && !isAsk) {
      if (signature !== null) await note(options.inbox, workspace, { signature, invalidates: null });
      return options.processNow(received);
    }
    const event = isAsk ? commandEvent(workspace, body) : toChatEvent(workspace, body, options.followUps);
    const invalidates = invalidationOf(workspace, body);
    if (event !== null) await store(options, workspace, body, event, { signature, invalidates });
    else if (signature !== null || invalidates !== null)
      await note(options.inbox, workspace, { signature, invalidates });
    await received.ack(...(isAsk ? [{ response_type: 'ephemeral' as const, text: ASKING_TEXT }] : []));
  };
}

const ASKING_TEXT = 'Looking through the documents that you may read…';

async function note(inbox: Inbox, { tenantId }: Pick<Workspace, 'tenantId'>, noted: Noted): Promise<void> {
  if ((await inbox.note(tenantId, noted)) === 'replayed') throw new ReplayedRequestError();
}

async function store(
  { inbox, apologise, logger }: IntakeOptions,
  workspace: Workspace,
  body: EventBody,
  event: ChatEvent,
  noted: Noted,
): Promise<void> {
  try {
    if ((await inbox.receive(event, noted)) === 'replayed') throw new ReplayedRequestError();
  } catch (error) {
    const place = error instanceof ReplayedRequestError ? null : placeOfQuestion(body);
    if (place === null) throw error;
    logger.error({ eventKey: event.eventKey, err: error }, 'a question could not be stored');
    // Told is ended; what could not even be told is sent again by Slack.
    if (!(await apologise(workspace, place))) throw error;
  }
}

/** The workspace that the app is installed in; in shared channels the sender's own is another one. */
export function workspaceOf(body: EventBody): string | null {
  return body.authorizations?.[0]?.team_id ?? body.view?.app_installed_team_id ?? body.team?.id ?? body.team_id ?? null;
}

function signatureOf({ customProperties }: ReceiverEvent): string | null {
  const signature: unknown = customProperties?.signature;
  return typeof signature === 'string' && signature !== '' ? signature : null;
}

function commandEvent({ tenantId, teamId }: Workspace, body: EventBody): ChatEvent {
  const key = `slack:${teamId}/command/${body.trigger_id ?? ''}`;
  return {
    tenantId,
    eventKey: key,
    lane: `slack:${teamId}/user/${body.user_id ?? ''}`,
    position: Date.now().toString(),
    payload: body,
  };
}

/** An event as it is kept; null for what the bot does not react to. */
export function toChatEvent(workspace: Workspace, body: EventBody, followUps: boolean): ChatEvent | null {
  const { event } = body;
  if (!event || !isForUs(workspace, event, followUps)) return null;
  const { tenantId, teamId } = workspace;
  const channel = channelOf(event);
  // A mention in a thread comes twice, as `app_mention` and as `message`: the message itself is what is answered once.
  const isMessage = event.type === 'app_mention' || event.type === 'message';
  const id = isMessage ? `message/${channel}/${event.ts}` : `event/${body.event_id}`;
  return {
    tenantId,
    eventKey: `slack:${teamId}/${id}`,
    lane: `slack:${teamId}/${laneOf(event)}`,
    position: event.event_ts ?? event.ts ?? '',
    payload: body,
  };
}

// Nothing that somebody does holds back the loss of a right, and no group holds back a workspace.
function laneOf(event: SlackEvent): string {
  if (REVOCATIONS.has(event.type)) return 'revocations';
  if (USER_EVENTS.has(event.type)) return `rights/${userOf(event)}`;
  if (event.type.startsWith('subteam_')) return 'usergroups';
  return channelOf(event) ?? `user/${userOf(event)}`;
}

const REVOCATIONS = new Set(['app_uninstalled', 'tokens_revoked']);

// What a listener waits for beside messages and reactions.
const WORKED_ON = new Set([
  'member_joined_channel',
  'member_left_channel',
  'app_home_opened',
  'user_change',
  'team_join',
  'subteam_created',
  'subteam_updated',
  'subteam_members_changed',
  'app_uninstalled',
  'tokens_revoked',
]);

// Own and other bots' messages, edits, joins and everything said beside the bot are no questions.
function isForUs({ botUserId }: Workspace, event: SlackEvent, followUps: boolean): boolean {
  // Most reactions are on what people said, and most of the others are no opinion.
  if (event.type === 'reaction_added' || event.type === 'reaction_removed') {
    return event.item_user === botUserId && reactionVerdict(event.reaction ?? '') !== null;
  }
  if (NEED_USER.has(event.type) && !userOf(event)) return false;
  if (event.type !== 'app_mention' && event.type !== 'message') return WORKED_ON.has(event.type);
  if (event.bot_id || event.edited || userOf(event) === botUserId || !userOf(event) || !event.ts) return false;
  if (event.subtype !== undefined && event.subtype !== 'file_share' && event.subtype !== 'thread_broadcast')
    return false;
  if (event.type === 'app_mention') return event.channel_type !== 'im';
  if (event.channel_type === 'im') return true;
  const mentioned = event.text?.includes(`<@${botUserId}`) === true;
  return followUps && event.thread_ts !== undefined && event.thread_ts !== event.ts && !mentioned;
}

const MEMBER_EVENTS = new Set(['member_joined_channel', 'member_left_channel', 'channel_left', 'group_left']);
const USER_EVENTS = new Set(['user_change', 'user_profile_changed', 'team_join']);
const NEED_USER = new Set([...USER_EVENTS, 'app_home_opened']);

// Who sees a channel must be right for the very next answer, not when the lane comes to the event.
function invalidationOf({ teamId }: Workspace, { event }: EventBody): Invalidation | null {
  if (!event) return null;
  const place = { platform: 'slack', workspace: teamId };
  const conversation = channelOf(event);
  if (MEMBER_EVENTS.has(event.type) && conversation) return { ...place, conversation };
  const userId = userOf(event);
  if (USER_EVENTS.has(event.type) && userId) return { ...place, userId };
  return null;
}

function placeOfQuestion({ event }: EventBody): { channel: string; thread: string } | null {
  const channel = event && channelOf(event);
  if (!event || !channel || !event.ts) return null;
  const asked = event.type === 'app_mention' || (event.type === 'message' && event.channel_type === 'im');
  return asked ? { channel, thread: event.thread_ts ?? event.ts } : null;
}

/** The conversation of an event; undefined where it has none. */
export function channelOf({ channel, item }: SlackEvent): string | undefined {
  const id = typeof channel === 'string' ? channel : channel?.id;
  return id ?? item?.channel;
}

/** The user of an event; undefined where it has none. */
export function userOf({ user }: SlackEvent): string | undefined {
  return typeof user === 'string' ? user : user?.id;
}
