// Answers that were posted are taken back when what they quote is gone, or no longer for those who see the place.
import { retractFromPlaces } from './place-audience.ts';
import type { Query } from './ports.ts';
import { QUOTES_UNREADABLE, UNREADABLE_QUOTES } from './unreadable-quotes.ts';

/** Where a message that must be edited stands. */
export interface RetractionTarget {
  readonly tenantId: string;
  readonly platform: string;
  readonly workspace: string;
  readonly conversation: string;
  readonly message: string;
  readonly answerId: string;
}

/**
 * Empties each posted answer of a tenant that quotes a document which is not live any more, is not in effect any more, or
 * which its audience may no longer read, in the caller's transaction. Whether anything can have changed is told by the
 * version of the index, which every change of a document, a layer or a membership counts up, and by the times at which a
 * right or a document ends, which nothing announces: without either this is one look. Messages whose place is seen by others
 * than the answer was made for are held against those, too.
 * @returns how many answers were emptied, and messages marked.
 */
export async function retractUnreadable(query: Query, tenantId: string): Promise<number> {
  const versions = await query<{ index_version: number; changed: boolean }>(
    // An answer that was made before a change and posted after the look at it counts as a change, too. Its last check is
    // not stored: it is less than the minute that a model may take before the answer.
    `with seen as (
       select t.index_version, p.index_version as seen_version, p.checked_at, posted.oldest_new, posted.outdated
         from tenants t left join retraction_progress p on p.tenant_id = t.tenant_id
         cross join lateral (
           select min(a.asked_at) - interval '1 minute' as oldest_new,
               coalesce(bool_or(a.index_version < t.index_version), false) as outdated
             from posted_answers m join answers a on a.tenant_id = m.tenant_id and a.answer_id = m.answer_id
             where m.tenant_id = $1 and m.posted_at >= p.checked_at) posted
         where t.tenant_id = $1
     )
     select index_version, seen_version is distinct from index_version or outdated
         or exists (select 1 from acl_layer_principals where tenant_id = $1
           and expires_at > least(checked_at, oldest_new) and expires_at <= now())
         or exists (select 1 from documents where tenant_id = $1
           and effective_to > least(checked_at, oldest_new) and effective_to <= now()) as changed
       from seen`,
    [tenantId],
  );
  const tenant = versions[0];
  if (!tenant?.changed) return 0;
  const emptied = await query(
    `with posted as (
       select a.answer_id, a.audience, array_agg(distinct c.document_id) as document_ids
         from answers a
         join answer_citations c on c.tenant_id = a.tenant_id and c.answer_id = a.answer_id
         where a.tenant_id = $1 and a.retracted_at is null and exists (
           select 1 from posted_answers p where p.tenant_id = $1 and p.answer_id = a.answer_id)
         group by a.answer_id, a.audience
     ), ${UNREADABLE_QUOTES}
     update answers a set retracted_at = now(), retraction_reason = 'no_longer_readable',
         body = body || '{"text": "", "citations": [], "confidence": null}'::jsonb
       from posted where a.tenant_id = $1 and a.answer_id = posted.answer_id and ${QUOTES_UNREADABLE}
       returning a.answer_id`,
    [tenantId],
  );
  // The version as it was read before: what changed meanwhile is looked at the next time.
  await query(
    `insert into retraction_progress (tenant_id, index_version) values ($1, $2)
       on conflict (tenant_id) do update set index_version = excluded.index_version, checked_at = now()`,
    [tenantId, tenant.index_version],
  );
  return emptied.length + (await retractFromPlaces(query, { tenantId }));
}

/** Marks the messages of emptied answers that are still to be edited. The product's own page shows the notice by itself. */
export async function queueRetractions(query: Query, tenantId: string): Promise<void> {
  await query(
    `update posted_answers p set
         retraction = case when p.platform = 'web' then 'done' else 'pending' end,
         retracted_at = case when p.platform = 'web' then now() end
       from answers a
       where p.tenant_id = $1 and p.retraction is null
         and a.tenant_id = $1 and a.answer_id = p.answer_id and a.retracted_at is not null`,
    [tenantId],
  );
}

/** Messages that are to be edited: those that were not tried yet, then oldest first. */
export async function pendingRetractions(
  query: Query,
  tenantId: string,
  platform: string,
  limit: number,
): Promise<RetractionTarget[]> {
  return query<RetractionTarget>(
    `select tenant_id as "tenantId", platform, workspace, conversation, message, answer_id as "answerId"
       from posted_answers where tenant_id = $1 and platform = $2 and retraction = 'pending'
       order by retraction_error is not null, posted_at, message limit $3`,
    [tenantId, platform, limit],
  );
}

/** A conversation, or a whole workspace (null). */
export interface RetractionPlace extends Pick<RetractionTarget, 'tenantId' | 'platform' | 'workspace'> {
  readonly conversation: string | null;
}

/** Opens those of a place again that were given up. @returns all messages there that are to be edited. */
export async function reopenRetractions(
  query: Query,
  { tenantId, platform, workspace, conversation }: RetractionPlace,
): Promise<RetractionTarget[]> {
  return query<RetractionTarget>(
    `update posted_answers set retraction = 'pending'
       where tenant_id = $1 and platform = $2 and workspace = $3 and ($4::text is null or conversation = $4)
         and retraction in ('pending', 'failed')
       returning tenant_id as "tenantId", platform, workspace, conversation, message, answer_id as "answerId"`,
    [tenantId, platform, workspace, conversation],
  );
}

/** Notes why a message could not be edited yet; `error` is a code, never a text. */
export async function postponeRetraction(query: Query, target: RetractionTarget, error: string): Promise<void> {
  const { tenantId, platform, workspace, conversation, message } = target;
  await query(
    `update posted_answers set retraction_error = $6 where tenant_id = $1 and platform = $2 and workspace = $3
       and conversation = $4 and message = $5 and retraction = 'pending'`,
    [tenantId, platform, workspace, conversation, message, error],
  );
}

/** Notes how editing a message ended; `error` is a code, never a text. */
export async function endRetraction(query: Query, target: RetractionTarget, error: string | null): Promise<void> {
  const { tenantId, platform, workspace, conversation, message } = target;
  await query(
    `update posted_answers set retraction = $6, retraction_error = $7, retracted_at = now()
       where tenant_id = $1 and platform = $2 and workspace = $3 and conversation = $4 and message = $5`,
    [tenantId, platform, workspace, conversation, message, error === null ? 'done' : 'failed', error],
  );
}
