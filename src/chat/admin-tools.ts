// What the commands of admins read and do beside the documents, over the database.
import type { AdminTools } from '../../adapters/admin-command.ts';
import { ageText } from '../../adapters/wording.ts';
import { fetchDocument } from '../../ingest/fetch-url.ts';
import { MAX_DOCUMENT_BYTES } from '../../ingest/parse-document.ts';
import { UsageError } from '../../retrieval/errors.ts';
import type { Principal } from '../../retrieval/model.ts';
import type { Query } from '../../retrieval/ports.ts';
import type { TraceEntry } from '../../retrieval/search.ts';
import { audit } from '../audit.ts';
import type { Product } from '../product.ts';
import { readStatus, type Status } from '../status.ts';
import { readStanding, standingLine } from './standing-answers.ts';

/** Makes the tools. `admins`: whoever holds one of these principals. */
export function createAdminTools(product: Product, admins: readonly Principal[]): AdminTools {
  const { database, config } = product;
  return {
    async isAdmin(tenantId, email) {
      const rows = await database.transaction((query) =>
        query<{ holds: boolean }>(
          `select held_principals($1, jsonb_build_object('person', $2::text)) && $3::text[] as holds`,
          [tenantId, email, admins],
        ),
      );
      return rows[0]?.holds === true;
    },
    async status(tenantId) {
      const status = await readStatus(product, tenantId, { documents: false });
      const [inbox, standing] = await database.transaction(
        async (query) => [await readInbox(query, tenantId), await readStanding(query, tenantId)] as const,
      );
      return [...statusLines(status), ...inboxLines(inbox), ...standing.map(standingLine)].join('\n');
    },
    sync: (tenantId, source) => database.transaction((query) => sync(query, tenantId, source)),
    why: (tenantId, answerId, documentId) =>
      database.transaction((query) => why(query, tenantId, answerId, documentId)),
    whoCanSee: (tenantId, documentId) => database.transaction((query) => whoCanSee(query, tenantId, documentId)),
    async fetch(url) {
      const { bytes, mediaType, fileName } = await fetchDocument(url, {
        allowedHosts: config.fetchHosts,
        maxBytes: MAX_DOCUMENT_BYTES,
      });
      return { bytes, mediaType, fileName };
    },
    audit: (tenantId, entry) => database.transaction((query) => audit(query, tenantId, entry)),
  };
}

interface InboxCounts {
  readonly waiting: number;
  readonly running: number;
  readonly failed: number;
  /** Of the event that has waited longest; null when none waits. */
  readonly oldestSeconds: number | null;
}

async function readInbox(query: Query, tenantId: string): Promise<InboxCounts | undefined> {
  const [counts] = await query<InboxCounts>(
    `select count(*) filter (where ended_at is null and coalesce(lease_until, '-infinity') <= now())::int as waiting,
         count(*) filter (where ended_at is null and lease_until > now())::int as running,
         count(*) filter (where outcome = 'failed')::int as failed,
         extract(epoch from now() - min(received_at) filter (where ended_at is null))::int as "oldestSeconds"
       from chat_events where tenant_id = $1 and (ended_at is null or outcome = 'failed')`,
    [tenantId],
  );
  return counts;
}

function inboxLines(counts: InboxCounts | undefined): string[] {
  if (!counts || counts.waiting + counts.running + counts.failed === 0) return [];
  const { waiting, running, failed, oldestSeconds } = counts;
  const oldest = oldestSeconds === null ? '' : `, the oldest received ${ageText(oldestSeconds)}`;
  return [`queue      chat: ${waiting} waiting, ${running} running, ${failed} failed${oldest}`];
}

function statusLines(status: Status): string[] {
  const states = Object.entries(status.documentsByState).map(([state, count]) => `${count} ${state}`);
  const waiting = Object.entries(status.jobs).filter(([, { queued, active, failed }]) => queued + active + failed > 0);
  return [
    `documents  ${states.join(', ') || 'none'}`,
    `chunks     ${status.chunks}, ${status.chunksWithoutVector} of them still without a vector`,
    ...(status.pendingEmbedder
      ? [
          `embedder   ${status.embedder} is in use until ${status.pendingEmbedder.name} has embedded all chunks (verbatim reembed)`,
        ]
      : []),
    `people     ${status.people.active} active, ${status.people.guests} guests, ${status.people.groups} groups`,
    ...status.sources.map(
      ({ sourceId, documents, contentAgeSeconds: age }) =>
        `source     ${sourceId}: ${documents} documents, ${age === null ? 'nothing read yet' : `updated ${ageText(age)}`}`,
    ),
    ...waiting.map(
      ([name, { queued, active, failed }]) =>
        `queue      ${name}: ${queued} waiting, ${active} running, ${failed} failed`,
    ),
    ...status.failures.slice(0, 10).map(({ uri, code }) => `failed     ${uri}: ${code}`),
    ...(status.failures.length > 10 ? [`failed     … and ${status.failures.length - 10} more`] : []),
  ];
}

async function sync(query: Query, tenantId: string, source: string): Promise<string> {
  const rows = await query<{ source_id: string }>('select source_id from sources where tenant_id = $1 order by 1', [
    tenantId,
  ]);
  const names = rows.map((row) => row.source_id);
  if (!names.includes(source)) {
    throw new UsageError(`there is no source "${source}"; there are ${names.join(', ') || 'none'}`);
  }
  // Sources that are fetched bring their own way to do it; what was uploaded is complete.
  return `${source} holds what was uploaded to it. There is nothing to fetch.`;
}

const STAGE_TEXTS: Readonly<Record<string, string>> = {
  beyond_limit: 'it was found, but better matches took all places',
  not_live: 'it was found by its chunks, but was gone when it was to be read',
  source_cap: 'it was found, but the document had its share of places already',
  permission: 'somebody who sees the answer may not read it',
  state: 'it was not live at that moment',
  version: 'it was being replaced by a new version at that moment',
  not_in_effect: 'it was not in effect on that day',
  stale_source: 'its source was older than promised',
  not_quoted: 'it was read, but nothing in it answered the question',
};

async function why(query: Query, tenantId: string, answerId: string, documentId: string): Promise<string> {
  const rows = await query<{
    title: string;
    quoted: boolean;
    candidates: TraceEntry[] | null;
    readable: boolean | null;
    state: string;
  }>(
    `select d.title, d.state, t.candidates,
         exists (select 1 from answer_citations c
           where c.tenant_id = $1 and c.answer_id = $2 and c.document_id = $3) as quoted,
         d.acl_id = any(a.visible_acl_ids) as readable
       from documents d
       left join answers a on a.tenant_id = $1 and a.answer_id = $2
       left join answer_traces t on t.tenant_id = $1 and t.answer_id = $2
       where d.tenant_id = $1 and d.document_id = $3`,
    [tenantId, answerId, documentId],
  );
  const row = rows[0];
  if (!row) throw new UsageError('there is no such document');
  const name = `“${row.title}”`;
  if (row.quoted) return `The answer quotes ${name}.`;
  const entries = (row.candidates ?? []).filter((entry) => entry.documentId === documentId);
  const best = entries[0];
  if (best) {
    const reason = best.dropped === null ? STAGE_TEXTS.not_quoted : (STAGE_TEXTS[best.dropped] ?? best.dropped);
    const layer = best.layer === undefined ? '' : ` (layer ${best.layer})`;
    const signals = Object.entries(best.contributions).map(
      ([signal, share]) => `${signal} ${Number(share).toFixed(3)}`,
    );
    return `${name} was not quoted: ${reason}${layer}. Its best chunk scored ${best.score.toFixed(3)} (${signals.join(', ')}).`;
  }
  if (row.candidates === null)
    return `The trace of this answer is no longer kept (VERBATIM_TRACE_DAYS), so the reason is not known.`;
  if (row.state !== 'live') return `${name} was not quoted: it is ${row.state}.`;
  if (row.readable === false)
    return `${name} was not quoted: somebody who sees the answer may not read it, so it was not searched.`;
  return `${name} was not quoted: neither its words nor its meaning were among the nearest to the question.`;
}

async function whoCanSee(query: Query, tenantId: string, documentId: string): Promise<string[]> {
  const rows = await query<{ email: string }>(
    `select p.email from people p
       join documents d on d.tenant_id = $1 and d.document_id = $2 and d.state = 'live'
       where p.tenant_id = $1 and p.active and exists (
         select 1 from visible_acls($1, jsonb_build_array(jsonb_build_object('person', p.email))) v where v.acl_id = d.acl_id)
       order by p.email`,
    [tenantId, documentId],
  );
  return rows.map((row) => row.email);
}
