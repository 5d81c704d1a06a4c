import { type Request, type Response, Router } from 'express';
import { type AnswerStage, MAX_QUESTION_CHARACTERS } from '../../retrieval/answer-question.ts';
import { networkOf } from '../network-of.ts';
import { threadSection } from './chat-page.ts';
import { type Conversation, findConversation } from './conversation.ts';
import type { WebDependencies } from './dependencies.ts';
import { renderHtml } from './html.ts';
import { notFound, PageError } from './page-error.ts';
import { limitRequests } from './rate-limit.ts';
import { field, readForm, typedText } from './read-form.ts';
import { recordTarget } from './record-visits.ts';
import { openEvents } from './server-events.ts';
import { takes } from './takes.ts';
import { readThreads } from './thread-view.ts';
import type { Visit, Visits } from './visits.ts';

const MINUTE_MS = 60_000;
/** Threads of a conversation that can be gone on with. */
const OPEN_THREADS = 500;

/** What a person who waits is told. */
const STAGES: Readonly<Record<AnswerStage, string>> = {
  permissions: 'Checking what everyone here may read',
  search: 'Searching the documents',
  context: 'Reading the best passages',
  model: 'Choosing the quotes',
  recheck: 'Checking permissions once more',
  store: 'Almost done',
};

/** `POST /ask`: a page again for a plain form, server-sent events for the script. */
export function createAskRoutes(deps: WebDependencies, visits: Visits): Router {
  const limit = limitRequests({
    limit: deps.asksPerMinute,
    windowMs: MINUTE_MS,
    keyOf: (request) => request.res?.locals.asker ?? networkOf(request),
    message: 'That were many questions in a short time. Wait a minute, and ask again.',
  });
  return Router()
    .post(
      '/ask',
      readForm,
      async (request, response, next) => {
        response.locals.asker = (await visits.who(request))?.email;
        next();
      },
      limit,
      visits.form(async (visit, request, response) => {
        const asked = await readQuestion(deps, visit, request);
        if (request.get('accept')?.includes('text/event-stream')) await answerLive(deps, visit, asked, response);
        else {
          const { answerId } = await answer(deps, visit, asked);
          recordTarget(response, answerId);
          response.redirect(303, `${asked.conversation.path}#answer-${answerId}`);
        }
      }),
    )
    .all('/ask', takes('POST'));
}

interface Asked {
  readonly conversation: Conversation;
  readonly threadId: string;
  readonly text: string;
}

async function readQuestion(deps: WebDependencies, visit: Visit, request: Request): Promise<Asked> {
  const conversation = await findConversation(deps, visit.person, field(request, 'place'));
  if (!conversation) throw notFound();
  const text = typedText(request, 'question');
  if (text === '')
    throw new PageError(400, 'The question is empty. Ask something, such as "How many days of leave do I have?"');
  if (text.length > MAX_QUESTION_CHARACTERS) {
    throw new PageError(
      413,
      `The question has ${text.length} characters. Ask it in at most ${MAX_QUESTION_CHARACTERS}.`,
    );
  }
  return { conversation, text, threadId: await threadOf(deps, conversation, field(request, 'thread')) };
}

// A thread of another conversation would bring what was asked there into this question.
async function threadOf(deps: WebDependencies, { place }: Conversation, threadId: string): Promise<string> {
  if (threadId === '') return deps.newId();
  const posted = await deps.answers.inConversation(deps.tenantId, place, OPEN_THREADS);
  if (!posted.some((each) => each.place.thread === threadId)) throw notFound();
  return threadId;
}

async function answer(
  deps: WebDependencies,
  { person }: Visit,
  { conversation, threadId, text }: Asked,
  onStage?: (stage: AnswerStage) => void,
): Promise<{ answerId: string }> {
  const { tenantId } = deps;
  const { answerId } = await deps.ask(
    { tenantId, asker: person.email, audience: conversation.audience, text, threadId },
    onStage ? { onStage } : {},
  );
  await deps.answers.recordPosted(tenantId, answerId, [{ ...conversation.place, thread: threadId, message: answerId }]);
  return { answerId };
}

async function answerLive(deps: WebDependencies, visit: Visit, asked: Asked, response: Response): Promise<void> {
  const events = openEvents(response);
  try {
    const { answerId } = await answer(deps, visit, asked, (stage) => events.send('stage', { text: STAGES[stage] }));
    recordTarget(response, answerId);
    // Who left while the answer was made sees it no more.
    const conversation = await findConversation(deps, visit.person, asked.conversation.key);
    if (!conversation) throw notFound();
    const threads = await readThreads(deps, visit.person, conversation, OPEN_THREADS);
    const thread = threads.find(({ threadId }) => threadId === asked.threadId);
    if (!thread) throw notFound();
    events.send('answer', {
      answerId,
      threadId: asked.threadId,
      html: renderHtml(threadSection(thread, conversation, visit.formToken)),
    });
  } catch (error) {
    events.fail(error, deps.logger);
  } finally {
    events.close();
  }
}
