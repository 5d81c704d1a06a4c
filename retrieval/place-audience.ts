// Whoever joins a conversation sees what was posted there before: messages are taken back that quote what the people of now
// may not read. The answer itself stays with those whom it was made for.
import type { Audience } from './model.ts';
import type { Query } from './ports.ts';
import { QUOTES_UNREADABLE, UNREADABLE_QUOTES } from './unreadable-quotes.ts';

/** A conversation of a chat platform. */
export interface ConversationPlace {
  readonly tenantId: string;
  readonly platform: string;
  readonly workspace: string;
  readonly conversation: string;
}

/** Whether messages with answers stand in a conversation, in the caller's transaction. */
export async function holdsAnswers(query: Query, place: ConversationPlace): Promise<boolean> {
  const rows = await query(
    `select 1 as one from posted_answers
       where tenant_id = $1 and platform = $2 and workspace = $3 and conversation = $4 and retraction is null limit 1`,
    keyOf(place),
  );
  return rows.length > 0;
}

/**
 * Notes who sees a conversation from now on and, where that is new or `recheck`ed, marks the messages to be taken back, in
 * the caller's transaction. @returns how many messages were marked.
 */
export async function noteAudience(
  query: Query,
  place: ConversationPlace,
  audience: Audience,
  { recheck }: { readonly recheck: boolean },
): Promise<number> {
  // In one order: the same people are the same audience, however the platform lists them.
  const members = [...new Set(audience.map((member) => JSON.stringify(member)))].sort();
  const changed = await query(
    `insert into place_audiences as p (tenant_id, platform, workspace, conversation, audience) values ($1, $2, $3, $4, $5::jsonb)
       on conflict (tenant_id, platform, workspace, conversation) do update
         set audience = excluded.audience, changed_at = now() where p.audience <> excluded.audience
       returning 1 as one`,
    [...keyOf(place), `[${members.join(',')}]`],
  );
  return changed.length > 0 || recheck ? retractFromPlaces(query, place) : 0;
}

/**
 * Marks each message to be taken back that quotes what somebody who sees its conversation may not read now, in one
 * conversation or (`place` with a tenant only) in all. @returns how many messages were marked.
 */
export async function retractFromPlaces(
  query: Query,
  place: ConversationPlace | Pick<ConversationPlace, 'tenantId'>,
): Promise<number> {
  const key = 'platform' in place ? keyOf(place) : [place.tenantId, null, null, null];
  const rows = await query(
    `with posted as (
       select p.platform, p.workspace, p.conversation, p.message, w.audience,
           array_agg(distinct c.document_id) as document_ids
         from place_audiences w
         join posted_answers p on p.tenant_id = w.tenant_id and p.platform = w.platform and p.workspace = w.workspace
           and p.conversation = w.conversation and p.retraction is null
         join answers a on a.tenant_id = p.tenant_id and a.answer_id = p.answer_id and a.retracted_at is null
         join answer_citations c on c.tenant_id = a.tenant_id and c.answer_id = a.answer_id
         where w.tenant_id = $1 and ($2::text is null or w.platform = $2 and w.workspace = $3 and w.conversation = $4)
         group by p.platform, p.workspace, p.conversation, p.message, w.audience
     ), ${UNREADABLE_QUOTES}
     update posted_answers m set retraction = 'pending'
       from posted where m.tenant_id = $1 and m.platform = posted.platform and m.workspace = posted.workspace
         and m.conversation = posted.conversation and m.message = posted.message and ${QUOTES_UNREADABLE}
       returning 1 as one`,
    key,
  );
  return rows.length;
}

function keyOf({ tenantId, platform, workspace, conversation }: ConversationPlace): string[] {
  return [tenantId, platform, workspace, conversation];
}
