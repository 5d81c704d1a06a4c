// What admins see of what the product did: figures and the log of questions. Reads only.
import type {
  DayFigures,
  Insights,
  LoggedCandidate,
  LoggedOpinion,
  LoggedQuestion,
  Overview,
} from '../../adapters/web/ports.ts';
import { readPageCursor, writePageCursor } from '../../ingest/page-cursor.ts';
import { REFUSALS, type Refusal } from '../../retrieval/model.ts';
import type { Database, Query } from '../../retrieval/ports.ts';
import type { JobCounts } from '../database/queue.ts';

interface InsightsParts {
  readonly database: Database;
  readonly queue: { counts(): Promise<Record<string, JobCounts>> };
}

/** The operations pages' figures over the database. */
export function createInsights({ database, queue }: InsightsParts): Insights {
  return {
    async overview(tenantId, days) {
      const queues = await queue.counts();
      return database.transaction(async (query) => ({ ...(await readOverview(query, tenantId, days)), queues }));
    },
    questions: (tenantId, filter, candidates) =>
      database.transaction((query) => readQuestions(query, tenantId, filter, candidates)),
    question: (tenantId, answerId) => database.transaction((query) => readQuestion(query, tenantId, answerId)),
    quotedIn: (tenantId, documentId) => database.transaction((query) => countQuotes(query, tenantId, documentId)),
  };
}

async function readOverview(query: Query, tenantId: string, days: number): Promise<Omit<Overview, 'queues'>> {
  return {
    days: await readDays(query, tenantId, days),
    total: await readTotal(query, tenantId, days),
    feedback: await readFeedback(query, tenantId, days),
    documentsByState: Object.fromEntries(
      (
        await query<{ state: string; count: number }>(
          'select state, count(*)::int as count from documents where tenant_id = $1 group by state',
          [tenantId],
        )
      ).map(({ state, count }) => [state, count]),
    ),
    failures: await query<Overview['failures'][number]>(
      `select document_id as "documentId", title, uri, coalesce(failure_reason, failure_code) as reason from documents
         where tenant_id = $1 and failure_code is not null and state <> 'deleted' order by seen_at desc, uri limit 5`,
      [tenantId],
    ),
    retractions: await readRetractions(query, tenantId),
  };
}

const FIGURES = `count(l.answer_id) filter (where l.status = 'answered')::int as answered,
    ${REFUSALS.map((refusal) => `count(*) filter (where l.refusal = '${refusal}')::int as ${refusal}`).join(', ')},
    percentile_cont(array[0.5, 0.95, 0.99]) within group (order by (l.timings_ms ->> 'total')::float) as percentiles,
    coalesce(sum(l.cost_usd), 0) as cost`;
// Days begin at midnight UTC, wherever the server is.
const FIRST_DAY = `date_trunc('day', now() at time zone 'utc') - ($2::int - 1) * interval '1 day'`;

type FiguresRow = { day: string; answered: number; percentiles: (number | null)[] | null; cost: number } & Record<
  Refusal,
  number
>;

async function readDays(query: Query, tenantId: string, days: number): Promise<DayFigures[]> {
  const rows = await query<FiguresRow>(
    `select to_char(d.day, 'YYYY-MM-DD') as day, ${FIGURES}
       from generate_series(${FIRST_DAY}, date_trunc('day', now() at time zone 'utc'), interval '1 day') as d (day)
       left join question_log l on l.tenant_id = $1 and l.asked_at >= d.day at time zone 'utc'
         and l.asked_at < (d.day + interval '1 day') at time zone 'utc'
       group by d.day order by d.day`,
    [tenantId, days],
  );
  return rows.map(toFigures);
}

async function readTotal(query: Query, tenantId: string, days: number): Promise<DayFigures> {
  const [row] = await query<FiguresRow>(
    `select to_char(${FIRST_DAY}, 'YYYY-MM-DD') as day, ${FIGURES}
       from question_log l where l.tenant_id = $1 and l.asked_at >= (${FIRST_DAY}) at time zone 'utc'`,
    [tenantId, days],
  );
  if (!row) throw new Error('an aggregate gave no row');
  return toFigures(row);
}

function toFigures(row: FiguresRow): DayFigures {
  const [p50Ms = null, p95Ms = null, p99Ms = null] = row.percentiles ?? [];
  return {
    day: row.day,
    answered: row.answered,
    refused: Object.fromEntries(REFUSALS.map((refusal) => [refusal, row[refusal]])),
    p50Ms,
    p95Ms,
    p99Ms,
    costUsd: row.cost,
  };
}

async function readFeedback(query: Query, tenantId: string, days: number): Promise<Overview['feedback']> {
  const rows = await query<Overview['feedback']>(
    `select count(*) filter (where verdict = 'up')::int as up, count(*) filter (where verdict = 'down')::int as down,
         count(*) filter (where reason = 'not_allowed_to_see')::int as "notAllowedToSee"
       from feedback where tenant_id = $1 and withdrawn_at is null and given_at >= (${FIRST_DAY}) at time zone 'utc'`,
    [tenantId, days],
  );
  return rows[0] ?? { up: 0, down: 0, notAllowedToSee: 0 };
}

async function readRetractions(query: Query, tenantId: string): Promise<Overview['retractions']> {
  const rows = await query<Overview['retractions']>(
    `select count(*) filter (where retraction = 'pending')::int as pending,
         count(*) filter (where retraction = 'failed')::int as failed from posted_answers where tenant_id = $1`,
    [tenantId],
  );
  return rows[0] ?? { pending: 0, failed: 0 };
}

const KINDS = {
  answered: `l.status = 'answered'`,
  refused: `l.status = 'refused'`,
  permission_drops: 'l.dropped_by_permission > 0',
  // A refusal is no confidence at all.
  zero_confidence: 'coalesce(l.confidence, 0) < 0.005',
  degraded: `l.degraded <> '{}'`,
  complaint: complaint('true'),
  not_allowed_to_see: complaint(`f.reason = 'not_allowed_to_see'`),
} as const;

function complaint(condition: string): string {
  return `exists (select 1 from feedback f where f.tenant_id = l.tenant_id and f.answer_id = l.answer_id
    and f.verdict = 'down' and f.withdrawn_at is null and ${condition})`;
}

const LOGGED = `l.answer_id as "answerId", l.asked_at as "askedAt", l.asker, l.question, l.audience_size as "audienceSize",
    l.status, l.refusal, l.route, l.model, l.cached, l.retrieved, l.dropped_by_permission as "droppedByPermission", l.cited,
    l.unknown_citations as "unknownCitations", l.degraded, l.timings_ms as "timingsMs", l.confidence,
    case when l.tokens ? 'costUnknown' then null else l.cost_usd end as "costUsd"`;

type LoggedRow = Omit<LoggedQuestion, 'candidates' | 'opinions'>;

async function readQuestions(
  query: Query,
  tenantId: string,
  { search = '', kind, cursor, limit }: Parameters<Insights['questions']>[1],
  candidates: number,
): Promise<Awaited<ReturnType<Insights['questions']>>> {
  const after = cursor === undefined ? null : readPageCursor(cursor);
  const rows = await query<LoggedRow & { position: string }>(
    `select ${LOGGED}, l.asked_at::text as position from question_log l
       where l.tenant_id = $1 and ${kind ? KINDS[kind] : 'true'}
         and (strpos(lower(l.question), lower($2)) > 0 or strpos(lower(l.asker), lower($2)) > 0)
         and ($3::timestamptz is null or (l.asked_at, l.answer_id) < ($3::timestamptz, $4))
       order by l.asked_at desc, l.answer_id desc limit $5`,
    [tenantId, search, after?.time ?? null, after?.id ?? null, limit + 1],
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const logged = page.map(({ position: _position, ...row }) => row);
  return {
    questions: await withDetails(query, tenantId, logged, candidates),
    nextCursor: rows.length > limit && last ? writePageCursor({ time: last.position, id: last.answerId }) : null,
  };
}

async function readQuestion(query: Query, tenantId: string, answerId: string): Promise<LoggedQuestion | null> {
  const [row] = await query<LoggedRow>(
    `select ${LOGGED} from question_log l where l.tenant_id = $1 and l.answer_id = $2`,
    [tenantId, answerId],
  );
  if (!row) return null;
  const [question = null] = await withDetails(query, tenantId, [row], null);
  return question;
}

// `limit` candidates of each; null: all.
async function withDetails(
  query: Query,
  tenantId: string,
  rows: readonly LoggedRow[],
  limit: number | null,
): Promise<LoggedQuestion[]> {
  const ids = rows.map((row) => row.answerId);
  const candidates = await readCandidates(query, tenantId, ids, limit);
  const opinions = await readOpinions(query, tenantId, ids);
  return rows.map((row) => ({
    ...row,
    candidates: candidates.get(row.answerId) ?? [],
    opinions: opinions.get(row.answerId) ?? [],
  }));
}

function byAnswer<Row extends { readonly answerId: string }>(
  rows: readonly Row[],
): Map<string, Omit<Row, 'answerId'>[]> {
  const grouped = new Map<string, Omit<Row, 'answerId'>[]>();
  for (const { answerId, ...rest } of rows) {
    const group = grouped.get(answerId);
    if (group) group.push(rest);
    else grouped.set(answerId, [rest]);
  }
  return grouped;
}

async function readOpinions(
  query: Query,
  tenantId: string,
  answerIds: readonly string[],
): Promise<Map<string, LoggedOpinion[]>> {
  const rows = await query<LoggedOpinion & { answerId: string }>(
    `select answer_id as "answerId", given_by as "givenBy", verdict, reason, comment, platform, given_at as "givenAt"
       from feedback where tenant_id = $1 and answer_id = any($2::text[]) and withdrawn_at is null
       order by given_at, given_by`,
    [tenantId, answerIds],
  );
  return byAnswer(rows);
}

// `limit` for each answer; null: all.
async function readCandidates(
  query: Query,
  tenantId: string,
  answerIds: readonly string[],
  limit: number | null,
): Promise<Map<string, LoggedCandidate[]>> {
  const rows = await query<LoggedCandidate & { answerId: string }>(
    `select t.answer_id as "answerId", c.value ->> 'documentId' as "documentId", coalesce(d.title, '') as title,
         coalesce(k.heading_path, '{}') as "headingPath", (c.value ->> 'score')::float as score,
         c.value -> 'contributions' as contributions, c.value ->> 'dropped' as dropped, c.value ->> 'layer' as layer
       from answer_traces t
       cross join lateral jsonb_array_elements(t.candidates) with ordinality as c (value, place)
       left join documents d on d.tenant_id = $1 and d.document_id = c.value ->> 'documentId'
       left join chunks k on k.tenant_id = $1 and k.access_level = d.access_level and k.chunk_id = c.value ->> 'chunkId'
       where t.tenant_id = $1 and t.answer_id = any($2::text[]) and ($3::int is null or c.place <= $3)
       order by t.answer_id, c.place`,
    [tenantId, answerIds, limit],
  );
  return byAnswer(rows);
}

async function countQuotes(
  query: Query,
  tenantId: string,
  documentId: string,
): Promise<{ answers: number; messages: number }> {
  const rows = await query<{ answers: number; messages: number }>(
    `select count(distinct a.answer_id)::int as answers, count(distinct (p.platform, p.conversation, p.message))
         filter (where p.message is not null)::int as messages
       from answer_citations c
       join answers a on a.tenant_id = $1 and a.answer_id = c.answer_id and a.retracted_at is null
       left join posted_answers p on p.tenant_id = $1 and p.answer_id = a.answer_id
       where c.tenant_id = $1 and c.document_id = $2`,
    [tenantId, documentId],
  );
  return rows[0] ?? { answers: 0, messages: 0 };
}
