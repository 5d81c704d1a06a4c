import { type Request, type Response, Router } from 'express';
import { chatPage } from './chat-page.ts';
import { type Conversation, channelKey, findConversation, PRIVATE_KEY, privateConversation } from './conversation.ts';
import type { WebDependencies } from './dependencies.ts';
import { framedPage } from './layout.ts';
import { notFound } from './page-error.ts';
import { sendPage } from './send-page.ts';
import { takes } from './takes.ts';
import { readThreads } from './thread-view.ts';
import type { Visit, Visits } from './visits.ts';

// Questions that are shown at first, and with "older": more is the log's business.
const RECENT = 30;
const OLDER = 500;
const SUGGESTIONS = 4;

/** `/` and `/channels/:id`. */
export function createChatRoutes(deps: WebDependencies, visits: Visits): Router {
  return Router()
    .get(
      '/',
      visits.page((visit, request, response) =>
        show(deps, { visit, request, response, conversation: privateConversation(visit.person) }),
      ),
    )
    .get(
      '/channels/:id',
      visits.page(async (visit, request, response) => {
        const conversation = await findConversation(deps, visit.person, channelKey(String(request.params.id)));
        if (!conversation) throw notFound();
        await show(deps, { visit, request, response, conversation });
      }),
    )
    .all(['/', '/channels/:id'], takes('GET'));
}

interface Shown {
  readonly visit: Visit;
  readonly request: Request;
  readonly response: Response;
  readonly conversation: Conversation;
}

async function show(deps: WebDependencies, { visit, request, response, conversation }: Shown): Promise<void> {
  const { person, formToken } = visit;
  const limit = request.query.all === '1' ? OLDER : RECENT;
  const channels = await deps.people.channels(deps.tenantId, person.email);
  const threads = await readThreads(deps, person, conversation, limit);
  const isPrivate = conversation.key === PRIVATE_KEY;
  const suggestions = isPrivate && threads.length === 0 ? await deps.suggestions(deps.tenantId, person.email) : [];
  const main = chatPage({
    conversation,
    threads,
    suggestions: suggestions.slice(0, SUGGESTIONS),
    formToken,
    more: limit === RECENT && threads.flatMap((thread) => thread.replies).length === RECENT,
  });
  const title = conversation.channel ? conversation.channel.name : 'Ask';
  sendPage(response, framedPage({ title, visit, channels, current: conversation.key, main }));
}
