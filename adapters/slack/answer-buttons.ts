// The buttons under answers: opinions, a private answer, and showing a private one to the channel.
import type { App, BlockAction } from '@slack/bolt';
import type { Audience } from '../../retrieval/model.ts';
import type { AdminCommands } from '../admin-command.ts';
import type { Inbox } from '../inbox.ts';
import type { Answers, Showing, StoredAnswer } from '../ports.ts';
import { toReply } from '../reply.ts';
import { contextOf } from './event-listeners.ts';
import { enqueueInternal, notHereText } from './internal-events.ts';
import { onButton, type Pressed } from './on-button.ts';
import type { PostMessages } from './post-messages.ts';
import { ACTIONS, renderNotice, renderReply } from './render-reply.ts';
import { isNotThere } from './slack-client.ts';
import { isBy, opinionMessage, type Press, REASONS_VIEW, readReasons, type SlackFeedback } from './slack-feedback.ts';
import type { SlackPeople } from './slack-people.ts';
import { type SeenBy, toPlace } from './slack-questions.ts';
import { endVisibly, type TellParts, tell } from './tell.ts';

export interface AnswerButtonParts extends TellParts {
  readonly slackPeople: SlackPeople;
  readonly slackFeedback: SlackFeedback;
  readonly post: PostMessages;
  readonly inbox: Inbox;
  readonly answers: Answers;
  readonly admin: Pick<AdminCommands, 'denied'>;
  readonly publicUrl: string | null;
  readonly mayShow: (tenantId: string, answerId: string, audience: Audience) => Promise<Showing>;
  readonly seenBy: SeenBy;
}

/** Adds the listeners. */
export function addAnswerButtons(app: App, parts: AnswerButtonParts): void {
  addFeedbackButtons(app, parts);
  onButton(app, parts, ACTIONS.askPrivately, async (pressed) => {
    const { workspace, user, value: answerId, listener } = pressed;
    if ((await ownAnswer(parts, pressed, 'answer.ask_privately')) === null) return;
    const internal = { kind: 'ask_privately' as const, teamId: workspace.teamId, user, answerId };
    await enqueueInternal(parts.inbox, workspace, `private/${answerId}/${user}`, { internal });
    await tell(parts, listener, renderNotice('I answer you in a direct message.'), { replace: true });
  });
  onButton(app, parts, ACTIONS.postToChannel, async (pressed) => {
    const stored = await ownAnswer(parts, pressed, 'answer.show');
    if (stored !== null) await tell(parts, pressed.listener, renderNotice(await showToChannel(parts, pressed, stored)));
  });
}

function addFeedbackButtons(app: App, parts: AnswerButtonParts): void {
  const { slackFeedback } = parts;
  onButton(app, parts, ACTIONS.helpful, async ({ workspace, user, value, body, listener }) => {
    const opinion = await slackFeedback.pressed(workspace, { user, answerId: value, place: placeOf(body) }, 'up');
    await tell(parts, listener, opinionMessage(opinion));
  });
  onButton(app, parts, ACTIONS.notHelpful, async ({ workspace, user, value, body, listener }) => {
    const opinion = await slackFeedback.pressed(workspace, { user, answerId: value, place: placeOf(body) }, 'down');
    if (opinion === 'counted') await slackFeedback.openReasons(workspace, body.trigger_id, value);
    else await tell(parts, listener, opinionMessage(opinion));
  });
  onButton(app, parts, ACTIONS.explain, ({ workspace, body, value }) =>
    slackFeedback.openReasons(workspace, body.trigger_id, value),
  );
  app.view(REASONS_VIEW, async ({ ack, view, body, context }) => {
    await ack();
    const { workspace } = contextOf(context);
    const listener = { workspace, user: body.user.id, respond: null, channel: null };
    await endVisibly(parts, listener, async () => {
      const opinion = await slackFeedback.explained(workspace, body.user.id, readReasons(view));
      if (opinion !== 'counted') await tell(parts, listener, opinionMessage(opinion));
    });
  });
}

function placeOf({ container, channel }: BlockAction): Press['place'] {
  const { message_ts: message, is_ephemeral: ephemeral } = container as { message_ts?: string; is_ephemeral?: boolean };
  return channel?.id && message && !ephemeral ? { channel: channel.id, message } : null;
}

const GONE_TEXT = 'This answer is no longer there to be shown.';
const NOT_YOURS_TEXT = 'Only whoever asked the question can do that.';

// A private answer is its asker's alone to use. Others are told so; nothing they learn depends on the answer.
async function ownAnswer(
  parts: AnswerButtonParts,
  { workspace, user, value: answerId, listener }: Pressed,
  action: string,
): Promise<StoredAnswer | null> {
  const asker = await parts.slackPeople.asker(workspace, user);
  const stored = await parts.answers.find(workspace.tenantId, answerId);
  if (stored === null) {
    await tell(parts, listener, renderNotice(GONE_TEXT));
    return null;
  }
  if (asker !== null && isBy(stored, asker.id)) return stored;
  const { actor } = await parts.slackPeople.commander(workspace, user);
  await parts.admin.denied(workspace.tenantId, { actor, action, target: answerId });
  await tell(parts, listener, renderNotice(NOT_YOURS_TEXT));
  return null;
}

const SHOWING_TEXTS: Readonly<Record<Showing, string | null>> = {
  may_be_shown: null,
  not_for_all: 'Not everyone in this channel may read what this answer quotes, so it stays between us.',
  not_now:
    'A document that this answer quotes is not available as it was quoted, so it is not shown. Ask again for what the documents say now.',
  gone: GONE_TEXT,
};

// The audience is looked at again between the two messages, and once more when the answer stands: whoever joined meanwhile
// sees it, too.
async function showToChannel(
  parts: AnswerButtonParts,
  { workspace, user, body, value: answerId }: Pressed,
  stored: StoredAnswer,
): Promise<string> {
  const channel = body.channel?.id;
  if (channel === undefined) return GONE_TEXT;
  const { tenantId } = workspace;
  const hindrance = async () => {
    const audience = await parts.slackPeople.audience(workspace, channel, user);
    return SHOWING_TEXTS[await parts.mayShow(tenantId, answerId, audience)];
  };
  try {
    const before = await hindrance();
    if (before !== null) return before;
    const reply = toReply(stored.answer, { private: false, offerPrivate: false, publicUrl: parts.publicUrl });
    const eventKey = `slack:${workspace.teamId}/shown/${answerId}/${channel}`;
    const intro = { workspace, channel, thread: null, eventKey: `${eventKey}/intro` };
    const [thread = ''] = await parts.post(intro, [renderNotice(`Asked: ${stored.question}`)]);
    const between = await hindrance();
    if (between !== null) return between;
    const messages = renderReply(reply, { feedback: true, postable: false });
    await parts.post({ workspace, channel, thread, eventKey }, messages, (message) =>
      parts.answers.recordPosted(tenantId, answerId, [toPlace(workspace, channel, thread, message)]),
    );
    const audience = await parts.slackPeople.audience(workspace, channel, user);
    await parts.seenBy(workspace, channel, audience, { recheck: true });
    return 'It is in the channel now.';
  } catch (error) {
    if (isNotThere(error)) return notHereText(channel);
    throw error;
  }
}
