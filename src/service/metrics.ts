// Figures for Prometheus: counted as answers are given, read from the database when somebody looks.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Answer } from '../../retrieval/model.ts';
import type { Database, Logger, Query } from '../../retrieval/ports.ts';
import type { Queue } from '../database/queue.ts';
import type { Admission, AskInTurn } from './admission.ts';

/** The product's figures. */
export interface Metrics {
  /** The same function, counted. */
  counted(ask: AskInTurn): AskInTurn;
  /** One request of the service. `route` is a pattern, never an address. */
  request(route: string, method: string, status: number, seconds: number): void;
  readonly contentType: string;
  /** All figures in Prometheus' text format. */
  read(): Promise<string>;
}

// From what a cached answer takes to what the slowest model takes.
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
// Scrapes of several servers shall not each count the whole database.
const KEEP_MS = 5_000;

/** Makes the figures of one process. */
export function createMetrics(parts: {
  readonly database: Database;
  readonly queue: Pick<Queue, 'counts'>;
  readonly admission: Pick<Admission, 'running' | 'waiting'>;
  readonly logger: Logger;
}): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const answers = createAnswerMetrics(registry);
  const requests = new Histogram({
    name: 'verbatim_http_request_seconds',
    help: 'Requests of the service by route',
    labelNames: ['route', 'method', 'status'],
    buckets: SECONDS,
    registers: [registry],
  });
  new Gauge({
    name: 'verbatim_questions',
    help: 'Questions that run and that wait for their turn',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'running' }, parts.admission.running());
      this.set({ state: 'waiting' }, parts.admission.waiting());
    },
  });
  const readStock = createStockMetrics(registry, parts);
  return {
    counted: (ask) => async (question, options) => {
      const answer = await ask(question, options).catch((error: unknown) => {
        answers.failed();
        throw error;
      });
      try {
        answers.count(answer);
      } catch (error) {
        // A figure that cannot be is no reason to keep the answer back.
        parts.logger.warn({ answerId: answer.answerId, err: error }, 'an answer could not be counted');
      }
      return answer;
    },
    request: (route, method, status, seconds) => requests.observe({ route, method, status: String(status) }, seconds),
    contentType: registry.contentType,
    async read() {
      await readStock();
      return registry.metrics();
    },
  };
}

function createAnswerMetrics(registry: Registry): { count(answer: Answer): void; failed(): void } {
  const registers = [registry];
  const total = new Counter({
    name: 'verbatim_answers_total',
    help: 'Answers by status (answered, refused, failed) and kind of refusal',
    labelNames: ['status', 'refusal'],
    registers,
  });
  const stages = new Histogram({
    name: 'verbatim_answer_stage_seconds',
    help: 'Time of answers by stage; total is all of it',
    labelNames: ['stage'],
    buckets: SECONDS,
    registers,
  });
  const cost = new Counter({
    name: 'verbatim_answer_cost_usd_total',
    help: 'What models cost, in US dollars, as far as it is known',
    registers,
  });
  const degraded = new Counter({
    name: 'verbatim_answers_degraded_total',
    help: 'Answers that had to do without a part',
    labelNames: ['part'],
    registers,
  });
  return {
    count({ status, refusal, timingsMs, costUsd, degraded: parts }) {
      total.inc({ status, refusal: refusal ?? '' });
      for (const [stage, ms] of Object.entries(timingsMs)) stages.observe({ stage }, ms / 1000);
      for (const part of parts) degraded.inc({ part });
      if (costUsd !== null) cost.inc(costUsd);
    },
    failed: () => total.inc({ status: 'failed', refusal: '' }),
  };
}

// Of all tenants together: who has how many documents is nobody's business who reads these.
function createStockMetrics(
  registry: Registry,
  { database, queue, logger }: { database: Database; queue: Pick<Queue, 'counts'>; logger: Logger },
): () => Promise<void> {
  const registers = [registry];
  const jobs = new Gauge({
    name: 'verbatim_jobs',
    help: 'Jobs by queue and state',
    labelNames: ['queue', 'state'],
    registers,
  });
  const documents = new Gauge({
    name: 'verbatim_documents',
    help: 'Documents by state',
    labelNames: ['state'],
    registers,
  });
  const retractions = new Gauge({
    name: 'verbatim_retractions',
    help: 'Posted answers that are to be taken back (pending), and those that cannot be (failed)',
    labelNames: ['state'],
    registers,
  });
  const lag = new Gauge({
    name: 'verbatim_source_lag_seconds',
    help: 'How long ago content and permissions of a source were read, the oldest tenant',
    labelNames: ['source', 'what'],
    registers,
  });
  let readAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - readAt < KEEP_MS) return;
    try {
      const counts = await queue.counts();
      const stock = await database.transaction(readStock);
      for (const gauge of [jobs, documents, lag, retractions]) gauge.reset();
      for (const [name, states] of Object.entries(counts)) {
        for (const [state, count] of Object.entries(states)) jobs.set({ queue: name, state }, count);
      }
      for (const { state, count } of stock.documents) documents.set({ state }, count);
      for (const { state, count } of stock.retractions) retractions.set({ state }, count);
      for (const { source, what, seconds } of stock.lags) lag.set({ source, what }, seconds);
      readAt = performance.now();
    } catch (error) {
      // Figures of the process itself are wanted most when the database is away.
      logger.warn({ err: error }, 'figures of the database could not be read');
    }
  };
}

async function readStock(query: Query): Promise<{
  documents: { state: string; count: number }[];
  retractions: { state: string; count: number }[];
  lags: { source: string; what: string; seconds: number }[];
}> {
  const documents = await query<{ state: string; count: number }>(
    'select state, count(*)::int as count from documents group by state',
  );
  const retractions = await query<{ state: string; count: number }>(
    `select s.state, count(p.retraction)::int as count from (values ('pending'), ('failed')) as s(state)
       left join posted_answers p on p.retraction = s.state group by s.state`,
  );
  const lags = await query<{ source: string; what: string; seconds: number }>(
    `select s.source_id as source, lag.what, max(extract(epoch from now() - lag.at))::float8 as seconds
       from sources s, lateral (values ('content', s.content_checked_at), ('permissions', s.permissions_checked_at))
         as lag(what, at)
       where lag.at is not null group by s.source_id, lag.what`,
  );
  return { documents, retractions, lags };
}
