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
  /** p95 of `vectorSearch` by its p95: one search of vectors beside another. */
  readonly vectorRatio: number;
  /** Share of the 50 nearest of its rows by exact search that it gives; it may give fewer than 50. */
  readonly recallAt50: number;
}

/** What was measured with one share of the chunks visible. */
export interface ShareFigures extends Readonly<Record<ComparedName, Comparison | null>> {
  readonly sharePercent: number;
  /** The whole of it: rights, both searches at once, fusion, reading, reranking, checkpoint; no embedding. */
  readonly retrieval: Percentiles;
  readonly stages: Readonly<Record<string, Percentiles>>;
  /** The vector search alone, under the reader's rights, with nothing beside it. */
  readonly vectorSearch: Percentiles;
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

const NEIGHBOURS = 50; // what the product's vector search fetches for an answer, too
const ANSWER_CHUNKS = 10; // as many as the product asks for when it answers
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
  const visibleTo = await readRights(product, audience);
  for (const question of questions) {
    if (product.clock() > end) return;
    await askAll(product, { audience, visibleTo }, question, { reversed: false });
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
  const visibleTo = await readRights(product, audience);
  const times = createNotes();
  const asked: (Asked & { readonly vector: SyntheticQuestion['vector'] })[] = [];
  for (const [index, question] of questions.entries()) {
    const answers = await askAll(product, { audience, visibleTo }, question, { reversed: index % 2 === 1 });
    if (index < WARM_UP) continue;
    for (const [name, ms] of Object.entries(answers.stages)) times.note(name, ms);
    asked.push({ ...answers, vector: question.vector });
  }
  // Afterwards: an exact search reads so much that the processor has forgotten all else when the next question is asked.
  const recalls = createNotes();
  for (const { vector, found } of asked) {
    const exact = await product.exact(visibleTo, vector, NEIGHBOURS);
    for (const [name, ids] of found) {
      const wanted = name === 'plain' || name === 'tunedPlain' ? await product.exact('all', vector, NEIGHBOURS) : exact;
      recalls.note(name, shareOf(wanted, ids));
    }
  }
  return figuresOf(sharePercent, times, recalls);
}

interface Asked {
  readonly stages: Readonly<Record<string, number>>;
  readonly found: ReadonlyMap<SearchName, readonly string[]>;
}

interface Reader {
  readonly audience: Audience;
  readonly visibleTo: VisibleTo;
}

type SearchName = ComparedName | 'vectorSearch';

// Who comes later finds more of the same pages in the processor's cache: each second question is asked in the opposite order.
async function askAll(
  product: MeasuredProduct,
  { audience, visibleTo }: Reader,
  { text, vector }: SyntheticQuestion,
  { reversed }: { reversed: boolean },
): Promise<Asked> {
  const { clock, search, compared } = product;
  const stopwatch = createStopwatch(clock);
  const found = new Map<SearchName, readonly string[]>();
  const others: (readonly [SearchName, ComparedSearch | null])[] = [
    ['vectorSearch', (wanted) => nearest(product, visibleTo, wanted)],
    ...COMPARED.map((name) => [name, compared[name]] as const),
  ];
  const askOthers = async () => {
    for (const [name, other] of reversed ? others.toReversed() : others) {
      if (other) found.set(name, await stopwatch.time(name, () => other(vector, NEIGHBOURS)));
    }
  };
  const askProduct = () =>
    stopwatch.time('retrieval', async () => {
      const visibleNow = await stopwatch.time('permissions', () => readRights(product, audience));
      return search({ question: text, visibleTo: visibleNow, audience, limit: ANSWER_CHUNKS });
    });
  if (reversed) await askOthers();
  const { timingsMs } = await askProduct();
  if (!reversed) await askOthers();
  const { embed: _given, ...stages } = timingsMs;
  return { stages: { ...stages, ...stopwatch.timings }, found };
}

function readRights({ database, tenantId }: MeasuredProduct, audience: Audience): Promise<VisibleTo> {
  return database.transaction((query) => visibleAcls(query, tenantId, audience), {
    readOnly: true,
    oneStatement: true,
  });
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
  const vectorSearch = percentiles(times.of('vectorSearch'));
  const comparison = (name: ComparedName): Comparison | null => {
    if (times.of(name).length === 0) return null;
    const measured = percentiles(times.of(name));
    return {
      ...measured,
      ratio: retrieval.p95 / measured.p95,
      vectorRatio: vectorSearch.p95 / measured.p95,
      recallAt50: mean(recalls.of(name)) ?? 0,
    };
  };
  const searches = ['retrieval', 'vectorSearch', ...COMPARED];
  const stages = times.names().filter((name) => !searches.includes(name));
  return {
    sharePercent,
    retrieval,
    stages: Object.fromEntries(stages.map((name) => [name, percentiles(times.of(name))])),
    vectorSearch,
    recallAt50: mean(recalls.of('vectorSearch')) ?? 0,
    plain: comparison('plain'),
    tunedPlain: comparison('tunedPlain'),
    peer: comparison('peer'),
    tunedPeer: comparison('tunedPeer'),
  };
}

async function nearest(product: MeasuredProduct, visibleTo: VisibleTo, vector: readonly number[]): Promise<string[]> {
  const { database, embedder } = product;
  const found = await vectorSearch(database, visibleTo, { embedder, vector }, { limit: NEIGHBOURS, timeoutMs: 60_000 });
  return (found ?? []).map((hit) => hit.chunkId);
}

function shareOf(exact: readonly string[], found: readonly string[]): number {
  const given = new Set(found);
  return exact.length === 0 ? 1 : exact.filter((chunkId) => given.has(chunkId)).length / exact.length;
}

function percentiles(values: readonly number[]): Percentiles {
  return { p50: percentile(values, 0.5) ?? 0, p95: percentile(values, 0.95) ?? 0 };
}
