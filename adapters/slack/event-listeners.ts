// What is done about each event of the inbox.
import type { App, Context } from '@slack/bolt';
import type { Logger } from '../../retrieval/ports.ts';
import type { AdminCommands } from '../admin-command.ts';
import type { HeldEvent } from '../inbox.ts';
import { type HomeContent, publishHome } from './app-home.ts';
import { plainText } from './escape-mrkdwn.ts';
import { offerIngest } from './ingest-file.ts';
import type { Workspace, Workspaces } from './ports.ts';
import type { PostMessages } from './post-messages.ts';
import { type ClientFor, isNotThere } from './slack-client.ts';
import type { SlackFeedback } from './slack-feedback.ts';
import { type EventBody, type SlackEvent, userOf } from './slack-intake.ts';
import type { SlackPeople, SlackUser } from './slack-people.ts';
import type { AnswerInThread, SeenBy } from './slack-questions.ts';

export interface EventParts {
  readonly workspaces: Workspaces;
  readonly clientFor: ClientFor;
  readonly slackPeople: SlackPeople;
  readonly slackFeedback: SlackFeedback;
  readonly answerInThread: AnswerInThread;
  readonly post: PostMessages;
  readonly admin: AdminCommands;
  readonly home: HomeContent;
  readonly tryRetractionsAgain: (workspace: Workspace, channel: string | null) => Promise<void>;
  readonly ownsThread: (workspace: Workspace, channel: string, thread: string) => Promise<boolean>;
  /** Messages with answers stand in the conversation. */
  readonly holdsAnswers: (workspace: Workspace, channel: string) => Promise<boolean>;
  readonly seenBy: SeenBy;
  readonly logger: Logger;
}

/** The workspace and the claim of the event that a listener was called for. */
export function contextOf(context: Context): { workspace: Workspace; held: HeldEvent } {
  const { workspace, held } = context as unknown as { workspace: Workspace; held: HeldEvent };
  return { workspace, held };
}

/** Adds the listeners for the Events API. */
export function addEventListeners(app: App, parts: EventParts): void {
  app.event('app_mention', ({ event, context }) => onQuestion(parts, context, event as SlackEvent));
  app.event('message', ({ event, context }) => onQuestion(parts, context, event as SlackEvent));
  for (const [type, does] of [
    ['reaction_added', 'reacted'],
    ['reaction_removed', 'unreacted'],
  ] as const) {
    app.event(type, async ({ event, context }) => {
      const { user, reaction, item } = event;
      if (item.type !== 'message' || !item.channel || !item.ts) return;
      const { workspace } = contextOf(context);
      await parts.slackFeedback[does](workspace, { user, reaction, channel: item.channel, message: item.ts });
    });
  }
  app.event('app_home_opened', async ({ event, context }) => {
    if (event.tab !== 'home') return;
    // A tab is drawn anew each time that it is opened.
    await publishHome(parts, contextOf(context).workspace, event.user).catch((error: unknown) => {
      parts.logger.warn({ err: error }, 'the Home tab of somebody could not be shown');
    });
  });
  addDirectoryListeners(app, parts);
}

function addDirectoryListeners(app: App, parts: EventParts): void {
  for (const type of ['user_change', 'team_join'] as const) {
    app.event(type, ({ event, context }) =>
      parts.slackPeople.userChanged(contextOf(context).workspace, event.user as SlackUser),
    );
  }
  for (const type of ['subteam_created', 'subteam_updated', 'subteam_members_changed'] as const) {
    app.event(type, ({ context }) => parts.slackPeople.refreshUsergroups(contextOf(context).workspace));
  }
  app.event('member_joined_channel', async ({ event, context }) => {
    const { workspace } = contextOf(context);
    if (event.user === workspace.botUserId) await parts.tryRetractionsAgain(workspace, event.channel);
    await membersChanged(parts, workspace, event.channel, event.user);
  });
  app.event('member_left_channel', ({ event, context }) =>
    membersChanged(parts, contextOf(context).workspace, event.channel),
  );
  app.event('app_uninstalled', async ({ body }) => {
    await parts.workspaces.revoke(teamOf(body as EventBody));
  });
  app.event('tokens_revoked', async ({ event, body }) => {
    // Tokens of persons are none of ours.
    if ((event.tokens.bot ?? []).length > 0) await parts.workspaces.revoke(teamOf(body as EventBody));
  });
}

// What was posted before stands in the history that a newcomer reads.
async function membersChanged(
  parts: EventParts,
  workspace: Workspace,
  channel: string,
  joined?: string,
): Promise<void> {
  if (!(await parts.holdsAnswers(workspace, channel))) return;
  try {
    const audience = await parts.slackPeople.audience(workspace, channel, joined);
    await parts.seenBy(workspace, channel, audience, { recheck: false });
  } catch (error) {
    // Without the app there, Slack tells nothing of the channel and lets nothing in it be edited.
    if (!isNotThere(error)) throw error;
  }
}

// In a thread of ours people also talk to each other.
function callsOthers(text: string, botUserId: string): boolean {
  const called = [...text.matchAll(/<(?:@|!subteam\^)([A-Z0-9]+)/g)].map(([, id]) => id);
  return called.length > 0 && !called.includes(botUserId);
}

function teamOf(body: EventBody): string {
  return body.authorizations?.[0]?.team_id ?? body.team_id ?? '';
}

async function onQuestion(parts: EventParts, context: Context, event: SlackEvent): Promise<void> {
  const { workspace, held } = contextOf(context);
  const user = userOf(event);
  if (typeof event.channel !== 'string' || user === undefined || event.ts === undefined) return;
  const direct = event.channel_type === 'im';
  const thread = event.thread_ts ?? event.ts;
  const mentioned = event.type === 'app_mention';
  if (!direct && !mentioned) {
    if (callsOthers(event.text ?? '', workspace.botUserId)) return;
    if (!(await parts.ownsThread(workspace, event.channel, thread))) return;
  }
  const files = event.files ?? [];
  const text = plainText(event.text ?? '', workspace.botUserId);
  if (direct && files.length > 0 && (text === '' || /^ingest\b/i.test(text))) {
    const place = { channel: event.channel, thread, user };
    if (await offerIngest(parts, workspace, { ...place, eventKey: held.eventKey }, files)) return;
  }
  const userTeam = event.user_team ?? event.source_team ?? event.team;
  await parts.answerInThread(
    {
      workspace,
      eventKey: held.eventKey,
      channel: event.channel,
      thread,
      message: event.ts,
      user,
      ...(userTeam === undefined ? {} : { userTeam }),
      text,
      hasAttachments: files.length > 0,
      direct,
    },
    held.claim,
  );
}
