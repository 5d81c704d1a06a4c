import type { FusionWeights } from '../../retrieval/fusion.ts';

// Weights belong to the embedder. Universal Sentence Encoder lite alone reaches an nDCG@10 of 0.46 on product-docs where
// BM25 has 0.80. nDCG@10 by its weight, product-docs / clapnq: 0 0.798 / 0.960, 0.1 0.799 / 0.961, 0.2 0.812 / 0.966,
// 0.3 0.812 / 0.967, 0.5 0.817 / 0.964; with vectors for 40 % of the chunks 0.2 gives 0.801 / 0.939, 0.5 0.765 / 0.881.
const WEIGHTS: Readonly<Record<string, FusionWeights>> = {
  builtin: { lexical: 1, vector: 0.2 },
};

// A model with published retrieval figures at BM25's level or above starts from equal weights (Cormack et al., 2009).
const DEFAULT_WEIGHTS: FusionWeights = { lexical: 1, vector: 1 };

/** The weights for an embedder's id, such as `builtin:use-lite@1`. */
export function fusionWeights(embedderId: string): FusionWeights {
  return WEIGHTS[embedderId.split(':')[0] ?? ''] ?? DEFAULT_WEIGHTS;
}
