import type { CheckQuotes, QuoteState } from '../../adapters/web/ports.ts';
import { type CheckpointDrop, checkpoint } from '../../retrieval/checkpoint.ts';
import type { Database } from '../../retrieval/ports.ts';

const STATES: Readonly<Record<CheckpointDrop, QuoteState>> = {
  permission: 'withheld',
  state: 'withheld',
  stale_source: 'withheld',
  version: 'changed',
  not_in_effect: 'superseded',
};

/** Asks the checkpoint about quotes of earlier answers. One statement, however many quotes. */
export function createQuoteCheck({ database }: { readonly database: Database }): CheckQuotes {
  return async (tenantId, audience, citations) => {
    const { dropped } = await checkpoint(database, tenantId, audience, citations);
    const reasons = new Map(dropped.map(({ item, reason }) => [item, reason]));
    return citations.map((citation) => {
      const reason = reasons.get(citation);
      return reason ? STATES[reason] : 'current';
    });
  };
}
