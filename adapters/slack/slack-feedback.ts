// What people think of an answer: reactions and buttons; a thumbs-down is asked what was wrong.
import type { types } from '@slack/bolt';
import type { Logger } from '../../retrieval/ports.ts';
import { reactionVerdict } from '../feedback-reactions.ts';
import {
  type Answers,
  FEEDBACK_REASONS,
  type Feedback,
  type FeedbackReason,
  type FeedbackStore,
  type StoredAnswer,
} from '../ports.ts';
import { FEEDBACK_ASK_TEXT, FEEDBACK_REASON_TEXTS, FEEDBACK_THANKS_TEXT } from '../wording.ts';
import type { Workspace } from './ports.ts';
import { ACTIONS, renderNotice } from './render-reply.ts';
import { type ClientFor, slackErrorCode } from './slack-client.ts';
import type { SlackPeople } from './slack-people.ts';

export interface SlackFeedbackOptions {
  readonly clientFor: ClientFor;
  readonly slackPeople: SlackPeople;
  readonly answers: Pick<Answers, 'atPlace' | 'find'>;
  readonly feedback: FeedbackStore;
  readonly logger: Logger;
}

/** A reaction on a message. */
export interface Reaction {
  readonly user: string;
  readonly reaction: string;
  readonly channel: string;
  readonly message: string;
}

/** A button under an answer. */
export interface Press {
  readonly user: string;
  readonly answerId: string;
  /** The message that holds the button; null: one that only the asker sees. */
  readonly place: { readonly channel: string; readonly message: string } | null;
}

/** What became of an opinion: `unseen` is of somebody who does not see the answer, and is not counted. */
export type Opinion = 'counted' | 'gone' | 'unseen';

export interface SlackFeedback {
  reacted(workspace: Workspace, reaction: Reaction): Promise<void>;
  unreacted(workspace: Workspace, reaction: Reaction): Promise<void>;
  pressed(workspace: Workspace, press: Press, verdict: Feedback['verdict']): Promise<Opinion>;
  /** Opens the question of what was wrong. */
  openReasons(workspace: Workspace, triggerId: string, answerId: string): Promise<void>;
  /** What was answered to it. */
  explained(workspace: Workspace, user: string, view: ReasonsSubmission): Promise<Opinion>;
}

/** What the modal gives back. */
export interface ReasonsSubmission {
  readonly answerId: string;
  readonly reason: string | null;
  readonly comment: string;
}

/** The modal's id, as it comes back. */
export const REASONS_VIEW = 'feedback_reasons';
const MAX_COMMENT = 2_000;

/** Makes the feedback of Slack over the shared store. */
export function createSlackFeedback(options: SlackFeedbackOptions): SlackFeedback {
  const { clientFor, slackPeople, answers, feedback } = options;
  const give = async (workspace: Workspace, user: string, opinion: Omit<Feedback, 'givenBy' | 'platform'>) => {
    const asker = await slackPeople.asker(workspace, user);
    if (asker === null) return false;
    return feedback.give(workspace.tenantId, { ...opinion, givenBy: asker.id, platform: 'slack' });
  };
  return {
    async reacted(workspace, { user, reaction, channel, message }) {
      const verdict = reactionVerdict(reaction);
      const stored = verdict === null ? null : await answerAt(options, workspace, channel, message);
      if (verdict === null || stored === null || !(await slackPeople.isIn(workspace, channel, user))) return;
      const { answerId } = stored.answer;
      const given = await give(workspace, user, { answerId, verdict, reason: null, comment: '' });
      if (!given || verdict === 'up') return;
      // A reaction opens no modal; the button in this hint does. It stands where the answer does: in the thread.
      const ask = renderNotice(FEEDBACK_ASK_TEXT, [
        { id: ACTIONS.explain, label: 'Say what was wrong', value: answerId },
      ]);
      // The opinion counts without it.
      await clientFor(workspace)
        .chat.postEphemeral({ channel, user, thread_ts: stored.place.thread, ...ask })
        .catch((error: unknown) => options.logger.warn({ err: error }, 'what was wrong could not be asked'));
    },
    async unreacted(workspace, { user, reaction, channel, message }) {
      const verdict = reactionVerdict(reaction);
      const stored = verdict === null ? null : await answerAt(options, workspace, channel, message);
      const asker = stored === null ? null : await slackPeople.asker(workspace, user);
      if (stored === null || asker === null) return;
      const { answerId } = stored.answer;
      const given = await feedback.find(workspace.tenantId, answerId, asker.id);
      // Another opinion that came later stays.
      if (given?.verdict !== verdict) return;
      if (await stillSays(options, workspace, { user, channel, message }, verdict)) return;
      await feedback.withdraw(workspace.tenantId, answerId, asker.id);
    },
    async pressed(workspace, { user, answerId, place }, verdict) {
      if (!(await sees(options, workspace, { user, answerId, place }))) return 'unseen';
      const given = await give(workspace, user, { answerId, verdict, reason: null, comment: '' });
      return given ? 'counted' : 'gone';
    },
    async openReasons(workspace, triggerId, answerId) {
      await clientFor(workspace).views.open({ trigger_id: triggerId, view: reasonsView(answerId) });
    },
    async explained(workspace, user, { answerId, reason, comment }) {
      const asker = await slackPeople.asker(workspace, user);
      const stored = await answers.find(workspace.tenantId, answerId);
      if (asker === null || stored === null) return 'gone';
      // The question comes after a thumbs-down that was counted, of somebody who saw the answer.
      const before = await feedback.find(workspace.tenantId, answerId, asker.id);
      if (before === null && !isBy(stored, asker.id)) return 'unseen';
      const known = FEEDBACK_REASONS.find((candidate) => candidate === reason) ?? null;
      const opinion = { answerId, verdict: 'down' as const, reason: known, comment: comment.slice(0, MAX_COMMENT) };
      return (await give(workspace, user, opinion)) ? 'counted' : 'gone';
    },
  };
}

// Whoever is in the conversation of a message that holds the answer sees it; what only one person was shown, that person does.
async function sees(options: SlackFeedbackOptions, workspace: Workspace, { user, answerId, place }: Press) {
  const { slackPeople, answers } = options;
  const posted = place === null ? null : await answerAt(options, workspace, place.channel, place.message);
  if (place !== null && posted?.answer.answerId === answerId) return slackPeople.isIn(workspace, place.channel, user);
  const asker = await slackPeople.asker(workspace, user);
  const stored = await answers.find(workspace.tenantId, answerId);
  // Of an answer that is no longer kept nobody learns anything.
  return stored === null || (asker !== null && isBy(stored, asker.id));
}

/** Whether somebody asked the question of an answer. */
export function isBy(stored: Pick<StoredAnswer, 'asker'>, asker: string): boolean {
  return stored.asker.toLowerCase() === asker.toLowerCase();
}

// Whether another reaction of the person says the same: a thumb that is taken back leaves the check mark.
async function stillSays(
  { clientFor }: SlackFeedbackOptions,
  workspace: Workspace,
  { user, channel, message }: Omit<Reaction, 'reaction'>,
  verdict: Feedback['verdict'],
): Promise<boolean> {
  const found = await readReactions(clientFor, workspace, { channel, timestamp: message, full: true });
  return found.some(({ name, users }) => users?.includes(user) === true && reactionVerdict(name ?? '') === verdict);
}

async function readReactions(
  clientFor: ClientFor,
  workspace: Workspace,
  target: { readonly channel: string; readonly timestamp: string; readonly full: true },
) {
  try {
    return (await clientFor(workspace).reactions.get(target)).message?.reactions ?? [];
  } catch (error) {
    // Slack says no: there is no such message any more, and nothing on it.
    if (slackErrorCode(error) === 'message_not_found') return [];
    throw error;
  }
}

/** What is said to whoever gave an opinion. */
export function opinionMessage(opinion: Opinion) {
  return renderNotice(OPINION_TEXTS[opinion]);
}

const OPINION_TEXTS: Readonly<Record<Opinion, string>> = {
  counted: FEEDBACK_THANKS_TEXT,
  gone: 'This answer is no longer kept, so there is nothing to rate.',
  unseen: 'Only those who see this answer where it was given can rate it, so this was not counted.',
};

function answerAt({ answers }: SlackFeedbackOptions, workspace: Workspace, conversation: string, message: string) {
  const place = { platform: 'slack' as const, workspace: workspace.teamId, conversation, message };
  return answers.atPlace(workspace.tenantId, place);
}

function reasonsView(answerId: string): types.ModalView {
  return {
    type: 'modal',
    callback_id: REASONS_VIEW,
    private_metadata: answerId,
    title: { type: 'plain_text', text: 'What was wrong?' },
    submit: { type: 'plain_text', text: 'Send' },
    close: { type: 'plain_text', text: 'Cancel' },
    blocks: [
      {
        type: 'input',
        block_id: 'reason',
        label: { type: 'plain_text', text: 'The answer' },
        element: {
          type: 'radio_buttons',
          action_id: 'value',
          options: FEEDBACK_REASONS.map((reason: FeedbackReason) => ({
            text: { type: 'plain_text', text: FEEDBACK_REASON_TEXTS[reason] },
            value: reason,
          })),
        },
      },
      {
        type: 'input',
        block_id: 'comment',
        optional: true,
        label: { type: 'plain_text', text: 'Comment' },
        element: { type: 'plain_text_input', action_id: 'value', multiline: true, max_length: MAX_COMMENT },
      },
    ],
  };
}

/** The values of the modal. */
export function readReasons(view: {
  readonly private_metadata: string;
  readonly state: {
    readonly values: Record<
      string,
      Record<string, { selected_option?: { value?: string } | null; value?: string | null }>
    >;
  };
}): ReasonsSubmission {
  const { reason, comment } = view.state.values;
  return {
    answerId: view.private_metadata,
    reason: reason?.value?.selected_option?.value ?? null,
    comment: comment?.value?.value ?? '',
  };
}
