import { expect, it } from 'vitest';
import { degradedText } from '../../adapters/wording.ts';
import type { Degradation } from '../../retrieval/model.ts';

// The compiler holds the list complete.
const ALL: Readonly<Record<Degradation, true>> = {
  lexical_search_timeout: true,
  lexical_search_failed: true,
  vector_search_timeout: true,
  vector_search_failed: true,
  vector_search_unavailable: true,
  rerank_failed: true,
  rerank_fallback: true,
  rewrite_failed: true,
  model_failed: true,
  quotes_rejected: true,
  quotes_unrelated: true,
  not_quoted: true,
};

it.each(Object.keys(ALL) as Degradation[])('says %s in words, of an answer and of a refusal', (part) => {
  for (const refusal of [null, 'no_evidence'] as const) {
    const note = degradedText([part], refusal);
    expect(note).toMatch(/^Note: [a-z].+\. The/);
    expect(note).not.toMatch(/_|undefined/);
  }
});
