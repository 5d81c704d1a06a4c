// Commands, buttons, shortcuts and modals: each is acknowledged at once.
import type { App, BlockAction, ButtonAction, Context, MessageShortcut, RespondFn } from '@slack/bolt';
import type { Audience } from '../../retrieval/model.ts';
import type { Logger } from '../../retrieval/ports.ts';
import { type AdminCommands, type AdminReply, DENIED_TEXT } from '../admin-command.ts';
import type { Inbox, Outgoing } from '../inbox.ts';
import type { Answers } from '../ports.ts';
import type { HandleQuestion } from '../question.ts';
import { toReply } from '../reply.ts';
import { createCommandProgress } from './command-progress.ts';
import { plainText } from './escape-mrkdwn.ts';
import { contextOf } from './event-listeners.ts';
import { INGEST_VIEW, ingestSharedFile, openIngestModal, readIngest } from './ingest-file.ts';
import { enqueueInternal, notHereText } from './internal-events.ts';
import type { Workspace } from './ports.ts';
import type { PostMessages } from './post-messages.ts';
import { ACTIONS, renderNotice, renderPreformatted, renderReply, type SlackMessage } from './render-reply.ts';
import { respondOnce } from './respond-once.ts';
import { type ClientFor, NOT_THERE, refusalCode } from './slack-client.ts';
import { REASONS_VIEW, readReasons, type SlackFeedback, thanksMessage } from './slack-feedback.ts';
import type { SlackPeople } from './slack-people.ts';
import { saidKey, toPlace } from './slack-questions.ts';
import { SHORTCUTS } from './slack-shortcuts.ts';

export interface InteractionParts {
  readonly clientFor: ClientFor;
  readonly slackPeople: SlackPeople;
  readonly slackFeedback: SlackFeedback;
  readonly handleQuestion: HandleQuestion;
  readonly post: PostMessages;
  readonly inbox: Inbox;
  readonly outgoing: Outgoing;
  readonly answers: Answers;
  readonly admin: AdminCommands;
  readonly publicUrl: string | null;
  readonly mayShow: (tenantId: string, answerId: string, audience: Audience) => Promise<boolean>;
  readonly logger: Logger;
}

/** Adds the listeners for everything that is no event. */
export function addInteractions(app: App, parts: InteractionParts): void {
  addCommands(app, parts);
  addFeedbackButtons(app, parts);
  addAnswerButtons(app, parts);
  addForgetButtons(app, parts);
  addShortcuts(app, parts);
  app.view(INGEST_VIEW, async ({ ack, view, body, context }) => {
    await ack();
    const { workspace } = contextOf(context);
    const submission = readIngest(view);
    const reply = await ingestSharedFile(parts, workspace, body.user.id, submission);
    const { channel } = submission;
    await parts.clientFor(workspace).chat.postEphemeral({ channel, user: body.user.id, ...adminMessage(reply) });
  });
}

function addCommands(app: App, parts: InteractionParts): void {
  app.command('/ask', async ({ ack, command, context, respond }) => {
    await ack();
    const { workspace, held } = contextOf(context);
    const asker = await parts.slackPeople.asker(workspace, command.user_id);
    if (asker === null) return;
    const inDirect = command.channel_name === 'directmessage';
    await parts.handleQuestion(
      {
        tenantId: workspace.tenantId,
        eventKey: held.eventKey,
        asker,
        members: [],
        text: plainText(command.text, workspace.botUserId),
        threadId: null,
        private: true,
      },
      {
        claim: held.claim,
        // Ephemeral messages cannot be edited later, so nothing is recorded: they are gone when Slack is reloaded.
        post: async (reply) => {
          const messages = renderReply(reply, { feedback: true, postable: !inDirect });
          await respondOnce(parts, workspace, { key: saidKey(held.eventKey, reply), respond }, messages);
        },
      },
    );
  });
  app.command('/verbatim', async ({ ack, command, context, respond }) => {
    await ack({ response_type: 'ephemeral', text: 'Working on it…' });
    const { workspace } = contextOf(context);
    const asker = await parts.slackPeople.asker(workspace, command.user_id);
    const progress = createCommandProgress(parts, workspace, command.user_id);
    const reply = await parts.admin.run({
      tenantId: workspace.tenantId,
      email: asker && 'person' in asker.member ? asker.member.person : null,
      actor: asker?.id ?? command.user_id,
      text: plainText(command.text, workspace.botUserId),
      answerAt: (link) => placeOfLink(workspace, link),
      onProgress: progress.show,
    });
    await respond({ response_type: 'ephemeral', ...adminMessage(reply) });
    await progress.end();
  });
}

/** The place that a link to a message means: `https://x.slack.com/archives/C1/p1712345678000100`. */
export function placeOfLink({ teamId }: Pick<Workspace, 'teamId'>, link: string) {
  const match = /\/archives\/([A-Z0-9]+)\/p(\d{10})(\d{6})/.exec(link);
  if (!match) return null;
  const [, conversation = '', seconds, fraction] = match;
  return { platform: 'slack' as const, workspace: teamId, conversation, message: `${seconds}.${fraction}` };
}

function adminMessage({ text, preformatted, confirmForget }: AdminReply): SlackMessage {
  if (preformatted) return renderPreformatted('Verbatim', text);
  if (confirmForget === undefined) return renderNotice(text);
  return renderNotice(text, [
    { id: ACTIONS.confirmForget, label: 'Forget it', value: confirmForget, danger: true },
    { id: ACTIONS.cancel, label: 'Cancel', value: 'cancel' },
  ]);
}

type Pressed = { workspace: Workspace; user: string; value: string; body: BlockAction; respond: RespondFn };

function onButton(app: App, actionId: string, run: (pressed: Pressed) => Promise<void>): void {
  app.action<BlockAction<ButtonAction>>({ type: 'block_actions', action_id: actionId }, async (args) => {
    await args.ack();
    const { workspace } = contextOf(args.context as Context);
    await run({
      workspace,
      user: args.body.user.id,
      value: args.action.value ?? '',
      body: args.body,
      respond: args.respond,
    });
  });
}

function addFeedbackButtons(app: App, { slackFeedback }: InteractionParts): void {
  onButton(app, ACTIONS.helpful, async ({ workspace, user, value, respond }) => {
    const known = await slackFeedback.pressed(workspace, user, value, 'up');
    await respond({ response_type: 'ephemeral', replace_original: false, ...thanksMessage(known) });
  });
  onButton(app, ACTIONS.notHelpful, async ({ workspace, user, value, body, respond }) => {
    const known = await slackFeedback.pressed(workspace, user, value, 'down');
    if (known) await slackFeedback.openReasons(workspace, body.trigger_id, value);
    else await respond({ response_type: 'ephemeral', replace_original: false, ...thanksMessage(false) });
  });
  onButton(app, ACTIONS.explain, ({ workspace, body, value }) =>
    slackFeedback.openReasons(workspace, body.trigger_id, value),
  );
  app.view(REASONS_VIEW, async ({ ack, view, body, context }) => {
    await ack();
    await slackFeedback.explained(contextOf(context).workspace, body.user.id, readReasons(view));
  });
}

function addAnswerButtons(app: App, parts: InteractionParts): void {
  onButton(app, ACTIONS.askPrivately, async ({ workspace, user, value: answerId, respond }) => {
    if (!(await isAsker(parts, workspace, user, answerId))) return;
    const internal = { kind: 'ask_privately' as const, teamId: workspace.teamId, user, answerId };
    await enqueueInternal(parts.inbox, workspace, `private/${answerId}/${user}`, { internal });
    const text = 'I answer you in a direct message.';
    await respond({ response_type: 'ephemeral', replace_original: true, ...renderNotice(text) });
  });
  onButton(app, ACTIONS.postToChannel, async ({ workspace, user, value: answerId, body, respond }) => {
    const channel = body.channel?.id;
    if (channel === undefined || !(await isAsker(parts, workspace, user, answerId))) return;
    const text = await showToChannel(parts, workspace, { user, channel, answerId });
    await respond({ response_type: 'ephemeral', replace_original: false, ...renderNotice(text) });
  });
}

// A private answer is its asker's alone to use.
async function isAsker(
  parts: InteractionParts,
  workspace: Workspace,
  user: string,
  answerId: string,
): Promise<boolean> {
  const asker = await parts.slackPeople.asker(workspace, user);
  const stored = await parts.answers.find(workspace.tenantId, answerId);
  return asker !== null && stored !== null && stored.asker.toLowerCase() === asker.id.toLowerCase();
}

const NOT_FOR_ALL_TEXT = 'Not everyone in this channel may read what this answer quotes, so it stays between us.';

async function showToChannel(
  parts: InteractionParts,
  workspace: Workspace,
  { user, channel, answerId }: { user: string; channel: string; answerId: string },
): Promise<string> {
  const { tenantId } = workspace;
  try {
    const audience = await parts.slackPeople.audience(workspace, channel, user);
    const stored = await parts.answers.find(tenantId, answerId);
    if (stored === null || stored.retractedAt !== null) return 'This answer is no longer there to be shown.';
    if (!(await parts.mayShow(tenantId, answerId, audience))) return NOT_FOR_ALL_TEXT;
    const reply = toReply(stored.answer, { private: false, offerPrivate: false, publicUrl: parts.publicUrl });
    const eventKey = `slack:${workspace.teamId}/shown/${answerId}/${channel}`;
    const question = renderNotice(`Asked: ${stored.question}`);
    const [thread = ''] = await parts.post({ workspace, channel, thread: null, eventKey: `${eventKey}/intro` }, [
      question,
    ]);
    const messages = renderReply(reply, { feedback: true, postable: false });
    await parts.post({ workspace, channel, thread, eventKey }, messages, (message) =>
      parts.answers.recordPosted(tenantId, answerId, [toPlace(workspace, channel, thread, message)]),
    );
    return 'It is in the channel now.';
  } catch (error) {
    if (NOT_THERE.has(refusalCode(error) ?? '')) return notHereText(channel);
    parts.logger.error({ answerId, err: error }, 'an answer could not be shown to a channel');
    return 'That did not work. Try again in a moment.';
  }
}

function addForgetButtons(app: App, parts: InteractionParts): void {
  onButton(app, ACTIONS.confirmForget, async ({ workspace, user, value, respond }) => {
    const asker = await parts.slackPeople.asker(workspace, user);
    const email = asker && 'person' in asker.member ? asker.member.person : null;
    const reply = await parts.admin.forget({ tenantId: workspace.tenantId, email, actor: asker?.id ?? user }, value);
    await respond({ response_type: 'ephemeral', replace_original: true, ...adminMessage(reply) });
  });
  onButton(app, ACTIONS.cancel, async ({ respond }) => {
    await respond({ response_type: 'ephemeral', replace_original: true, ...renderNotice('Nothing was changed.') });
  });
  onButton(app, ACTIONS.ingestFile, async ({ workspace, value: fileId, body }) => {
    await openIngestModal(parts, workspace, body.trigger_id, { fileId, channel: body.channel?.id ?? body.user.id });
  });
}

function addShortcuts(app: App, parts: InteractionParts): void {
  const onShortcut = (
    id: string,
    run: (workspace: Workspace, body: MessageShortcut, respond: RespondFn) => Promise<void>,
  ) =>
    app.shortcut<MessageShortcut>(
      { type: 'message_action', callback_id: id },
      async ({ ack, shortcut, context, respond }) => {
        await ack();
        await run(contextOf(context).workspace, shortcut, respond);
      },
    );
  onShortcut(SHORTCUTS.ask, async (workspace, { message, channel, user, action_ts: at }, respond) => {
    // Before anything is answered that could not be shown. What goes wrong with this look is met again, and said, in turn.
    if (!(await parts.slackPeople.isThere(workspace, channel.id).catch(() => true))) {
      return void (await respond({ response_type: 'ephemeral', ...renderNotice(notHereText(channel.id)) }));
    }
    const internal = {
      kind: 'ask_about' as const,
      teamId: workspace.teamId,
      user: user.id,
      channel: channel.id,
      thread: String(message.thread_ts ?? message.ts),
      text: plainText(message.text ?? '', workspace.botUserId),
      direct: channel.name === 'directmessage',
    };
    await enqueueInternal(parts.inbox, workspace, `shortcut/${channel.id}/${message.ts}/${at}`, { internal });
  });
  onShortcut(SHORTCUTS.ingest, async (workspace, { message, channel, user, trigger_id: triggerId }) => {
    const asker = await parts.slackPeople.asker(workspace, user.id);
    const email = asker && 'person' in asker.member ? asker.member.person : null;
    const [file] = (message.files ?? []) as { id?: string }[];
    const allowed = await parts.admin.isAdmin(workspace.tenantId, email);
    if (allowed && file?.id !== undefined) {
      return openIngestModal(parts, workspace, triggerId, { fileId: file.id, channel: channel.id });
    }
    const text = allowed ? 'This message has no file.' : DENIED_TEXT;
    await parts.clientFor(workspace).chat.postEphemeral({ channel: channel.id, user: user.id, ...renderNotice(text) });
  });
}
