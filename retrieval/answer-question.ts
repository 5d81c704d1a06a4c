// A question becomes a quoted answer or a typed refusal, and nothing else.
import { type CachedAnswer, type CacheKey, findCachedAnswer, readCacheKey, storeCachedAnswer } from './answer-cache.ts';
import { type Evidence, recordAnswer } from './answer-log.ts';
import { type AudienceRights, readAudience } from './audience-rights.ts';
import { type CheckedDocument, checkpoint } from './checkpoint.ts';
import { confidenceOf } from './confidence.ts';
import { buildContext } from './context.ts';
import { type Asked, type DraftOptions, draftAnswer, NOTHING, type Outcome } from './draft-answer.ts';
import { UsageError } from './errors.ts';
import type { Answer, Audience, Citation, Confidence, Question, Refusal, SourceFreshness, VisibleTo } from './model.ts';
import { addCosts, type Tokens } from './model-calls.ts';
import type { Clock, Database, Query } from './ports.ts';
import { routeQuestion } from './route-question.ts';
import { createStopwatch, type Search, type SearchResult, type Stopwatch } from './search.ts';
import { type QuestionRewriter, type Standalone, standAlone } from './standalone-question.ts';
import { readTermRarity } from './term-rarity.ts';

export interface AnswererOptions extends DraftOptions {
  readonly database: Database;
  readonly search: Search;
  /** Makes a follow-up stand alone; null or absent = a heuristic does. */
  readonly rewriter?: QuestionRewriter | null;
  /** Larger audiences are answered from what every member of the tenant may read. */
  readonly largeAudiencePeople: number;
  /** Gives answers again; `pipeline` names all parts that an answer depends on. Null or absent = each is made anew. */
  readonly cache?: { readonly pipeline: string } | null;
  readonly clock: Clock;
  /** A new unique id. */
  readonly newId: () => string;
}

/** Longest question, in UTF-16 code units: a page of text; more is a document, not a question. */
export const MAX_QUESTION_CHARACTERS = 4_000;
const CONTEXT_CHUNKS = 10;

/** Where a question is on its way, in this order: what a person who waits is shown. A cached answer skips some. */
export type AnswerStage = 'permissions' | 'search' | 'context' | 'model' | 'recheck' | 'store';

/** Answers one question. @throws UsageError for an empty or overlong question; SearchFailedError when nothing can be read. */
export type AnswerQuestion = (
  question: Question,
  options?: {
    readonly onStage?: (stage: AnswerStage) => void;
    /** Milliseconds that the question has waited for its turn: part of its time, as the stage `queue`. */
    readonly waitedMs?: number;
  },
) => Promise<Answer>;

/** One question on its way. */
interface Asking {
  readonly question: Question;
  readonly rights: AudienceRights;
  readonly standalone: Standalone;
  readonly key: CacheKey | undefined;
  readonly stopwatch: Stopwatch;
  readonly start: number;
  stage<T>(name: AnswerStage, run: () => Promise<T>): Promise<T>;
}

/** Makes the function that every adapter calls. */
export function createAnswerQuestion(options: AnswererOptions): AnswerQuestion {
  return async (question, { onStage = () => {}, waitedMs } = {}) => {
    validateQuestion(question.text);
    const start = options.clock() - (waitedMs ?? 0);
    const stopwatch = createStopwatch(options.clock);
    if (waitedMs !== undefined) stopwatch.timings.queue = waitedMs;
    const stage = <T>(name: AnswerStage, run: () => Promise<T>): Promise<T> => {
      onStage(name);
      return stopwatch.time(name, run);
    };
    const rights = await stage('permissions', () => readAudience(options, question));
    const standalone = await stopwatch.time('rewrite', () => standAlone(options, question.text, rights.earlier));
    const { key, cached } = await stopwatch.time('cache', () => lookUp(options, standalone.question, rights.visibleTo));
    const asking: Asking = { question, rights, standalone, key, stopwatch, start, stage };
    return (cached && (await giveAgain(options, asking, cached))) ?? answerAnew(options, asking);
  };
}

async function answerAnew(options: AnswererOptions, asking: Asking): Promise<Answer> {
  const { question, rights, standalone, stage } = asking;
  const { audience, visibleTo } = rights;
  const request = { question: standalone.question, visibleTo, audience, limit: CONTEXT_CHUNKS };
  const found = await stage('search', () => options.search(request));
  const asked = await stage('context', () => gather(options, standalone.question, visibleTo, found));
  const drafted = await stage('model', () => draftAnswer(options, asked));
  const { outcome, withdrawn } = await stage('recheck', () => recheck(options, question.tenantId, audience, drafted));
  const { refusal, text, citations, probability } = outcome;
  const answer = compose(options, asking, {
    ...outcome,
    refusal: refusal && explainRefusal(refusal, found, rights.askerSeesMore),
    confidence: refusal ? null : confidenceOf({ ...asked, answer: text, citations, probability }),
    degraded: [...found.degraded, ...outcome.degraded],
    documents: found.documents,
    searchMs: found.timingsMs,
  });
  const { trace, route, droppedByPermission } = found;
  const tokens = addTokens(outcome.tokens, standalone.tokens);
  const evidence: Evidence = {
    ...outcome,
    tokens,
    standalone: standalone.question,
    cached: null,
    trace,
    route,
    droppedByPermission,
  };
  const keep = !withdrawn && isComplete(found, answer) ? cacheable(outcome, answer, trace.length) : null;
  await stage('store', () => store(options, asking, answer, evidence, keep));
  logOutcome(options, answer, evidence);
  return answer;
}

async function gather(
  { database, logger }: AnswererOptions,
  question: string,
  visibleTo: VisibleTo,
  found: SearchResult,
): Promise<Asked> {
  const [context, termRarity] = await Promise.all([
    buildContext(database, visibleTo, found.ranked),
    // The search by words has looked it up. Where that failed or was late, which `degraded` says, the answerer still weighs
    // the words as ever; where nothing is to be had of them at all, it weighs them alike.
    found.termRarity ??
      readTermRarity(database, visibleTo, question).catch((error: unknown) => {
        logger?.warn({ err: error }, 'how rare the words of a question are could not be read');
        return new Map<string, number>();
      }),
  ]);
  return { question, context, termRarity };
}

// The citations are checked for the people of now; where one of them may not be shown, the question is answered anew.
async function giveAgain(options: AnswererOptions, asking: Asking, cached: CachedAnswer): Promise<Answer | undefined> {
  const { question, rights, standalone, stage } = asking;
  const checked = await stage('recheck', () =>
    checkpoint(options.database, question.tenantId, rights.audience, cached.citations),
  );
  if (checked.dropped.length > 0) return undefined;
  const refusal = cached.refusal && rights.askerSeesMore ? 'audience_limited' : cached.refusal;
  const answer = compose(options, asking, {
    ...NOTHING,
    ...cached,
    refusal,
    documents: checked.documents,
    searchMs: {},
  });
  const evidence: Evidence = {
    ...NOTHING,
    tokens: standalone.tokens,
    standalone: standalone.question,
    cached,
    trace: [],
    route: routeQuestion(standalone.question),
    droppedByPermission: 0,
  };
  await stage('store', () => store(options, asking, answer, evidence, null));
  logOutcome(options, answer, evidence);
  return answer;
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

async function lookUp(
  { database, cache }: AnswererOptions,
  question: string,
  visibleTo: VisibleTo,
): Promise<{ key: CacheKey | undefined; cached: CachedAnswer | undefined }> {
  if (!cache) return { key: undefined, cached: undefined };
  const read = async (query: Query) => {
    const key = await readCacheKey(query, { question, visibleTo, pipeline: cache.pipeline });
    return { key, cached: key && (await findCachedAnswer(query, key)) };
  };
  return database.transaction(read, { readOnly: true });
}

// Only what was answered with everything there: nothing failed, nothing was withheld on the way.
function isComplete({ droppedByPermission, droppedAsStale }: SearchResult, { degraded }: Answer): boolean {
  return degraded.length === 0 && droppedByPermission === 0 && droppedAsStale === 0;
}

function cacheable(
  { refusal, text, citations }: Outcome,
  { answerId, confidence }: Answer,
  retrieved: number,
): CachedAnswer | null {
  if (refusal !== null && refusal !== 'no_evidence') return null;
  return { answerId, refusal, text, citations, confidence, retrieved };
}

// Between search and reply a permission may have been revoked or a page deleted.
async function recheck(
  { database }: AnswererOptions,
  tenantId: string,
  audience: Audience,
  outcome: Outcome,
): Promise<{ outcome: Outcome; withdrawn: boolean }> {
  if (outcome.refusal) return { outcome, withdrawn: false };
  const checked = await checkpoint(database, tenantId, audience, outcome.citations);
  if (checked.dropped.length === 0) return { outcome, withdrawn: false };
  const stale = checked.dropped.some((drop) => drop.reason === 'stale_source');
  return {
    outcome: { ...outcome, text: '', citations: [], refusal: stale ? 'stale_source' : 'no_evidence' },
    withdrawn: true,
  };
}

// `audience_limited` says that the place, not the question, may be the reason: it depends on rights alone, never on
// whether a hidden document would have answered, so it tells nobody that one exists.
function explainRefusal(refusal: Refusal, found: SearchResult, askerSeesMore: boolean): Refusal {
  if (refusal !== 'no_evidence') return refusal;
  if (found.ranked.length === 0 && found.droppedAsStale > 0) return 'stale_source';
  return askerSeesMore ? 'audience_limited' : 'no_evidence';
}

interface Parts extends Pick<Answer, 'refusal' | 'text' | 'citations' | 'degraded' | 'costUsd'> {
  readonly confidence: Confidence | null;
  readonly documents: ReadonlyMap<string, CheckedDocument>;
  readonly searchMs: Readonly<Record<string, number>>;
}

function compose({ newId, clock }: AnswererOptions, { standalone, stopwatch, start }: Asking, parts: Parts): Answer {
  const { refusal, text, citations, confidence, documents, searchMs } = parts;
  const degraded = [...new Set([...standalone.degraded, ...parts.degraded])];
  return {
    answerId: newId(),
    status: refusal ? 'refused' : 'answered',
    refusal,
    text,
    citations,
    sources: refusal ? [] : freshness(citations, documents),
    confidence: refusal ? null : confidence,
    degraded,
    timingsMs: { ...stopwatch.timings, ...searchMs, total: clock() - start },
    costUsd: addCosts(parts.costUsd, standalone.costUsd),
  };
}

function addTokens(a: Tokens, b: Tokens): Tokens {
  return { calls: a.calls + b.calls, input: a.input + b.input, output: a.output + b.output };
}

function freshness(citations: readonly Citation[], documents: ReadonlyMap<string, CheckedDocument>): SourceFreshness[] {
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
  { question, rights: { visibleTo }, key }: Asking,
  answer: Answer,
  evidence: Evidence,
  keep: CachedAnswer | null,
): Promise<void> {
  await database.transaction(async (query) => {
    await recordAnswer(query, { question, answer, visibleTo, ...evidence });
    if (key && keep) await storeCachedAnswer(query, key, keep);
  });
}

function logOutcome({ logger }: AnswererOptions, answer: Answer, evidence: Evidence): void {
  const { answerId, status, refusal, citations, degraded, timingsMs } = answer;
  logger?.info(
    {
      answerId,
      status,
      refusal,
      cited: citations.length,
      retrieved: evidence.cached?.retrieved ?? evidence.trace.length,
      droppedByPermission: evidence.droppedByPermission,
      route: evidence.route,
      cached: Boolean(evidence.cached),
      degraded,
      durationMs: timingsMs.total,
    },
    'question answered',
  );
}
