// What a person may be shown of a conversation now: each quote is checked for this person at this moment.
import type { Citation } from '../../retrieval/model.ts';
import type { Feedback, Person } from '../ports.ts';
import type { Conversation, PostedAnswer } from './conversation.ts';
import type { WebDependencies } from './dependencies.ts';
import type { QuoteState } from './ports.ts';

/** A quote as it may be shown. */
export interface QuoteView {
  readonly citation: Citation;
  readonly state: QuoteState;
}

/** A question with what was answered. */
export interface ReplyView {
  readonly posted: PostedAnswer;
  readonly asker: Person | null;
  /** Text and quotes are shown only when this is true. */
  readonly shown: boolean;
  readonly quotes: readonly QuoteView[];
  /** The viewer's own opinion. */
  readonly feedback: Feedback | null;
  /** The viewer asked this, and alone may read more than everyone here. */
  readonly offerPrivate: boolean;
}

/** A question with its follow-ups, oldest first. */
export interface ThreadView {
  readonly threadId: string;
  readonly replies: readonly ReplyView[];
}

/** Threads of a conversation; the one that was written in last comes first. */
export async function readThreads(
  deps: Pick<WebDependencies, 'tenantId' | 'answers' | 'feedback' | 'people' | 'checkQuotes'>,
  viewer: Person,
  conversation: Conversation,
  limit: number,
): Promise<ThreadView[]> {
  const { tenantId } = deps;
  const posted = await deps.answers.inConversation(tenantId, conversation.place, limit);
  if (posted.length === 0) return [];
  const citations = posted.flatMap(({ answer }) => answer.citations);
  const states = await deps.checkQuotes(tenantId, [{ person: viewer.email }], citations);
  const stateOf = new Map(citations.map((citation, index) => [citation, states[index] ?? 'withheld']));
  const seesMore =
    conversation.channel !== null && (await deps.people.seesMoreAlone(tenantId, viewer.email, conversation.audience));
  const answerIds = posted.map(({ answer }) => answer.answerId);
  const opinions = await deps.feedback.ofAnswers(tenantId, answerIds, viewer.email);
  const people = new Map(conversation.members.map((person) => [person.email, person]));
  const replies = await Promise.all(
    posted.map(async (each): Promise<ReplyView> => {
      const quotes = each.answer.citations.map((citation) => ({
        citation,
        state: stateOf.get(citation) ?? 'withheld',
      }));
      const gone = each.retractedAt !== null || quotes.some(({ state }) => state === 'withheld');
      return {
        posted: each,
        asker: people.get(each.asker) ?? (await deps.people.find(tenantId, each.asker)),
        shown: !gone,
        quotes: gone ? [] : quotes,
        feedback: opinions.get(each.answer.answerId) ?? null,
        offerPrivate: seesMore && each.asker === viewer.email,
      };
    }),
  );
  return toThreads(replies);
}

function toThreads(replies: readonly ReplyView[]): ThreadView[] {
  const threads = new Map<string, ReplyView[]>();
  for (const reply of replies) {
    const { thread } = reply.posted.place;
    const before = threads.get(thread) ?? [];
    // Taken out and put in again: the order of the map is that of the last replies.
    threads.delete(thread);
    threads.set(thread, [...before, reply]);
  }
  return [...threads].map(([threadId, list]) => ({ threadId, replies: list })).reverse();
}
