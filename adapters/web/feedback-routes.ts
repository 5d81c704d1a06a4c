import { type Request, Router } from 'express';
import { FEEDBACK_REASONS, type Feedback, type FeedbackReason, type Person } from '../ports.ts';
import { type Conversation, findConversation } from './conversation.ts';
import type { WebDependencies } from './dependencies.ts';
import { MAX_COMMENT_CHARACTERS } from './feedback-box.ts';
import { notFound, PageError } from './page-error.ts';
import { field, readForm, typedText } from './read-form.ts';
import { takes } from './takes.ts';
import type { Visits } from './visits.ts';

/** `POST /answers/:id/feedback`: only by those who see the answer where it was posted. */
export function createFeedbackRoutes(deps: WebDependencies, visits: Visits): Router {
  return Router()
    .post(
      '/answers/:id/feedback',
      readForm,
      visits.form(async ({ person }, request, response) => {
        const answerId = String(request.params.id);
        const conversation = await findConversation(deps, person, field(request, 'place'));
        if (!conversation || !(await isPostedIn(deps, conversation, answerId))) throw notFound();
        await store(deps, person, answerId, request);
        response.redirect(303, `${conversation.path}#answer-${encodeURIComponent(answerId)}`);
      }),
    )
    .all('/answers/:id/feedback', takes('POST'));
}

async function isPostedIn(deps: WebDependencies, { place }: Conversation, answerId: string): Promise<boolean> {
  const { platform, workspace, conversation } = place;
  const stored = await deps.answers.atPlace(deps.tenantId, { platform, workspace, conversation, message: answerId });
  return stored !== null;
}

async function store(deps: WebDependencies, person: Person, answerId: string, request: Request): Promise<void> {
  const verdict = field(request, 'verdict');
  if (verdict === 'withdraw') {
    await deps.feedback.withdraw(deps.tenantId, answerId, person.email);
    return;
  }
  if (verdict !== 'up' && verdict !== 'down') throw new PageError(400, 'Say whether the answer helped.');
  const comment = typedText(request, 'comment');
  if (comment.length > MAX_COMMENT_CHARACTERS) {
    throw new PageError(
      413,
      `The comment has ${comment.length} characters; at most ${MAX_COMMENT_CHARACTERS} are kept.`,
    );
  }
  const base: Pick<Feedback, 'answerId' | 'givenBy' | 'platform'> = {
    answerId,
    givenBy: person.email,
    platform: 'web',
  };
  const opinion = verdict === 'up' ? { reason: null, comment: '' } : { reason: readReason(request), comment };
  if (!(await deps.feedback.give(deps.tenantId, { ...base, verdict, ...opinion }))) throw notFound();
}

function readReason(request: Request): FeedbackReason {
  const given = field(request, 'reason');
  const reason = FEEDBACK_REASONS.find((each) => each === given);
  if (!reason) throw new PageError(400, 'Say what is wrong with the answer: choose one of the reasons.');
  return reason;
}
