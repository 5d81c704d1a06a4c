import { expect, test } from 'vitest';
import type { Answer } from '../../retrieval/model.ts';
import type { Database } from '../../retrieval/ports.ts';
import { createMetrics } from '../../src/service/metrics.ts';
import { createTestLogger } from '../helpers/test-logger.ts';

function metricsWith(answer: Partial<Answer>) {
  const { logger, lines } = createTestLogger();
  const metrics = createMetrics({
    database: {} as Database,
    queue: { counts: async () => ({}) },
    admission: { running: () => 0, waiting: () => 0 },
    logger,
  });
  const given = { answerId: 'a1', status: 'answered', refusal: null, timingsMs: {}, degraded: [], ...answer } as Answer;
  return { given, metrics, lines, ask: metrics.counted(async () => given) };
}

const QUESTION = { tenantId: 't', asker: 'ann', audience: [], text: 'Why?' };

test('an answer whose cost is not known adds none', async () => {
  const { ask, metrics, lines } = metricsWith({ costUsd: null });
  await ask(QUESTION);
  expect(lines()).toEqual([]);
  expect(await metrics.read()).toContain('verbatim_answer_cost_usd_total 0');
});

test.each([-0.001, Number.POSITIVE_INFINITY])('an answer that cost %d is still given', async (costUsd) => {
  const { ask, given, metrics, lines } = metricsWith({ costUsd });
  expect(await ask(QUESTION)).toBe(given);
  expect(lines()).toMatchObject([{ answerId: 'a1', message: 'an answer could not be counted' }]);
  expect(await metrics.read()).toContain('verbatim_answers_total{status="answered",refusal=""} 1');
});
