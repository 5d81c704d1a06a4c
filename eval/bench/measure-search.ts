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

/** What was measured with one share of the chunks visible. */
export interface ShareFigures {
  readonly sharePercent: number;
  /** The whole of it: rights, both searches at once, fusion, reading, reranking, checkpoint; no embedding. */
  readonly retrieval: Percentiles;
  readonly stages: Readonly<Record<string, Percentiles>>;
  /** Share of the 50 nearest visible chunks by exact search that the vector search gives among its first 50. */
  readonly recallAt50: number;
  /** `order by embedding <=> q limit 50` on the same rows without any filter. */
  readonly plain: Percentiles;
  /** p95 of `retrieval` by that of the plain query. */
  readonly plainRatio: number;
  /** The peer with a filter on metadata that lets the same rows through; null = not asked. */
  readonly peer: Percentiles | null;
  /** p95 of `retrieval` by that of the peer; null = not asked. */
  readonly peerRatio: number | null;
  /** The same share of what the peer gives: its index is filtered after the walk, so it may give fewer than 50; null = not asked. */
  readonly peerRecallAt50: number | null;
  /** The peer with the walk of its index set as the product sets its own, so that it finds about as much; null = not asked. */
  readonly tunedPeer: Percentiles | null;
  readonly tunedPeerRecallAt50: number | null;
}

export interface MeasuredProduct {
  readonly tenantId: string;
  readonly database: Database;
  readonly search: Search;
  readonly embedder: Embedder;
  readonly clock: Clock;
  /** Ids of the nearest `limit` of the visible chunks by exact search. */
  exact(visibleTo: VisibleTo, vector: readonly number[], limit: number): Promise<string[]>;
  plain(vector: readonly number[], limit: number): Promise<unknown>;
  readonly peer: PeerSearch | null;
  readonly tunedPeer: PeerSearch | null;
}

/** Ids of what a peer finds. */
export type PeerSearch = (vector: readonly number[], limit: number) => Promise<readonly string[]>;

const NEIGHBOURS = 50;
const ANSWER_CHUNKS = 10; // as many as the product asks for when it answers
const FETCHED = 50; // and what its vector search fetches for them
/** Questions that are not counted, the first of each share: plans, pages and code are read for the first time. */
export const WARM_UP = 5;

/** Asks every question with the rights of `audience`; all but the first `WARM_UP` count. @throws RangeError when none does. */
export async function measureSearch(
  product: MeasuredProduct,
  { sharePercent, audience }: { sharePercent: number; audience: Audience },
  questions: readonly SyntheticQuestion[],
): Promise<ShareFigures> {
  const { tenantId, database, clock } = product;
  if (questions.length <= WARM_UP)
    throw new RangeError(`${questions.length} questions are none after ${WARM_UP} to warm up`);
  const times = new Map<string, number[]>();
  const note = (name: string, ms: number) => times.set(name, [...(times.get(name) ?? []), ms]);
  const recalls: Record<'product' | 'peer' | 'tunedPeer', number[]> = { product: [], peer: [], tunedPeer: [] };
  for (const [index, { text, vector }] of questions.entries()) {
    const counted = index >= WARM_UP;
    const stopwatch = createStopwatch(clock);
    const start = clock();
    const visibleTo = await stopwatch.time('permissions', () =>
      database.transaction((query) => visibleAcls(query, tenantId, audience), { readOnly: true }),
    );
    const found = await product.search({ question: text, visibleTo, audience, limit: ANSWER_CHUNKS });
    const total = clock() - start;
    await stopwatch.time('plain', () => product.plain(vector, NEIGHBOURS));
    const { peer, tunedPeer } = product;
    const byPeer = peer && (await stopwatch.time('peer', () => peer(vector, NEIGHBOURS)));
    const byTunedPeer = tunedPeer && (await stopwatch.time('tunedPeer', () => tunedPeer(vector, NEIGHBOURS)));
    if (!counted) continue;
    note('retrieval', total);
    for (const [name, ms] of Object.entries({ ...found.timingsMs, ...stopwatch.timings })) note(name, ms);
    const exact = await product.exact(visibleTo, vector, NEIGHBOURS);
    recalls.product.push(shareOf(exact, await nearest(product, visibleTo, vector)));
    if (byPeer) recalls.peer.push(shareOf(exact, byPeer));
    if (byTunedPeer) recalls.tunedPeer.push(shareOf(exact, byTunedPeer));
  }
  const measured = (name: string) => percentiles(times.get(name) ?? []);
  const [retrieval, plain] = [measured('retrieval'), measured('plain')];
  const peer = product.peer && measured('peer');
  return {
    sharePercent,
    retrieval,
    stages: Object.fromEntries(
      [...times].filter(([name]) => !NO_STAGES.includes(name)).map(([name, values]) => [name, percentiles(values)]),
    ),
    recallAt50: mean(recalls.product) ?? 0,
    plain,
    plainRatio: retrieval.p95 / plain.p95,
    peer,
    peerRatio: peer && retrieval.p95 / peer.p95,
    peerRecallAt50: mean(recalls.peer),
    tunedPeer: product.tunedPeer && measured('tunedPeer'),
    tunedPeerRecallAt50: mean(recalls.tunedPeer),
  };
}

// Times beside those of the stages of a search; vectors are given, so `embed` is of nothing.
const NO_STAGES = ['retrieval', 'plain', 'peer', 'tunedPeer', 'embed'];

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
