// What the chat platforms ask about answers that stand somewhere.
import type { Place, Showing } from '../../adapters/ports.ts';
import { checkpoint } from '../../retrieval/checkpoint.ts';
import type { Answer, Audience } from '../../retrieval/model.ts';
import type { Database } from '../../retrieval/ports.ts';

/** Whether an answer of the bot stands in this thread. */
export async function ownsThread(
  database: Database,
  tenantId: string,
  { platform, workspace, conversation, thread }: Omit<Place, 'message'>,
): Promise<boolean> {
  const rows = await database.transaction((query) =>
    query(
      `select 1 as one from posted_answers
         where tenant_id = $1 and platform = $2 and workspace = $3 and conversation = $4 and thread = $5 limit 1`,
      [tenantId, platform, workspace, conversation, thread],
    ),
  );
  return rows.length > 0;
}

/** Whether everyone of the audience may read all that an answer quotes, now and in the quoted versions. */
export async function mayShow(
  database: Database,
  tenantId: string,
  answerId: string,
  audience: Audience,
): Promise<Showing> {
  const rows = await database.transaction((query) =>
    query<{ body: Answer }>(
      'select body from answers where tenant_id = $1 and answer_id = $2 and retracted_at is null',
      [tenantId, answerId],
    ),
  );
  const citations = rows[0]?.body.citations ?? [];
  if (citations.length === 0) return 'gone';
  const { dropped } = await checkpoint(database, tenantId, audience, citations);
  if (dropped.length === 0) return 'may_be_shown';
  return dropped.some(({ reason }) => reason === 'permission') ? 'not_for_all' : 'not_now';
}
