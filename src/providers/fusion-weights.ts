import type { FusionWeights } from '../../retrieval/fusion.ts';
import type { Route } from '../../retrieval/route-question.ts';

interface Blend {
  readonly usual: FusionWeights;
  readonly byRoute?: Partial<Record<Route, FusionWeights>>;
}

// Weights belong to the embedder. Universal Sentence Encoder lite alone reaches an nDCG@10 of 0.46 on product-docs where
// BM25 has 0.80. nDCG@10 by its weight, product-docs / clapnq: 0 0.798 / 0.960, 0.1 0.799 / 0.961, 0.2 0.812 / 0.966,
// 0.3 0.812 / 0.967, 0.5 0.817 / 0.964; with vectors for 40 % of the chunks 0.2 gives 0.801 / 0.939, 0.5 0.765 / 0.881.
// By kind of question, 0.1 / 0.2 / 0.4 / 0.7: analytical (23 and 20 questions) product-docs 0.843 / 0.865 / 0.877 / 0.877,
// clapnq 0.951 / 0.953 / 0.957 / 0.975; factual (52 and 130) 0.812 / 0.826 / 0.822 / 0.804 and 0.959 / 0.965 / 0.960 / 0.962.
// Operational (26 in all) and compliance (2) are too few to tell, so they have the usual blend.
const BLENDS: Readonly<Record<string, Blend>> = {
  builtin: { usual: { lexical: 1, vector: 0.2 }, byRoute: { analytical: { lexical: 1, vector: 0.4 } } },
};

// A model with published retrieval figures at BM25's level or above starts from equal weights (Cormack et al., 2009).
const DEFAULT_BLEND: Blend = { usual: { lexical: 1, vector: 1 } };

/** The weights for an embedder's id, such as `builtin:use-lite@1`, and a kind of question. */
export function fusionWeights(embedderId: string, route: Route = 'factual'): FusionWeights {
  const { usual, byRoute } = BLENDS[embedderId.split(':')[0] ?? ''] ?? DEFAULT_BLEND;
  return byRoute?.[route] ?? usual;
}
