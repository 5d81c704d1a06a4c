// The figures of ranking and of decisions. Definitions are those of trec_eval where it has one.

/** What judges found relevant for a question: document id → grade, above 0. */
export type Judgements = ReadonlyMap<string, number>;

/** Share of the relevant documents that are among the first `k`, 0…1. */
export function recallAtK(ranking: readonly string[], relevant: Judgements, k: number): number {
  return hits(ranking, relevant, k) / relevant.size;
}

/** Share of the first `k` places that hold a relevant document, 0…1. Places that stay empty count as misses. */
export function precisionAtK(ranking: readonly string[], relevant: Judgements, k: number): number {
  return hits(ranking, relevant, k) / k;
}

/** 1 / the place of the first relevant document, 0 when there is none among the first `k`. */
export function mrrAtK(ranking: readonly string[], relevant: Judgements, k: number): number {
  const index = ranking.slice(0, k).findIndex((id) => relevant.has(id));
  return index < 0 ? 0 : 1 / (index + 1);
}

/**
 * Normalised discounted cumulative gain over the first `k`, 0…1, as trec_eval's `ndcg_cut`: the gain is the grade itself
 * (not 2^grade - 1), the discount log2(place + 1), the ideal is made of all judged documents.
 */
export function ndcgAtK(ranking: readonly string[], relevant: Judgements, k: number): number {
  const gains = ranking.slice(0, k).map((id) => relevant.get(id) ?? 0);
  const ideal = [...relevant.values()].sort((a, b) => b - a).slice(0, k);
  return discounted(gains) / discounted(ideal);
}

function hits(ranking: readonly string[], relevant: Judgements, k: number): number {
  return ranking.slice(0, k).filter((id) => relevant.has(id)).length;
}

function discounted(gains: readonly number[]): number {
  return gains.reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0);
}

/**
 * Chance that a positive has a higher score than a negative, equal scores counting half (the area under the ROC curve by
 * the rank sum of Mann and Whitney). Null when either kind is missing.
 */
export function auroc(scored: readonly { readonly score: number; readonly positive: boolean }[]): number | null {
  const sorted = [...scored].sort((a, b) => a.score - b.score);
  const positives = sorted.filter(({ positive }) => positive).length;
  const negatives = sorted.length - positives;
  if (positives === 0 || negatives === 0) return null;
  let rankSum = 0;
  for (let start = 0; start < sorted.length; ) {
    let end = start;
    while (end < sorted.length && sorted[end]?.score === sorted[start]?.score) end += 1;
    const rank = (start + 1 + end) / 2; // what is equal shares the mean of its ranks
    rankSum += rank * sorted.slice(start, end).filter(({ positive }) => positive).length;
    start = end;
  }
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * negatives);
}

/** The smallest value that at least `share` (0…1) of the values do not exceed (nearest rank). Null without values. */
export function percentile(values: readonly number[], share: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}

/** Arithmetic mean, null without values. */
export function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
