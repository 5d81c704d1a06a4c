// What people think of an answer: reactions and buttons; a thumbs-down is asked what was wrong.
import type { types } from '@slack/bolt';
import type { Logger } from '../../retrieval/ports.ts';
import { reactionVerdict } from '../feedback-reactions.ts';
import { type Answers, FEEDBACK_REASONS, type Feedback, type FeedbackReason, type FeedbackStore } from '../ports.ts';
import { FEEDBACK_ASK_TEXT, FEEDBACK_REASON_TEXTS, FEEDBACK_THANKS_TEXT } from '../wording.ts';
import type { Workspace } from './ports.ts';
import { ACTIONS, renderNotice } from './render-reply.ts';
import type { ClientFor } from './slack-client.ts';
import type { SlackPeople } from './slack-people.ts';

export interface SlackFeedbackOptions {
  readonly clientFor: ClientFor;
  readonly slackPeople: SlackPeople;
  readonly answers: Pick<Answers, 'atPlace'>;
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

export interface SlackFeedback {
  reacted(workspace: Workspace, reaction: Reaction): Promise<void>;
  unreacted(workspace: Workspace, reaction: Reaction): Promise<void>;
  /** A button. @returns whether the answer is still known. */
  pressed(workspace: Workspace, user: string, answerId: string, verdict: Feedback['verdict']): Promise<boolean>;
  /** Opens the question of what was wrong. */
  openReasons(workspace: Workspace, triggerId: string, answerId: string): Promise<void>;
  explained(workspace: Workspace, user: string, view: ReasonsSubmission): Promise<void>;
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
  const { clientFor, slackPeople, feedback } = options;
  const give = async (workspace: Workspace, user: string, opinion: Omit<Feedback, 'givenBy' | 'platform'>) => {
    const asker = await slackPeople.asker(workspace, user);
    if (asker === null) return false;
    return feedback.give(workspace.tenantId, { ...opinion, givenBy: asker.id, platform: 'slack' });
  };
  return {
    async reacted(workspace, { user, reaction, channel, message }) {
      const verdict = reactionVerdict(reaction);
      const answer = verdict === null ? null : await answerAt(options, workspace, channel, message);
      if (verdict === null || answer === null) return;
      const given = await give(workspace, user, { answerId: answer, verdict, reason: null, comment: '' });
      if (!given || verdict === 'up') return;
      // A reaction opens no modal; the button in this hint does.
      const ask = renderNotice(FEEDBACK_ASK_TEXT, [
        { id: ACTIONS.explain, label: 'Say what was wrong', value: answer },
      ]);
      // The opinion counts without it.
      await clientFor(workspace)
        .chat.postEphemeral({ channel, user, ...ask })
        .catch((error: unknown) => options.logger.warn({ err: error }, 'what was wrong could not be asked'));
    },
    async unreacted(workspace, { user, reaction, channel, message }) {
      const verdict = reactionVerdict(reaction);
      const answerId = verdict === null ? null : await answerAt(options, workspace, channel, message);
      const asker = answerId === null ? null : await slackPeople.asker(workspace, user);
      if (answerId === null || asker === null) return;
      const given = await feedback.find(workspace.tenantId, answerId, asker.id);
      // Another opinion that came later stays.
      if (given?.verdict === verdict) await feedback.withdraw(workspace.tenantId, answerId, asker.id);
    },
    pressed: (workspace, user, answerId, verdict) =>
      give(workspace, user, { answerId, verdict, reason: null, comment: '' }),
    async openReasons(workspace, triggerId, answerId) {
      await clientFor(workspace).views.open({ trigger_id: triggerId, view: reasonsView(answerId) });
    },
    async explained(workspace, user, { answerId, reason, comment }) {
      const known = FEEDBACK_REASONS.find((candidate) => candidate === reason) ?? null;
      await give(workspace, user, { answerId, verdict: 'down', reason: known, comment: comment.slice(0, MAX_COMMENT) });
    },
  };
}

/** What is said to whoever pressed a button. */
export function thanksMessage(stillKnown: boolean) {
  return renderNotice(
    stillKnown ? FEEDBACK_THANKS_TEXT : 'This answer is no longer kept, so there is nothing to rate.',
  );
}

async function answerAt(
  { answers }: SlackFeedbackOptions,
  workspace: Workspace,
  conversation: string,
  message: string,
) {
  const place = { platform: 'slack' as const, workspace: workspace.teamId, conversation, message };
  return (await answers.atPlace(workspace.tenantId, place))?.answer.answerId ?? null;
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
