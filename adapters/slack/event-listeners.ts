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
import type { ClientFor } from './slack-client.ts';
import type { SlackFeedback } from './slack-feedback.ts';
import { type EventBody, type SlackEvent, userOf } from './slack-intake.ts';
import type { SlackPeople, SlackUser } from './slack-people.ts';
import type { AnswerInThread } from './slack-questions.ts';

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
  // The intake lets only the bot's own joining pass.
  app.event('member_joined_channel', async ({ event, context }) => {
    await parts.tryRetractionsAgain(contextOf(context).workspace, event.channel);
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
  app.event('app_uninstalled', async ({ body }) => {
    await parts.workspaces.revoke(teamOf(body as EventBody));
  });
  app.event('tokens_revoked', async ({ event, body }) => {
    // Tokens of persons are none of ours.
    if ((event.tokens.bot ?? []).length > 0) await parts.workspaces.revoke(teamOf(body as EventBody));
  });
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
  if (!direct && !mentioned && !(await parts.ownsThread(workspace, event.channel, thread))) return;
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
