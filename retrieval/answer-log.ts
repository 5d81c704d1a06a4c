// What is kept of an answer: itself, its trace, and one line in a log that can only be added to. One transaction.

import type { Answer, Question, VisibleTo } from './model.ts';
import type { Tokens } from './model-calls.ts';
import type { Query } from './ports.ts';
import type { Route } from './route-question.ts';
import type { TraceEntry } from './search.ts';
import type { EarlierQuestion } from './standalone-question.ts';

/** What explains an answer. */
export interface Evidence {
  /** What was searched in place of a follow-up; absent: the question as it was asked. */
  readonly standalone?: string;
  readonly trace: readonly TraceEntry[];
  readonly droppedByPermission: number;
  readonly unknownCitations: number;
  /** The answer that is given again, whose trace explains this one too; null = this one was made anew. */
  readonly cached?: { readonly answerId: string; readonly retrieved: number } | null;
  readonly route?: Route;
  /** Id of the model that said it; empty when none was asked. */
  readonly model?: string;
  readonly tokens?: Tokens;
}

/** An answer with all that explains it later. */
export interface AnswerRecord extends Evidence {
  readonly question: Question;
  readonly answer: Answer;
  readonly visibleTo: VisibleTo;
}

/** Stores an answer or a refusal, in the caller's transaction. */
export async function recordAnswer(query: Query, record: AnswerRecord): Promise<void> {
  const { question, answer, visibleTo } = record;
  const { tenantId } = question;
  await query(
    `insert into answers (tenant_id, answer_id, thread_id, asker, audience, question, body, visible_acl_ids, index_version,
         asker_principals)
       values ($1, $2, $3, $4, $5::jsonb, $6, $7::jsonb, $8,
         coalesce((select index_version from tenants where tenant_id = $1), 0),
         held_principals($1, jsonb_build_object('person', $4::text)))`,
    [
      tenantId,
      answer.answerId,
      question.threadId ?? null,
      question.asker,
      JSON.stringify(question.audience),
      question.text,
      JSON.stringify(answer),
      visibleTo.aclIds,
    ],
  );
  await query(
    `insert into answer_citations (tenant_id, answer_id, number, document_id, document_version, chunk_id)
       select $1, $2, row_number() over (), c."documentId", c."documentVersion", c."chunkId"
         from jsonb_to_recordset($3::jsonb) as c("documentId" text, "documentVersion" int, "chunkId" text)`,
    [tenantId, answer.answerId, JSON.stringify(answer.citations)],
  );
  await recordTrace(query, record);
  await logQuestion(query, record);
}

async function recordTrace(query: Query, { question, answer, ...evidence }: AnswerRecord): Promise<void> {
  const { standalone = question.text } = evidence;
  const rewritten = standalone === question.text ? null : standalone;
  if (evidence.cached) {
    await query(
      `insert into answer_traces (tenant_id, answer_id, candidates, standalone_question)
         select tenant_id, $2, candidates, $4 from answer_traces where tenant_id = $1 and answer_id = $3`,
      [question.tenantId, answer.answerId, evidence.cached.answerId, rewritten],
    );
    return;
  }
  const quoted = new Set(answer.citations.map((citation) => citation.chunkId));
  const trace = evidence.trace.map((entry) =>
    entry.dropped === null && !quoted.has(entry.chunkId) ? { ...entry, dropped: 'not_quoted' as const } : entry,
  );
  await query(
    'insert into answer_traces (tenant_id, answer_id, candidates, standalone_question) values ($1, $2, $3::jsonb, $4)',
    [question.tenantId, answer.answerId, JSON.stringify(trace), rewritten],
  );
}

async function logQuestion(query: Query, { question, answer, ...evidence }: AnswerRecord): Promise<void> {
  await query(
    `insert into question_log (tenant_id, answer_id, asker, audience_size, question, status, refusal, retrieved,
         dropped_by_permission, cited, unknown_citations, degraded, timings_ms, cost_usd, confidence,
         route, cached, model, tokens)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13::jsonb, $14, $15, $16, $17, $18, $19::jsonb)`,
    [
      question.tenantId,
      answer.answerId,
      question.asker,
      question.audience.length,
      question.text,
      answer.status,
      answer.refusal,
      evidence.cached?.retrieved ?? evidence.trace.length,
      evidence.droppedByPermission,
      answer.citations.length,
      evidence.unknownCitations,
      answer.degraded,
      JSON.stringify(answer.timingsMs),
      answer.costUsd ?? 0,
      answer.confidence?.overall ?? null,
      evidence.route ?? '',
      Boolean(evidence.cached),
      evidence.model ?? '',
      // The column is for sums of what is known.
      JSON.stringify({ ...evidence.tokens, ...(answer.costUsd === null ? { costUnknown: true } : {}) }),
    ],
  );
}

/**
 * The last `limit` questions of a thread, oldest first. What is asked again word for word has the context that it had: it is
 * none of the questions before itself.
 */
export async function earlierQuestions(
  query: Query,
  { tenantId, threadId, before, limit }: { tenantId: string; threadId: string; before: string; limit: number },
): Promise<EarlierQuestion[]> {
  // A trace is kept for a while only; what is left then is the question itself.
  const rows = await query<EarlierQuestion>(
    `select a.question as asked, coalesce(t.standalone_question, a.question) as standalone
       from answers a left join answer_traces t using (tenant_id, answer_id)
       where a.tenant_id = $1 and a.thread_id = $2 and a.question <> $3
       order by a.asked_at desc limit $4`,
    [tenantId, threadId, before, limit],
  );
  return rows.reverse();
}

/** Removes the traces of all tenants that are older than the configured number of days. */
export async function expireTraces(query: Query, days: number): Promise<number> {
  const rows = await query(
    `delete from answer_traces where asked_at < now() - $1 * interval '1 day' returning answer_id`,
    [days],
  );
  return rows.length;
}
