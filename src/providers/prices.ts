// What an answer cost. Prices come from the configuration alone: list prices change without notice, and a table of ours
// would be wrong in a way that nobody sees.
import type { Logger } from '../../retrieval/ports.ts';

/** Prices of a model in US dollars for a million tokens. */
export interface ModelPrice {
  readonly inputUsdPerMillion: number;
  readonly outputUsdPerMillion: number;
}

/** Prices by the model's id, such as `openai:gpt-5-mini`. */
export type Prices = Readonly<Record<string, ModelPrice>>;

/** The cost of a call in US dollars; null where there is a price and no count of the tokens. */
export type CostOf = (usage: {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}) => number | null;

/** Computes costs of one model; one without a price costs 0, which is said in the log once. */
export function createCostOf(modelId: string, prices: Prices, logger: Pick<Logger, 'warn'>): CostOf {
  const price = prices[modelId];
  let said = false;
  return ({ inputTokens, outputTokens }) => {
    if (price) {
      if (inputTokens === null || outputTokens === null) return null;
      return (inputTokens * price.inputUsdPerMillion + outputTokens * price.outputUsdPerMillion) / 1_000_000;
    }
    if (!said)
      logger.warn({ model: modelId }, 'no price is set for the model in VERBATIM_PRICES; its cost counts as 0');
    said = true;
    return 0;
  };
}
