import { UsageError } from '../../retrieval/errors.ts';
import type { Feedback, Person, StoredAnswer } from '../ports.ts';
import type { Call, Handler, Reply } from './call.ts';
import type { ApiDependencies } from './dependencies.ts';
import { ProblemError } from './problem.ts';

type NewFeedback = Pick<Feedback, 'answerId' | 'verdict'> & Partial<Pick<Feedback, 'reason' | 'comment'>>;

/** Opinions of whoever saw an answer. */
export function createFeedbackHandler({ answers, feedback }: ApiDependencies): Handler {
  return {
    async run(call) {
      const { person, body } = call;
      const { answerId, verdict, reason = null, comment = '' } = body as NewFeedback;
      if (verdict === 'up' && reason !== null) throw new UsageError('a reason goes with the verdict "down" only');
      const stored = await answers.find(person.tenantId, answerId);
      if (!stored || !saw(person, stored)) throw noSuchAnswer();
      const given = { answerId, givenBy: person.email, verdict, reason, comment, platform: 'api' } as const;
      if (!(await feedback.give(person.tenantId, given))) throw noSuchAnswer();
      return reply(call);
    },
    repeat: async (call) => reply(call),
  };
}

function saw({ email, role }: Person, { asker, audience }: StoredAnswer): boolean {
  if (asker === email || role === 'admin') return true;
  return audience.some((member) => 'person' in member && member.person.toLowerCase() === email);
}

function noSuchAnswer(): ProblemError {
  return new ProblemError('not_found', 'there is no answer of this id that you saw');
}

function reply({ body }: Call): Reply {
  const { answerId, verdict, reason = null, comment = '' } = body as NewFeedback;
  return { status: 201, body: { answerId, verdict, reason, comment }, reference: answerId };
}
