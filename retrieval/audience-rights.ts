// Who will see the answer, what all of them may read, and what was asked before in the place where it will stand.
import { earlierQuestions } from './answer-log.ts';
import { condenseAudience } from './large-audience.ts';
import type { Audience, Question, VisibleTo } from './model.ts';
import type { Database, Query } from './ports.ts';
import { EARLIER_QUESTIONS, type EarlierQuestion } from './standalone-question.ts';
import { visibleAcls } from './visible-acls.ts';

/** The rights of everyone who will see an answer. */
export interface AudienceRights {
  readonly audience: Audience;
  readonly visibleTo: VisibleTo;
  /** Whether the asker alone could read more. */
  readonly askerSeesMore: boolean;
  /** The thread's questions before this one, oldest first. */
  readonly earlier: readonly EarlierQuestion[];
}

/** What is read of people and thread before anything else, in one transaction. */
export async function readAudience(
  { database, largeAudiencePeople }: { readonly database: Database; readonly largeAudiencePeople: number },
  { tenantId, audience: all, asker, threadId, text }: Question,
): Promise<AudienceRights> {
  const read = async (query: Query): Promise<AudienceRights> => {
    const audience = await condenseAudience(query, tenantId, all, largeAudiencePeople);
    const visibleTo = await visibleAcls(query, tenantId, audience);
    const alone = isAlone(audience, asker) ? visibleTo : await visibleAcls(query, tenantId, [{ person: asker }]);
    const thread = threadId === undefined ? null : { tenantId, threadId, before: text, limit: EARLIER_QUESTIONS };
    const earlier = thread ? await earlierQuestions(query, thread) : [];
    return { audience, visibleTo, askerSeesMore: alone.aclIds.length > visibleTo.aclIds.length, earlier };
  };
  return database.transaction(read, { readOnly: true });
}

function isAlone(audience: Question['audience'], asker: string): boolean {
  const [member, ...others] = audience;
  return others.length === 0 && member !== undefined && 'person' in member && member.person === asker;
}
