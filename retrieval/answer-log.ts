// What is kept of an answer: itself, its trace, and one line in a log that can only be added to. One transaction.
import type { Answer, Question, VisibleTo } from './model.ts';
import type { Query } from './ports.ts';
import type { TraceEntry } from './search.ts';

/** An answer with all that explains it later. */
export interface AnswerRecord {
  readonly question: Question;
  readonly answer: Answer;
  readonly visibleTo: VisibleTo;
  readonly trace: readonly TraceEntry[];
  readonly droppedByPermission: number;
  readonly unknownCitations: number;
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
  await query('insert into answer_traces (tenant_id, answer_id, candidates) values ($1, $2, $3::jsonb)', [
    tenantId,
    answer.answerId,
    JSON.stringify(record.trace),
  ]);
  await logQuestion(query, record);
}

async function logQuestion(query: Query, record: AnswerRecord): Promise<void> {
  const { question, answer } = record;
  await query(
    `insert into question_log (tenant_id, answer_id, asker, audience_size, question, status, refusal, retrieved,
         dropped_by_permission, cited, unknown_citations, degraded, timings_ms, cost_usd, confidence)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13::jsonb, $14, $15)`,
    [
      question.tenantId,
      answer.answerId,
      question.asker,
      question.audience.length,
      question.text,
      answer.status,
      answer.refusal,
      record.trace.length,
      record.droppedByPermission,
      answer.citations.length,
      record.unknownCitations,
      answer.degraded,
      JSON.stringify(answer.timingsMs),
      answer.costUsd,
      answer.confidence?.overall ?? null,
    ],
  );
}

/** The last question of a thread, or undefined. */
export async function previousQuestion(query: Query, tenantId: string, threadId: string): Promise<string | undefined> {
  const rows = await query<{ question: string }>(
    `select question from answers where tenant_id = $1 and thread_id = $2 order by asked_at desc limit 1`,
    [tenantId, threadId],
  );
  return rows[0]?.question;
}

/** Removes the traces of all tenants that are older than the configured number of days. */
export async function expireTraces(query: Query, days: number): Promise<number> {
  const rows = await query(
    `delete from answer_traces where asked_at < now() - $1 * interval '1 day' returning answer_id`,
    [days],
  );
  return rows.length;
}
