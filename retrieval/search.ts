// Hybrid search: both searches at once under the same visible ACLs, fused, capped, reranked, and checked once more.
import { applyCheckpoint, type CheckedDocument, readDocumentStates } from './checkpoint.ts';
import { withDeadline } from './deadline.ts';
import { DatabaseTimeoutError, VerbatimError } from './errors.ts';
import { type FusedHit, type FusionWeights, fuse } from './fusion.ts';
import { type Hit, lexicalSearch } from './lexical-search.ts';
import { loadChunks } from './load-chunks.ts';
import type { Audience, Contributions, Degradation, RankedChunk, VisibleTo } from './model.ts';
import type { Clock, Database, Embedder, Logger, TermRarity } from './ports.ts';
import { RERANK_DEPTH, type RerankOptions, rerank } from './rerank.ts';
import { type Route, routeQuestion } from './route-question.ts';
import { capPerDocument } from './source-cap.ts';
import { activeEmbedderName, vectorSearch } from './vector-search.ts';

/** The stage that dropped a candidate; null = it reached the end. */
export type DropStage =
  | 'beyond_limit'
  | 'not_live'
  | 'source_cap'
  | 'permission'
  | 'state'
  | 'version'
  | 'not_in_effect'
  | 'stale_source'
  | 'not_quoted';

/** One candidate with exactly one reason for its end. No text; `layer` is for admins only. */
export interface TraceEntry {
  readonly chunkId: string;
  readonly documentId: string;
  readonly score: number;
  readonly contributions: Contributions;
  readonly dropped: DropStage | null;
  readonly layer?: string;
}

/** What a search found, and what became of everything else. */
export interface SearchResult {
  /** Best first; rank 1-based; each may be shown to the whole audience. */
  readonly ranked: readonly RankedChunk[];
  readonly trace: readonly TraceEntry[];
  /** Chunks that the checkpoint dropped because of permissions. */
  readonly droppedByPermission: number;
  /** Chunks that were left out because their source is older than promised. */
  readonly droppedAsStale: number;
  readonly documents: ReadonlyMap<string, CheckedDocument>;
  readonly degraded: readonly Degradation[];
  readonly timingsMs: Readonly<Record<string, number>>;
  /** What kind of question it was taken for. */
  readonly route: Route;
  /** How rare the question's terms are; null when the lexical search, which looks them up, failed or was late. */
  readonly termRarity: TermRarity | null;
}

export interface SearchOptions extends RerankOptions {
  readonly database: Database;
  readonly embedder: Embedder;
  /** Another embedder by its id, for a tenant whose vectors are not (yet) those of `embedder`; null = it cannot be had. */
  readonly embedderById?: (id: string) => Embedder | null;
  /** How much each search counts: for all questions, or by the embedder and the kind of question. */
  readonly weights: FusionWeights | ((embedderId: string, route: Route) => FusionWeights);
  readonly lexicalTimeoutMs: number;
  readonly vectorTimeoutMs: number;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

export interface SearchRequest {
  readonly question: string;
  readonly visibleTo: VisibleTo;
  readonly audience: Audience;
  /** Chunks wanted. */
  readonly limit: number;
}

export type Search = (request: SearchRequest) => Promise<SearchResult>;

/** Neither search answered; nothing can be said. */
export class SearchFailedError extends VerbatimError {
  constructor(options: { cause: unknown }) {
    super('search_failed', 'both the lexical and the vector search failed; see the log for their causes', options);
  }
}

/** The tenant's vectors are those of an embedder that cannot be had; they are not compared with another one's. */
class OtherEmbedderError extends VerbatimError {
  constructor(name: string) {
    super('other_embedder', `the vectors are those of ${name}, which is not available; run "verbatim reembed"`);
  }
}

// Each search gives several times what is wanted, so that fusion, cap and checkpoint have something to choose from. Words are
// ranked all at once, so twice as many cost nothing; an index of vectors is walked for each further one, the farther the fewer
// are visible, and what only stands behind the fiftieth there never comes among the thirty that are reranked.
const OVER_FETCH = 5;
const MIN_FETCH = { lexical: 100, vector: 50 };
// Half of the list at the most: one long document may answer alone only where nothing else was found.
const CAP_SHARE = 0.5;
const MIN_CAP = 5;

/** Makes the search. Without visible ACLs it finds nothing; `visibleTo` cannot be left out. */
export function createSearch(options: SearchOptions): Search {
  return async (request) => {
    const stopwatch = createStopwatch(options.clock);
    const route = routeQuestion(request.question);
    const { hits, embedderId, degraded, termRarity } = await runSearches(options, request, stopwatch);
    const weights = typeof options.weights === 'function' ? options.weights(embedderId, route) : options.weights;
    const fused = fuse(hits.lexical, hits.vector, weights);
    const trace = new Map(fused.map((hit) => [hit.chunkId, traceOf(hit, 'beyond_limit')]));
    const wanted = chooseCandidates(fused, request.limit, trace);
    const loaded = await stopwatch.time('load', () => loadCandidates(options, request, wanted, trace));
    // Afterwards, so that what was read is held against what is true later. At the same time would be no faster: both are a
    // millisecond, and with the product and its database on two cores one of three processes waited for a turn (95 % of the
    // searches within 13.1 ms in place of 14.3). Nothing is read by the reranker that the audience may not read.
    const states = await stopwatch.time('checkpoint', () =>
      readDocumentStates(
        options.database,
        request.visibleTo.tenantId,
        request.audience,
        wanted.map((hit) => hit.documentId),
      ),
    );
    const checked = applyCheckpoint(states, loaded);
    for (const { item, reason, layer } of checked.dropped) {
      trace.set(item.chunkId, { ...traceOf(item, reason), ...(layer === null ? {} : { layer }) });
    }
    const reranked = await stopwatch.time('rerank', () => rerank(options, request.question, checked.passed, degraded));
    const ranked = takeBest(reranked, request.limit, trace);
    const droppedBy = (reason: string) => checked.dropped.filter((drop) => drop.reason === reason).length;
    return {
      ranked,
      trace: [...trace.values()].sort((a, b) => b.score - a.score),
      droppedByPermission: droppedBy('permission'),
      droppedAsStale: droppedBy('stale_source'),
      documents: checked.documents,
      degraded,
      timingsMs: stopwatch.timings,
      route,
      termRarity,
    };
  };
}

function traceOf(hit: FusedHit | RankedChunk, dropped: DropStage | null): TraceEntry {
  const { chunkId, documentId, score, contributions } = hit;
  return { chunkId, documentId, score, contributions, dropped };
}

async function runSearches(
  options: SearchOptions,
  request: SearchRequest,
  stopwatch: Stopwatch,
): Promise<{
  hits: { lexical: Hit[]; vector: Hit[] };
  embedderId: string;
  degraded: Degradation[];
  termRarity: TermRarity | null;
}> {
  const fetch = (minimum: number) => Math.max(minimum, OVER_FETCH * request.limit);
  const { database, lexicalTimeoutMs, vectorTimeoutMs } = options;
  const [lexical, vector] = await Promise.allSettled([
    inTime(lexicalTimeoutMs, () =>
      stopwatch.time('lexical', () =>
        lexicalSearch(database, request.visibleTo, request.question, {
          limit: fetch(MIN_FETCH.lexical),
          timeoutMs: lexicalTimeoutMs,
        }),
      ),
    ),
    inTime(vectorTimeoutMs, () => searchByMeaning(options, request, fetch(MIN_FETCH.vector), stopwatch)),
  ]);
  logFailure(options, request, 'the search by words failed', lexical);
  logFailure(options, request, 'the search by meaning failed', vector);
  if (lexical.status === 'rejected' && vector.status === 'rejected') {
    throw new SearchFailedError({ cause: lexical.reason });
  }
  return {
    hits: {
      lexical: lexical.status === 'fulfilled' ? lexical.value.hits : [],
      vector: vector.status === 'fulfilled' ? vector.value.hits : [],
    },
    embedderId: vector.status === 'fulfilled' ? vector.value.embedderId : options.embedder.id,
    degraded: [...degradedBy('lexical_search', lexical), ...degradedBy('vector_search', vector)],
    termRarity: lexical.status === 'fulfilled' ? lexical.value.termRarity : null,
  };
}

// With the configured embedder, or with that whose vectors the tenant has until the new ones are complete.
async function searchByMeaning(
  { database, embedder, embedderById, vectorTimeoutMs, clock }: SearchOptions,
  { question, visibleTo }: SearchRequest,
  limit: number,
  stopwatch: Stopwatch,
): Promise<{ hits: Hit[]; embedderId: string }> {
  const deadline = clock() + vectorTimeoutMs;
  const searchWith = async (chosen: Embedder): Promise<Hit[] | null> => {
    const [vector] = await stopwatch.time('embed', () => chosen.embed([question], 'question'));
    const timeoutMs = Math.max(1, deadline - clock());
    return stopwatch.time('vector', () =>
      vectorSearch(database, visibleTo, { embedder: chosen, vector: vector ?? [] }, { limit, timeoutMs }),
    );
  };
  const hits = await searchWith(embedder);
  if (hits) return { hits, embedderId: embedder.id };
  const active = await activeEmbedderName(database, visibleTo);
  if (active === undefined || active === embedder.id) return { hits: [], embedderId: embedder.id };
  const other = embedderById?.(active);
  if (!other) throw new OtherEmbedderError(active);
  return { hits: (await searchWith(other)) ?? [], embedderId: other.id };
}

function degradedBy<Name extends 'lexical_search' | 'vector_search'>(
  name: Name,
  result: PromiseSettledResult<unknown>,
): (`${Name}_timeout` | `${Name}_failed` | 'vector_search_unavailable')[] {
  if (result.status === 'fulfilled') return [];
  if (result.reason instanceof OtherEmbedderError) return ['vector_search_unavailable'];
  return [result.reason instanceof DatabaseTimeoutError ? `${name}_timeout` : `${name}_failed`];
}

// People are told that a part failed; why is for whoever runs the product.
function logFailure(
  { logger, embedder }: SearchOptions,
  { visibleTo }: SearchRequest,
  message: string,
  result: PromiseSettledResult<unknown>,
): void {
  if (result.status === 'fulfilled') return;
  logger.warn({ tenantId: visibleTo.tenantId, embedderId: embedder.id, err: result.reason }, message);
}

// A search that hangs elsewhere than in a statement (the embedder, a full pool) must not hold up the other one.
function inTime<T>(timeoutMs: number, run: () => Promise<T>): Promise<T> {
  return withDeadline({ timeoutMs, late: () => new DatabaseTimeoutError(timeoutMs) }, run);
}

// What the reranker reads, and twice the limit from enough documents, since the checkpoint may drop some.
function chooseCandidates(fused: readonly FusedHit[], limit: number, trace: Map<string, TraceEntry>): FusedHit[] {
  const { kept, over } = capPerDocument(fused, capOf(limit));
  const chosen = new Set([...fused.slice(0, RERANK_DEPTH), ...[...kept, ...over].slice(0, 2 * limit)]);
  for (const hit of over) trace.set(hit.chunkId, traceOf(hit, 'source_cap'));
  return fused.filter((hit) => chosen.has(hit));
}

async function loadCandidates(
  { database }: SearchOptions,
  { visibleTo }: SearchRequest,
  wanted: readonly FusedHit[],
  trace: Map<string, TraceEntry>,
): Promise<RankedChunk[]> {
  if (wanted.length === 0) return [];
  const chunkIds = wanted.map((hit) => hit.chunkId);
  const chunks = await database.read(visibleTo, (query) => loadChunks(query, visibleTo, chunkIds), {
    oneStatement: true,
  });
  return wanted.flatMap((hit, index) => {
    const chunk = chunks.get(hit.chunkId);
    trace.set(hit.chunkId, traceOf(hit, chunk ? 'beyond_limit' : 'not_live'));
    return chunk ? [{ ...chunk, rank: index + 1, score: hit.score, contributions: hit.contributions }] : [];
  });
}

function capOf(limit: number): number {
  return Math.max(MIN_CAP, Math.ceil(limit * CAP_SHARE));
}

// Capped only now: of a long document, the reranker may have preferred others of its chunks.
function takeBest(chunks: readonly RankedChunk[], limit: number, trace: Map<string, TraceEntry>): RankedChunk[] {
  const { kept, over } = capPerDocument(chunks, capOf(limit));
  for (const chunk of kept) trace.set(chunk.chunkId, traceOf(chunk, 'beyond_limit'));
  for (const chunk of over) trace.set(chunk.chunkId, traceOf(chunk, 'source_cap'));
  const ranked = [...kept, ...over].slice(0, limit).map((chunk, index) => ({ ...chunk, rank: index + 1 }));
  for (const chunk of ranked) trace.set(chunk.chunkId, traceOf(chunk, null));
  return ranked;
}

/** Measures stages; a stage that is timed twice adds up. */
export interface Stopwatch {
  readonly timings: Record<string, number>;
  time<T>(stage: string, run: () => Promise<T>): Promise<T>;
}

/** Milliseconds per stage by an injected clock. */
export function createStopwatch(clock: Clock): Stopwatch {
  const timings: Record<string, number> = {};
  return {
    timings,
    async time(stage, run) {
      const start = clock();
      try {
        return await run();
      } finally {
        timings[stage] = (timings[stage] ?? 0) + clock() - start;
      }
    },
  };
}
