import type { Hit } from './lexical-search.ts';
import type { Contributions } from './model.ts';

/** How much each search counts. Set by evaluation for each embedder, not by taste. */
export interface FusionWeights {
  readonly lexical: number;
  readonly vector: number;
}

/** A chunk with the sum of what both searches gave it. */
export interface FusedHit {
  readonly chunkId: string;
  readonly documentId: string;
  readonly score: number;
  readonly contributions: Contributions;
}

const RRF_K = 60; // Cormack, Clarke and Büttcher, SIGIR 2009

/**
 * Weighted reciprocal rank fusion: a chunk at rank r of a search gets weight / (60 + r) from it. The contributions sum to
 * the score exactly. Best first; ties by chunk id.
 */
export function fuse(lexical: readonly Hit[], vector: readonly Hit[], weights: FusionWeights): FusedHit[] {
  const fused = new Map<string, { documentId: string; lexical: number; vector: number }>();
  const add = (hits: readonly Hit[], signal: 'lexical' | 'vector') => {
    hits.forEach((hit, index) => {
      const entry = fused.get(hit.chunkId) ?? { documentId: hit.documentId, lexical: 0, vector: 0 };
      entry[signal] = weights[signal] / (RRF_K + index + 1);
      fused.set(hit.chunkId, entry);
    });
  };
  add(lexical, 'lexical');
  add(vector, 'vector');
  return [...fused]
    .map(([chunkId, { documentId, ...contributions }]) => ({
      chunkId,
      documentId,
      score: contributions.lexical + contributions.vector,
      contributions,
    }))
    .sort((a, b) => b.score - a.score || (a.chunkId < b.chunkId ? -1 : 1));
}
