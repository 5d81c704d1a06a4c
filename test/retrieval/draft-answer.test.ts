// What is logged when a model does not answer.
import { expect, test } from 'vitest';
import { draftAnswer } from '../../retrieval/draft-answer.ts';
import { VerbatimError } from '../../retrieval/errors.ts';
import type { AnswerModel, Logger } from '../../retrieval/ports.ts';
import { contextChunk } from '../helpers/context-chunk.ts';

function draftWith(error: Error) {
  const lines: object[] = [];
  const keep = (fields: object) => void lines.push(fields);
  const logger: Logger = { debug: keep, info: keep, warn: keep, error: keep };
  const model: AnswerModel = { id: 'test:down', answer: () => Promise.reject(error) };
  const asked = { question: 'Why?', context: [contextChunk('c1', 'Because.')], termRarity: new Map() };
  return draftAnswer({ model, fallback: null, modelTimeoutMs: 1_000, logger }, asked).then((outcome) => ({
    outcome,
    lines,
  }));
}

test('a model that is down is one short line: its code and what to check, without a stack', async () => {
  const { outcome, lines } = await draftWith(new VerbatimError('provider_unreachable', 'nothing listens there'));
  expect(outcome).toMatchObject({ refusal: 'model_unavailable', degraded: ['model_failed'] });
  expect(lines).toEqual([{ model: 'test:down', code: 'provider_unreachable', reason: 'nothing listens there' }]);
});

test('an error that nobody expects keeps its stack', async () => {
  const error = new TypeError('x is undefined');
  expect((await draftWith(error)).lines).toEqual([{ model: 'test:down', err: error }]);
});
