// A question becomes a quoted answer or a typed refusal, and nothing else.
import { previousQuestion, recordAnswer } from './answer-log.ts';
import { checkpoint } from './checkpoint.ts';
import { confidenceOf } from './confidence.ts';
import { buildContext } from './context.ts';
import { UsageError } from './errors.ts';
import { condenseAudience } from './large-audience.ts';
import type { Answer, Audience, Citation, Question, Refusal, SourceFreshness, VisibleTo } from './model.ts';
import type { AnswerModel, Clock, ContextChunk, Database, Logger, ModelAnswer } from './ports.ts';
import { checkQuotes } from './quote-check.ts';
import { createStopwatch, type Search, type SearchResult, type Stopwatch } from './search.ts';
import { standaloneQuestion } from './standalone-question.ts';
import { visibleAcls } from './visible-acls.ts';

export interface AnswererOptions {
  readonly database: Database;
  readonly search: Search;
  readonly model: AnswerModel;
  /** Answers when `model` fails or is late; null = refuse with `model_unavailable` then. */
  readonly fallback: AnswerModel | null;
  readonly modelTimeoutMs: number;
  /** Larger audiences are answered from what every member of the tenant may read. */
  readonly largeAudiencePeople: number;
  readonly clock: Clock;
  /** A new unique id. */
  readonly newId: () => string;
  readonly logger?: Logger;
}

/** Longest question, in UTF-16 code units: a page of text; more is a document, not a question. */
export const MAX_QUESTION_CHARACTERS = 4_000;
const CONTEXT_CHUNKS = 10;

/** Where a question is on its way, in this order: what a person who waits is shown. */
export type AnswerStage = 'permissions' | 'search' | 'context' | 'model' | 'recheck' | 'store';

/** Answers one question. @throws UsageError for an empty or overlong question; SearchFailedError when nothing can be read. */
export type AnswerQuestion = (
  question: Question,
  options?: { readonly onStage?: (stage: AnswerStage) => void },
) => Promise<Answer>;

interface Outcome {
  readonly refusal: Refusal | null;
  readonly text: string;
  readonly citations: readonly Citation[];
  readonly degraded: readonly string[];
  readonly costUsd: number;
  readonly unknownCitations: number;
  readonly faithful: boolean;
}

const NOTHING: Omit<Outcome, 'refusal'> = {
  text: '',
  citations: [],
  degraded: [],
  costUsd: 0,
  unknownCitations: 0,
  faithful: false,
};

/** Makes the function that every adapter calls. */
export function createAnswerQuestion(options: AnswererOptions): AnswerQuestion {
  return async (question, { onStage = () => {} } = {}) => {
    validateQuestion(question.text);
    const start = options.clock();
    const stopwatch = createStopwatch(options.clock);
    const stage = <T>(name: AnswerStage, run: () => Promise<T>): Promise<T> => {
      onStage(name);
      return stopwatch.time(name, run);
    };
    const { audience, visibleTo, askerSeesMore, previous } = await stage('permissions', () =>
      readAudience(options, question),
    );
    const standalone = standaloneQuestion(question.text, previous);
    onStage('search');
    const found = await options.search({
      question: standalone,
      visibleTo,
      audience,
      limit: CONTEXT_CHUNKS,
    });
    const context = await stage('context', () => buildContext(options.database, visibleTo, found.ranked));
    const drafted = await stage('model', () => draft(options, standalone, context));
    const checked = await stage('recheck', () => recheck(options, question.tenantId, audience, drafted));
    const refusal = checked.refusal && explainRefusal(checked.refusal, found, askerSeesMore);
    const outcome = refusal ? { ...checked, refusal } : checked;
    const answer = compose(options, standalone, outcome, found, stopwatch, start);
    await stage('store', () => store(options, question, visibleTo, answer, outcome, found));
    logOutcome(options.logger, answer, found);
    return answer;
  };
}

/** @throws UsageError when nobody could answer this, whatever the documents say: empty or overlong. */
export function validateQuestion(text: string): void {
  const length = text.trim().length;
  if (length === 0)
    throw new UsageError('the question is empty; ask something, such as "How many days of leave do I have?"');
  if (length > MAX_QUESTION_CHARACTERS) {
    throw new UsageError(`the question has ${length} characters; ask it in at most ${MAX_QUESTION_CHARACTERS}`);
  }
}

interface AudienceRights {
  audience: Audience;
  visibleTo: VisibleTo;
  askerSeesMore: boolean;
  previous: string | undefined;
}

async function readAudience(
  { database, largeAudiencePeople }: AnswererOptions,
  { tenantId, audience: all, asker, threadId }: Question,
): Promise<AudienceRights> {
  return database.transaction(async (query) => {
    const audience = await condenseAudience(query, tenantId, all, largeAudiencePeople);
    const visibleTo = await visibleAcls(query, tenantId, audience);
    const alone = isAlone(audience, asker) ? visibleTo : await visibleAcls(query, tenantId, [{ person: asker }]);
    const previous = threadId === undefined ? undefined : await previousQuestion(query, tenantId, threadId);
    return { audience, visibleTo, askerSeesMore: alone.aclIds.length > visibleTo.aclIds.length, previous };
  });
}

function isAlone(audience: Question['audience'], asker: string): boolean {
  const [member, ...others] = audience;
  return others.length === 0 && member !== undefined && 'person' in member && member.person === asker;
}

// The model answers; one changed retry when quotes are wrong; the fallback when it fails.
async function draft(options: AnswererOptions, question: string, context: readonly ContextChunk[]): Promise<Outcome> {
  if (context.length === 0) return { ...NOTHING, refusal: 'no_evidence' };
  try {
    return await askModel(options, options.model, question, context);
  } catch (error) {
    options.logger?.warn({ model: options.model.id, err: error }, 'the answer model failed');
    if (!options.fallback || options.fallback === options.model) {
      return { ...NOTHING, refusal: 'model_unavailable', degraded: ['model_failed'] };
    }
    const outcome = await askModel(options, options.fallback, question, context);
    return { ...outcome, degraded: [...outcome.degraded, 'model_failed'] };
  }
}

async function askModel(
  { modelTimeoutMs }: AnswererOptions,
  model: AnswerModel,
  question: string,
  context: readonly ContextChunk[],
): Promise<Outcome> {
  let rejectedQuotes: readonly string[] = [];
  let costUsd = 0;
  let unknownCitations = 0;
  for (let attempt = 1; attempt <= 2; attempt++) {
    const said: ModelAnswer = await model.answer(
      { question, context, rejectedQuotes },
      { signal: AbortSignal.timeout(modelTimeoutMs) },
    );
    costUsd += said.usage?.costUsd ?? 0;
    const checked = checkQuotes(said, context);
    unknownCitations += checked.unknownChunks;
    if (!said.sufficient) return { ...NOTHING, refusal: 'no_evidence', costUsd, unknownCitations };
    if (checked.rejectedQuotes.length === 0 && checked.citations.length > 0) {
      const { citations } = checked;
      return { ...NOTHING, refusal: null, text: said.answer, citations, costUsd, unknownCitations, faithful: true };
    }
    // Without quotes to name, a second request would be the same request.
    if (checked.rejectedQuotes.length === 0) break;
    rejectedQuotes = checked.rejectedQuotes;
  }
  return { ...NOTHING, refusal: 'no_evidence', degraded: ['quotes_rejected'], costUsd, unknownCitations };
}

// Between search and reply a permission may have been revoked or a page deleted.
async function recheck(
  { database }: AnswererOptions,
  tenantId: string,
  audience: Audience,
  outcome: Outcome,
): Promise<Outcome> {
  if (outcome.refusal) return outcome;
  const { dropped } = await checkpoint(database, tenantId, audience, outcome.citations);
  if (dropped.length === 0) return outcome;
  const stale = dropped.some((drop) => drop.reason === 'stale_source');
  return {
    ...NOTHING,
    refusal: stale ? 'stale_source' : 'no_evidence',
    degraded: outcome.degraded,
    costUsd: outcome.costUsd,
  };
}

// `audience_limited` says that the place, not the question, may be the reason: it depends on rights alone, never on
// whether a hidden document would have answered, so it tells nobody that one exists.
function explainRefusal(refusal: Refusal, found: SearchResult, askerSeesMore: boolean): Refusal {
  if (refusal !== 'no_evidence') return refusal;
  if (found.ranked.length === 0 && found.droppedAsStale > 0) return 'stale_source';
  return askerSeesMore ? 'audience_limited' : 'no_evidence';
}

function compose(
  options: AnswererOptions,
  question: string,
  outcome: Outcome,
  found: SearchResult,
  stopwatch: Stopwatch,
  start: number,
): Answer {
  const { refusal, text, citations } = outcome;
  return {
    answerId: options.newId(),
    status: refusal ? 'refused' : 'answered',
    refusal,
    text,
    citations,
    sources: refusal ? [] : freshness(citations, found),
    confidence: refusal ? null : confidenceOf({ question, answer: text, citations }),
    degraded: [...new Set([...found.degraded, ...outcome.degraded])],
    timingsMs: { ...stopwatch.timings, ...found.timingsMs, total: options.clock() - start },
    costUsd: outcome.costUsd,
  };
}

function freshness(citations: readonly Citation[], { documents }: SearchResult): SourceFreshness[] {
  const bySource = new Map<string, SourceFreshness>();
  for (const { documentId } of citations) {
    const document = documents.get(documentId);
    if (!document) continue;
    const { sourceId: source, contentAgeSeconds, permissionAgeSeconds } = document;
    const known = bySource.get(source) ?? { source, contentAgeSeconds: 0, permissionAgeSeconds: 0 };
    bySource.set(source, {
      source,
      contentAgeSeconds: Math.max(known.contentAgeSeconds, contentAgeSeconds),
      permissionAgeSeconds: Math.max(known.permissionAgeSeconds, permissionAgeSeconds),
    });
  }
  return [...bySource.values()];
}

async function store(
  { database }: AnswererOptions,
  question: Question,
  visibleTo: VisibleTo,
  answer: Answer,
  outcome: Outcome,
  found: SearchResult,
): Promise<void> {
  const quoted = new Set(answer.citations.map((citation) => citation.chunkId));
  const trace = found.trace.map((entry) =>
    entry.dropped === null && !quoted.has(entry.chunkId) ? { ...entry, dropped: 'not_quoted' as const } : entry,
  );
  await database.transaction((query) =>
    recordAnswer(query, {
      question,
      answer,
      visibleTo,
      trace,
      droppedByPermission: found.droppedByPermission,
      unknownCitations: outcome.unknownCitations,
    }),
  );
}

function logOutcome(logger: Logger | undefined, answer: Answer, found: SearchResult): void {
  const { answerId, status, refusal, citations, degraded, timingsMs } = answer;
  logger?.info(
    {
      answerId,
      status,
      refusal,
      cited: citations.length,
      retrieved: found.trace.length,
      droppedByPermission: found.droppedByPermission,
      degraded,
      durationMs: timingsMs.total,
    },
    'question answered',
  );
}
