import type { Answers, Place, StoredAnswer } from '../../adapters/ports.ts';
import type { Database } from '../../retrieval/ports.ts';

const STORED = `a.body as answer, a.tenant_id as "tenantId", a.question, a.asker, a.audience, a.thread_id as "threadId",
    a.asked_at as "askedAt", a.index_version as "indexVersion", a.retracted_at as "retractedAt"`;

interface PlacedRow extends StoredAnswer {
  readonly message: string;
  readonly thread: string;
}

/** Answers after they were given, over the database. */
export function createAnswers({ database }: { readonly database: Database }): Answers {
  return {
    async find(tenantId, answerId) {
      const rows = await database.transaction((query) =>
        query<StoredAnswer>(`select ${STORED} from answers a where a.tenant_id = $1 and a.answer_id = $2`, [
          tenantId,
          answerId,
        ]),
      );
      return rows[0] ?? null;
    },
    ofAsker: (tenantId, asker, limit) =>
      database.transaction((query) =>
        query<StoredAnswer>(
          `select ${STORED} from answers a where a.tenant_id = $1 and a.asker = $2
             order by a.asked_at desc, a.answer_id limit $3`,
          [tenantId, asker, limit],
        ),
      ),
    inConversation: (tenantId, place, limit) => readConversation(database, tenantId, place, limit),
    recordPosted: (tenantId, answerId, places) => recordPosted(database, tenantId, answerId, places),
    atPlace: (tenantId, place) => readAtPlace(database, tenantId, place),
  };
}

async function readAtPlace(
  database: Database,
  tenantId: string,
  { platform, workspace, conversation, message }: Omit<Place, 'thread'>,
): Promise<(StoredAnswer & { place: Place }) | null> {
  const rows = await database.transaction((query) =>
    query<PlacedRow>(
      `select ${STORED}, p.message, p.thread from posted_answers p
         join answers a on a.tenant_id = p.tenant_id and a.answer_id = p.answer_id
         where p.tenant_id = $1 and p.platform = $2 and p.workspace = $3 and p.conversation = $4 and p.message = $5`,
      [tenantId, platform, workspace, conversation, message],
    ),
  );
  return rows[0] ? placed(rows[0], { platform, workspace, conversation }) : null;
}

// An answer that was split over several messages stands where its first one does.
async function readConversation(
  database: Database,
  tenantId: string,
  { platform, workspace, conversation }: Pick<Place, 'platform' | 'workspace' | 'conversation'>,
  limit: number,
): Promise<(StoredAnswer & { place: Place })[]> {
  const rows = await database.transaction((query) =>
    query<PlacedRow>(
      `with first as (
         select distinct on (answer_id) answer_id, message, thread, posted_at from posted_answers
           where tenant_id = $1 and platform = $2 and workspace = $3 and conversation = $4
           order by answer_id, posted_at, message
       ), latest as (
         select * from first order by posted_at desc, answer_id desc limit $5
       ) select ${STORED}, l.message, l.thread from latest l
           join answers a on a.tenant_id = $1 and a.answer_id = l.answer_id order by l.posted_at, l.answer_id`,
      [tenantId, platform, workspace, conversation, limit],
    ),
  );
  return rows.map((row) => placed(row, { platform, workspace, conversation }));
}

function placed(
  { message, thread, ...stored }: PlacedRow,
  conversation: Pick<Place, 'platform' | 'workspace' | 'conversation'>,
): StoredAnswer & { place: Place } {
  return { ...stored, place: { ...conversation, thread, message } };
}

// What was posted after its evidence went is taken back at once: nobody else will come by and do it.
async function recordPosted(
  database: Database,
  tenantId: string,
  answerId: string,
  places: readonly Place[],
): Promise<void> {
  await database.transaction((query) =>
    query(
      `insert into posted_answers (tenant_id, platform, workspace, conversation, message, thread, answer_id, retraction)
         select $1, r.platform, r.workspace, r.conversation, r.message, r.thread, $2,
             case when r.platform <> 'web' and exists (
               select 1 from answers where tenant_id = $1 and answer_id = $2 and retracted_at is not null)
             then 'pending' end
           from jsonb_to_recordset($3::jsonb)
             as r(platform text, workspace text, conversation text, message text, thread text)
         on conflict (tenant_id, platform, workspace, conversation, message) do update
           set answer_id = excluded.answer_id, thread = excluded.thread, posted_at = now(),
             retraction = excluded.retraction, retraction_error = null, retracted_at = null`,
      [tenantId, answerId, JSON.stringify(places)],
    ),
  );
}
