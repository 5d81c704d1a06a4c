// The product's search and what it is compared with, question by question in turn, so that all meet the same machine.
import type { Audience, VisibleTo } from '../../retrieval/model.ts';
import type { Clock, Database, Embedder } from '../../retrieval/ports.ts';
import { createStopwatch, type Search } from '../../retrieval/search.ts';
import { vectorSearch } from '../../retrieval/vector-search.ts';
import { visibleAcls } from '../../retrieval/visible-acls.ts';
import { mean, percentile } from '../metrics.ts';
import type { SyntheticQuestion } from './synthetic-corpus.ts';

/** Milliseconds. */
export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
}

/** Another search of the same questions, in the same run. */
export interface Comparison extends Percentiles {
  /** p95 of `retrieval` by its p95. */
  readonly ratio: number;
  /** Share of the 50 nearest of its rows by exact search that it gives; it may give fewer than 50. */
  readonly recallAt50: number;
}

/** What was measured with one share of the chunks visible. */
export interface ShareFigures extends Readonly<Record<ComparedName, Comparison | null>> {
  readonly sharePercent: number;
  /** The whole of it: rights, both searches at once, fusion, reading, reranking, checkpoint; no embedding. */
  readonly retrieval: Percentiles;
  readonly stages: Readonly<Record<string, Percentiles>>;
  /** Share of the 50 nearest visible chunks by exact search that the vector search gives among its first 50. */
  readonly recallAt50: number;
}

/**
 * `plain`: `order by embedding <=> q limit 50` on the same rows without any filter. `peer`: LangChain's vector store with a
 * filter on metadata that lets the same rows through. Both as they come, which walks so little of the index that the one gives
 * 40 of 50 rows and the other fewer; `tuned`: with the walk set as the product sets its own, so that they find about as much.
 */
export type ComparedName = 'plain' | 'tunedPlain' | 'peer' | 'tunedPeer';

export const COMPARED: readonly ComparedName[] = ['plain', 'tunedPlain', 'peer', 'tunedPeer'];

export interface MeasuredProduct {
  readonly tenantId: string;
  readonly database: Database;
  readonly search: Search;
  readonly embedder: Embedder;
  readonly clock: Clock;
  /** Ids of the nearest `limit` by exact search: of the visible chunks, or of all. */
  exact(visibleTo: VisibleTo | 'all', vector: readonly number[], limit: number): Promise<readonly string[]>;
  /** null = not asked. */
  readonly compared: Readonly<Record<ComparedName, ComparedSearch | null>>;
}

/** Ids of what it finds. */
export type ComparedSearch = (vector: readonly number[], limit: number) => Promise<readonly string[]>;

const NEIGHBOURS = 50;
const ANSWER_CHUNKS = 10; // as many as the product asks for when it answers
const FETCHED = 50; // and what its vector search fetches for them
/** Questions that are not counted, the first of each share. */
export const WARM_UP = 20;
/** Questions before the first share, as a reader of all. */
export const FIRST_WARM_UP = 300;
const FIRST_WARM_UP_MS = 60_000;

/**
 * Asks `questions`, and everything that is compared, until it goes as it would go for days: code is compiled after some
 * hundred calls, and a server's process is given each page of the shared memory when it first touches it, which took eight
 * times as long as reading its rows. Ends after a minute, where a question takes long by itself.
 */
export async function warmUpSearch(
  product: MeasuredProduct,
  audience: Audience,
  questions: readonly SyntheticQuestion[],
): Promise<void> {
  const end = product.clock() + FIRST_WARM_UP_MS;
  for (const question of questions) {
    if (product.clock() > end) return;
    await askAll(product, audience, question, { reversed: false });
  }
}

/** Asks every question with the rights of `audience`; all but the first `WARM_UP` count. @throws RangeError when none does. */
export async function measureSearch(
  product: MeasuredProduct,
  { sharePercent, audience }: { sharePercent: number; audience: Audience },
  questions: readonly SyntheticQuestion[],
): Promise<ShareFigures> {
  if (questions.length <= WARM_UP)
    throw new RangeError(`${questions.length} questions are none after ${WARM_UP} to warm up`);
  const times = createNotes();
  const asked: (Asked & { readonly vector: SyntheticQuestion['vector'] })[] = [];
  for (const [index, question] of questions.entries()) {
    const answers = await askAll(product, audience, question, { reversed: index % 2 === 1 });
    if (index < WARM_UP) continue;
    for (const [name, ms] of Object.entries(answers.stages)) times.note(name, ms);
    asked.push({ ...answers, vector: question.vector });
  }
  // Afterwards: an exact search reads so much that the processor has forgotten all else when the next question is asked.
  const recalls = createNotes();
  for (const { vector, visibleTo, found } of asked) {
    const exact = await product.exact(visibleTo, vector, NEIGHBOURS);
    recalls.note('product', shareOf(exact, await nearest(product, visibleTo, vector)));
    for (const [name, ids] of found) {
      const wanted = name === 'plain' || name === 'tunedPlain' ? await product.exact('all', vector, NEIGHBOURS) : exact;
      recalls.note(name, shareOf(wanted, ids));
    }
  }
  return figuresOf(sharePercent, times, recalls);
}

interface Asked {
  readonly stages: Readonly<Record<string, number>>;
  readonly visibleTo: VisibleTo;
  readonly found: ReadonlyMap<ComparedName, readonly string[]>;
}

// Who comes later finds more of the same pages in the processor's cache: each second question is asked in the opposite order.
async function askAll(
  { tenantId, database, clock, search, compared }: MeasuredProduct,
  audience: Audience,
  { text, vector }: SyntheticQuestion,
  { reversed }: { reversed: boolean },
): Promise<Asked> {
  const stopwatch = createStopwatch(clock);
  const found = new Map<ComparedName, readonly string[]>();
  const askOthers = async () => {
    for (const name of reversed ? COMPARED.toReversed() : COMPARED) {
      const other = compared[name];
      if (other) found.set(name, await stopwatch.time(name, () => other(vector, NEIGHBOURS)));
    }
  };
  const askProduct = () =>
    stopwatch.time('retrieval', async () => {
      const visibleTo = await stopwatch.time('permissions', () =>
        database.transaction((query) => visibleAcls(query, tenantId, audience), { readOnly: true, oneStatement: true }),
      );
      return { visibleTo, ...(await search({ question: text, visibleTo, audience, limit: ANSWER_CHUNKS })) };
    });
  if (reversed) await askOthers();
  const { visibleTo, timingsMs } = await askProduct();
  if (!reversed) await askOthers();
  const { embed: _given, ...stages } = timingsMs;
  return { stages: { ...stages, ...stopwatch.timings }, visibleTo, found };
}

interface Notes {
  note(name: string, value: number): void;
  of(name: string): readonly number[];
  names(): string[];
}

function createNotes(): Notes {
  const noted = new Map<string, number[]>();
  return {
    note: (name, value) => noted.set(name, [...(noted.get(name) ?? []), value]),
    of: (name) => noted.get(name) ?? [],
    names: () => [...noted.keys()],
  };
}

function figuresOf(sharePercent: number, times: Notes, recalls: Notes): ShareFigures {
  const retrieval = percentiles(times.of('retrieval'));
  const comparison = (name: ComparedName): Comparison | null => {
    if (times.of(name).length === 0) return null;
    const measured = percentiles(times.of(name));
    return { ...measured, ratio: retrieval.p95 / measured.p95, recallAt50: mean(recalls.of(name)) ?? 0 };
  };
  const stages = times.names().filter((name) => name !== 'retrieval' && !COMPARED.some((each) => each === name));
  return {
    sharePercent,
    retrieval,
    stages: Object.fromEntries(stages.map((name) => [name, percentiles(times.of(name))])),
    recallAt50: mean(recalls.of('product')) ?? 0,
    plain: comparison('plain'),
    tunedPlain: comparison('tunedPlain'),
    peer: comparison('peer'),
    tunedPeer: comparison('tunedPeer'),
  };
}

async function nearest(product: MeasuredProduct, visibleTo: VisibleTo, vector: readonly number[]): Promise<string[]> {
  const { database, embedder } = product;
  const found = await vectorSearch(database, visibleTo, { embedder, vector }, { limit: FETCHED, timeoutMs: 60_000 });
  return (found ?? []).slice(0, NEIGHBOURS).map((hit) => hit.chunkId);
}

function shareOf(exact: readonly string[], found: readonly string[]): number {
  const given = new Set(found);
  return exact.length === 0 ? 1 : exact.filter((chunkId) => given.has(chunkId)).length / exact.length;
}

function percentiles(values: readonly number[]): Percentiles {
  return { p50: percentile(values, 0.5) ?? 0, p95: percentile(values, 0.95) ?? 0 };
}
