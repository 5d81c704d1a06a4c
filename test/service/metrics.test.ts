import { expect, test } from 'vitest';
import type { Answer } from '../../retrieval/model.ts';
import type { Database } from '../../retrieval/ports.ts';
import { createMetrics } from '../../src/service/metrics.ts';
import { createTestLogger } from '../helpers/test-logger.ts';

test.each([-0.001, Number.POSITIVE_INFINITY])('an answer that cost %d is still given', async (costUsd) => {
  const { logger, lines } = createTestLogger();
  const nothing = { running: () => 0, waiting: () => 0 };
  const metrics = createMetrics({
    database: {} as Database,
    queue: { counts: async () => ({}) },
    admission: nothing,
    logger,
  });
  const answer = { answerId: 'a1', status: 'answered', refusal: null, timingsMs: {}, degraded: [], costUsd } as unknown;
  const ask = metrics.counted(async () => answer as Answer);
  expect(await ask({ tenantId: 't', asker: 'ann', audience: [], text: 'Why?' })).toBe(answer);
  expect(lines()).toMatchObject([{ answerId: 'a1', message: 'an answer could not be counted' }]);
  expect(await metrics.read()).toContain('verbatim_answers_total{status="answered",refusal=""} 1');
});
