import type { Answer } from '../../retrieval/model.ts';
import type { StoredAnswer } from '../ports.ts';
import { RETRACTED_TEXT, refusalText } from '../wording.ts';
import type { Call, Handler, Reply } from './call.ts';
import type { ApiDependencies } from './dependencies.ts';
import { ProblemError } from './problem.ts';

interface NewQuestion {
  readonly question: string;
  readonly threadId?: string;
  readonly audience?: readonly string[];
  readonly include_debug?: boolean;
}

/** `withdrawn`: it was given, and what it quoted may not be shown any more. */
type ShownAnswer = Omit<Answer, 'status'> & { readonly status: Answer['status'] | 'withdrawn' };

/** Asking, and reading an answer again. */
export function createAnswerHandlers(deps: ApiDependencies): { createAnswer: Handler; getAnswer: Handler } {
  return {
    createAnswer: {
      async run(call) {
        const { include_debug: debug, threadId = deps.newId() } = call.body as NewQuestion;
        if (debug && call.person.role !== 'admin') {
          throw new ProblemError('forbidden', 'include_debug is for admins; leave it out');
        }
        const answer = await ask(deps, call, threadId);
        return withDebug(deps, call, { ...answer, text: textOf(answer), threadId });
      },
      async repeat(call, reference) {
        const stored = await deps.answers.find(call.person.tenantId, reference);
        if (!stored) {
          throw new ProblemError('not_found', 'the answer of this Idempotency-Key is gone; ask with another key');
        }
        const { answer } = await checkedAnswer(deps, call, stored);
        return withDebug(deps, call, { ...answer, ...threadOf(stored) });
      },
    },
    getAnswer: {
      async run(call) {
        const { person, path } = call;
        const stored = await deps.answers.find(person.tenantId, path.id ?? '');
        if (!stored || (stored.asker !== person.email && person.role !== 'admin')) {
          throw new ProblemError('not_found', 'there is no answer of this id that you may see');
        }
        const { question, asker, askedAt, retractedAt } = stored;
        const { answer, withheld } = await checkedAnswer(deps, call, stored);
        const body = { ...answer, ...threadOf(stored), question, asker, askedAt, withheld, retractedAt };
        return { status: 200, body, reference: answer.answerId };
      },
    },
  };
}

async function ask(
  { ask }: ApiDependencies,
  { person, body, onStage, signal }: Call,
  threadId: string,
): Promise<Answer> {
  const { question, audience = [] } = body as NewQuestion;
  const emails = new Set([person.email, ...audience.map((email) => email.toLowerCase())]);
  return ask(
    {
      tenantId: person.tenantId,
      asker: person.email,
      audience: [...emails].map((email) => ({ person: email })),
      text: question,
      threadId: threadPrefix(person.email) + threadId,
    },
    { onStage, signal },
  );
}

// A thread belongs to its asker: with another's id one would learn from the answer what the other had asked before.
const threadPrefix = (asker: string) => `api/${asker}/`;

function threadOf({ threadId, asker }: StoredAnswer): { threadId?: string } {
  const prefix = threadPrefix(asker);
  return threadId?.startsWith(prefix) ? { threadId: threadId.slice(prefix.length) } : {};
}

function textOf(answer: Answer): string {
  return answer.refusal ? refusalText(answer.refusal) : answer.text;
}

// What it quotes must be allowed now, to everyone it was for and to whoever reads it: an admin sees that somebody asked,
// not what only the asker may read.
async function checkedAnswer(
  { checkQuotes }: ApiDependencies,
  { person }: Call,
  { tenantId, audience, answer, retractedAt }: StoredAnswer,
): Promise<{ answer: ShownAnswer; withheld: boolean }> {
  const states = await checkQuotes(tenantId, [...audience, { person: person.email }], answer.citations);
  const withheld = retractedAt !== null || states.some((state) => state !== 'current');
  if (!withheld) return { answer: { ...answer, text: textOf(answer) }, withheld };
  const left = { text: RETRACTED_TEXT, citations: [], sources: [], confidence: null };
  return { answer: { ...answer, status: 'withdrawn', ...left }, withheld };
}

async function withDebug(
  { readTrace }: ApiDependencies,
  { person, body }: Call,
  answer: ShownAnswer & { readonly threadId?: string },
): Promise<Reply> {
  const reference = answer.answerId;
  if (!(body as NewQuestion).include_debug || person.role !== 'admin') return { status: 200, body: answer, reference };
  const candidates = ((await readTrace(person.tenantId, reference)) ?? []).map((entry, index) => ({
    rank: index + 1,
    ...entry,
  }));
  return { status: 200, body: { ...answer, debug: { candidates } }, reference };
}
