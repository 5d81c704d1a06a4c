import type { Feedback, FeedbackStore } from '../../adapters/ports.ts';
import type { Database } from '../../retrieval/ports.ts';
import { audit } from '../audit.ts';

/** Opinions of answers over the database; each change stands in the audit log, without the comment. */
export function createFeedbackStore({ database }: { readonly database: Database }): FeedbackStore {
  return {
    give: (tenantId, feedback) =>
      database.transaction(async (query) => {
        const { answerId, givenBy, verdict, reason, comment, platform } = feedback;
        const rows = await query(
          `insert into feedback (tenant_id, answer_id, given_by, verdict, reason, comment, platform)
             select tenant_id, answer_id, $3, $4, $5, $6, $7 from answers where tenant_id = $1 and answer_id = $2
             on conflict (tenant_id, answer_id, given_by) do update
               set verdict = excluded.verdict, reason = excluded.reason, comment = excluded.comment,
                 platform = excluded.platform, given_at = now(), withdrawn_at = null
             returning answer_id`,
          [tenantId, answerId, givenBy, verdict, reason, storable(comment), platform],
        );
        if (rows.length === 0) return false;
        const details = { verdict, reason, platform };
        await audit(query, tenantId, { actor: givenBy, action: 'feedback.give', target: answerId, details });
        return true;
      }),
    withdraw: (tenantId, answerId, givenBy) =>
      database.transaction(async (query) => {
        const rows = await query(
          `update feedback set withdrawn_at = now()
             where tenant_id = $1 and answer_id = $2 and given_by = $3 and withdrawn_at is null returning answer_id`,
          [tenantId, answerId, givenBy],
        );
        if (rows.length === 0) return false;
        await audit(query, tenantId, { actor: givenBy, action: 'feedback.withdraw', target: answerId });
        return true;
      }),
    async find(tenantId, answerId, givenBy) {
      return (await ofAnswers(database, tenantId, [answerId], givenBy)).get(answerId) ?? null;
    },
    ofAnswers: (tenantId, answerIds, givenBy) => ofAnswers(database, tenantId, answerIds, givenBy),
  };
}

async function ofAnswers(
  database: Database,
  tenantId: string,
  answerIds: readonly string[],
  givenBy: string,
): Promise<Map<string, Feedback>> {
  if (answerIds.length === 0) return new Map();
  const rows = await database.transaction((query) =>
    query<Feedback>(
      `select answer_id as "answerId", given_by as "givenBy", verdict, reason, comment, platform from feedback
         where tenant_id = $1 and answer_id = any($2::text[]) and given_by = $3 and withdrawn_at is null`,
      [tenantId, answerIds, givenBy],
    ),
  );
  return new Map(rows.map((row) => [row.answerId, row]));
}

// PostgreSQL stores neither U+0000 nor half a surrogate pair.
function storable(text: string): string {
  return text.replaceAll('\u0000', '\uFFFD').toWellFormed();
}
