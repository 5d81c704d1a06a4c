// Commands, shortcuts, modals and the buttons of admins: each is acknowledged at once and ends with a word.
import type { App, MessageShortcut, RespondFn } from '@slack/bolt';
import { type AdminReply, DENIED_TEXT } from '../admin-command.ts';
import type { Outgoing } from '../inbox.ts';
import type { HandleQuestion } from '../question.ts';
import { type AnswerButtonParts, addAnswerButtons } from './answer-buttons.ts';
import { createCommandProgress } from './command-progress.ts';
import { plainText, typedText } from './escape-mrkdwn.ts';
import { contextOf } from './event-listeners.ts';
import { INGEST_VIEW, type IngestParts, ingestSharedFile, openIngestModal, readIngest } from './ingest-file.ts';
import { enqueueInternal, notHereText } from './internal-events.ts';
import { onButton } from './on-button.ts';
import type { Workspace } from './ports.ts';
import { ACTIONS, renderNotice, renderPreformatted, renderReply, type SlackMessage } from './render-reply.ts';
import { respondOnce } from './respond-once.ts';
import { REASONS_VIEW } from './slack-feedback.ts';
import { saidKey } from './slack-questions.ts';
import { SHORTCUTS } from './slack-shortcuts.ts';
import { endVisibly, type Listener, tell } from './tell.ts';

export interface InteractionParts extends Omit<AnswerButtonParts, 'admin'>, IngestParts {
  readonly handleQuestion: HandleQuestion;
  readonly outgoing: Outgoing;
}

/** Adds the listeners for everything that is no event. */
export function addInteractions(app: App, parts: InteractionParts): void {
  addCommands(app, parts);
  addAnswerButtons(app, parts);
  addAdminButtons(app, parts);
  addShortcuts(app, parts);
  app.view(INGEST_VIEW, async ({ ack, view, body, context }) => {
    await ack();
    const { workspace } = contextOf(context);
    const submission = readIngest(view);
    const listener = { workspace, user: body.user.id, respond: null, channel: submission.channel };
    await endVisibly(parts, listener, async () => {
      const reply = await ingestSharedFile(parts, workspace, body.user.id, submission);
      await tell(parts, listener, adminMessage(reply));
    });
  });
  addUnknown(app, parts);
}

function addCommands(app: App, parts: InteractionParts): void {
  app.command('/ask', async ({ ack, command, context, respond }) => {
    await ack();
    const { workspace, held } = contextOf(context);
    const listener = { workspace, user: command.user_id, respond, channel: command.channel_id };
    const answer = async () => {
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
          peopleNow: async () => ({
            asker: (await parts.slackPeople.asker(workspace, command.user_id)) ?? NOBODY,
            members: [],
          }),
          // Ephemeral messages cannot be edited later, so nothing is recorded: they are gone when Slack is reloaded.
          post: async (reply) => {
            const messages = renderReply(reply, { feedback: true, postable: !inDirect });
            await respondOnce(parts, workspace, { key: saidKey(held.eventKey, reply), respond }, messages);
          },
        },
      );
    };
    // What fails is tried again by the inbox, and said once it has failed too often for somebody who waits.
    await (held.attempt < VISIBLE_TRY ? answer() : endVisibly(parts, listener, answer));
  });
  app.command('/verbatim', async ({ ack, command, context, respond }) => {
    await ack({ response_type: 'ephemeral', text: 'Working on it…' });
    const { workspace } = contextOf(context);
    const listener = { workspace, user: command.user_id, respond, channel: command.channel_id };
    const progress = createCommandProgress(parts, workspace, command.user_id);
    await endVisibly(parts, listener, async () => {
      const reply = await parts.admin.run({
        ...(await parts.slackPeople.commander(workspace, command.user_id)),
        text: typedText(command.text),
        answerAt: (link) => placeOfLink(workspace, link),
        onProgress: progress.show,
      });
      await tell(parts, listener, adminMessage(reply));
    });
    await progress.end();
  });
}

const VISIBLE_TRY = 3; // after pauses of one and two seconds

// Who turned into an app in the meantime.
const NOBODY = { id: 'nobody', member: { principals: [] } };

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

function addAdminButtons(app: App, parts: InteractionParts): void {
  onButton(app, parts, ACTIONS.confirmForget, async ({ workspace, user, value, listener }) => {
    const reply = await parts.admin.forget(await parts.slackPeople.commander(workspace, user), value);
    await tell(parts, listener, adminMessage(reply), { replace: true });
  });
  onButton(app, parts, ACTIONS.cancel, ({ listener }) =>
    tell(parts, listener, renderNotice('Nothing was changed.'), { replace: true }),
  );
  onButton(app, parts, ACTIONS.ingestFile, ({ workspace, value: fileId, body, listener }) =>
    chooseReaders(parts, listener, body.trigger_id, {
      fileId,
      channel: body.channel?.id ?? body.user.id,
      action: 'button.ingest',
      target: `slack:file:${workspace.teamId}/${fileId}`,
    }),
  );
}

// The file is fetched when the readers were chosen; who may not ingest gets no modal.
async function chooseReaders(
  parts: InteractionParts,
  listener: Listener,
  triggerId: string,
  { fileId, channel, action, target }: { fileId: string | null; channel: string; action: string; target: string },
): Promise<void> {
  const { workspace, user } = listener;
  const allowed = await parts.admin.permits(await parts.slackPeople.commander(workspace, user), action, target);
  if (allowed && fileId !== null) return openIngestModal(parts, workspace, triggerId, { fileId, channel });
  await tell(parts, listener, renderNotice(allowed ? 'This message has no file.' : DENIED_TEXT));
}

function addShortcuts(app: App, parts: InteractionParts): void {
  const onShortcut = (
    id: string,
    run: (workspace: Workspace, body: MessageShortcut, listener: Listener) => Promise<void>,
  ) =>
    app.shortcut<MessageShortcut>(
      { type: 'message_action', callback_id: id },
      async ({ ack, shortcut, context, respond }) => {
        await ack();
        const { workspace } = contextOf(context);
        const listener = { workspace, user: shortcut.user.id, respond, channel: shortcut.channel.id };
        await endVisibly(parts, listener, () => run(workspace, shortcut, listener));
      },
    );
  onShortcut(SHORTCUTS.ask, async (workspace, { message, channel, user, action_ts: at }, listener) => {
    // Before anything is answered that could not be shown. What goes wrong with this look is met again, and said, in turn.
    if (!(await parts.slackPeople.isThere(workspace, channel.id).catch(() => true)))
      return tell(parts, listener, renderNotice(notHereText(channel.id)));
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
  onShortcut(SHORTCUTS.ingest, async (workspace, { message, channel, trigger_id: triggerId }, listener) => {
    const [file] = (message.files ?? []) as { id?: string }[];
    await chooseReaders(parts, listener, triggerId, {
      fileId: file?.id ?? null,
      channel: channel.id,
      action: 'shortcut.ingest',
      target: file?.id ? `slack:file:${workspace.teamId}/${file.id}` : '',
    });
  });
}

const UNKNOWN_TEXT =
  'I do not know this button or form; it may be of another version of me. Ask again to get a new one.';

// Whatever came from an earlier version of the app, or a later one. Nobody waits for what does not come.
function addUnknown(app: App, parts: InteractionParts): void {
  onButton(app, parts, noneOf(Object.values(ACTIONS)), ({ listener }) =>
    tell(parts, listener, renderNotice(UNKNOWN_TEXT)),
  );
  app.view(noneOf([INGEST_VIEW, REASONS_VIEW]), async ({ ack, body, context }) => {
    await ack();
    const listener = { workspace: contextOf(context).workspace, user: body.user.id, respond: null, channel: null };
    await tell(parts, listener, renderNotice(UNKNOWN_TEXT));
  });
  app.shortcut({ callback_id: noneOf(Object.values(SHORTCUTS)) }, async ({ ack, shortcut, context, respond }) => {
    await ack();
    const ways = { respond: (respond as RespondFn | undefined) ?? null, channel: null };
    const listener = { workspace: contextOf(context).workspace, user: shortcut.user.id, ...ways };
    await tell(parts, listener, renderNotice(UNKNOWN_TEXT));
  });
}

function noneOf(ids: readonly string[]): RegExp {
  return new RegExp(`^(?!(?:${ids.join('|')})$)`);
}
