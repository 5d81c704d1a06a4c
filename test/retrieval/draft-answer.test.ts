// What is made of what a model says, and of its failures: what is logged, and what it all cost.
import { describe, expect, it, test } from 'vitest';
import { draftAnswer } from '../../retrieval/draft-answer.ts';
import { ModelError, VerbatimError } from '../../retrieval/errors.ts';
import type { AnswerModel, Logger, ModelAnswer } from '../../retrieval/ports.ts';
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

const QUOTE = 'Employees have 27 days of leave a year.';
const asked = { question: 'How many?', context: [contextChunk('c1', QUOTE)], termRarity: new Map() };
const usage = { inputTokens: 1_000, outputTokens: 100, costUsd: 0.003 };
const says = (chunkId: string, quote: string): ModelAnswer => ({
  sufficient: true,
  answer: quote,
  citations: [{ chunkId, quote }],
  usage,
});
const GOOD = says('c1', QUOTE);
const INVENTED = says('c1', 'Employees have 90 days.');
const MISPLACED = says('c9', QUOTE);

/** Gives the steps one after the other, the last one again and again, and keeps what it was asked. */
function modelOf(...steps: readonly (ModelAnswer | Error | 'silence')[]) {
  const rejected: (readonly string[])[] = [];
  const model: AnswerModel = {
    id: 'test:steps',
    answer({ rejectedQuotes }) {
      const step = steps[Math.min(rejected.push(rejectedQuotes), steps.length) - 1];
      if (step === 'silence') return new Promise(() => {});
      return step instanceof Error ? Promise.reject(step) : Promise.resolve(step as ModelAnswer);
    },
  };
  return { model, rejected };
}

const fallback: AnswerModel = { id: 'fallback', answer: async () => ({ ...GOOD, usage: { ...usage, costUsd: 0 } }) };

test('a cost that is not known makes the sum unknown', async () => {
  const uncounted = { ...INVENTED, usage: { inputTokens: 0, outputTokens: 0, costUsd: null } };
  const outcome = await draftAnswer({ model: modelOf(uncounted, GOOD).model, fallback, modelTimeoutMs: 100 }, asked);
  expect(outcome).toMatchObject({ refusal: null, costUsd: null, tokens: { calls: 2, input: 1_000 } });
});

describe('what failed is counted like what did not', () => {
  const down = new ModelError('down', 'nothing came');
  const garbage = new ModelError('malformed', 'no answer', usage);
  it.each<[string, readonly (ModelAnswer | Error | 'silence')[], number, number | null]>([
    ['a model that is down', [down], 2, 0],
    ['an answer that cannot be read', [garbage], 2, 0.003],
    ['an invented quote, then a model that is down', [INVENTED, down], 3, 0.003],
    ['an invented quote, then an answer that cannot be read', [INVENTED, garbage], 3, 0.006],
    ['an invented quote, then silence, whose cost nobody knows', [INVENTED, 'silence'], 3, null],
  ])('%s', async (_, steps, calls, costUsd) => {
    const { model } = modelOf(...steps);
    const outcome = await draftAnswer({ model, fallback, modelTimeoutMs: 100 }, asked);
    expect(outcome).toMatchObject({ refusal: null, model: 'fallback', degraded: ['model_failed'] });
    expect(outcome.tokens.calls).toBe(calls);
    expect(outcome.costUsd).toEqual(costUsd && expect.closeTo(costUsd, 12));
    const refused = await draftAnswer({ model: modelOf(...steps).model, fallback: null, modelTimeoutMs: 100 }, asked);
    expect(refused).toMatchObject({ refusal: 'model_unavailable', text: '', citations: [], model: '' });
    expect(refused.costUsd).toEqual(costUsd && expect.closeTo(costUsd, 12));
  });
});

describe('quotes that do not hold', () => {
  it.each([
    ['are invented', INVENTED, 'Employees have 90 days.', 0],
    ['are true, but of a chunk that was not given', MISPLACED, QUOTE, 2],
  ])('and %s are named once, and then there is no answer', async (_, said, quote, unknownCitations) => {
    const { model, rejected } = modelOf(said);
    const outcome = await draftAnswer({ model, fallback, modelTimeoutMs: 1_000 }, asked);
    expect(outcome).toMatchObject({ refusal: 'no_evidence', degraded: ['quotes_rejected'], unknownCitations });
    expect(rejected).toEqual([[], [quote]]);
  });

  it('may be mended', async () => {
    const { model } = modelOf(MISPLACED, GOOD);
    const outcome = await draftAnswer({ model, fallback, modelTimeoutMs: 1_000 }, asked);
    expect(outcome).toMatchObject({ refusal: null, citations: [{ quote: QUOTE }], degraded: [] });
  });

  it('are none where nothing was quoted: it is not asked again, and not said to be a wrong quote', async () => {
    const { model, rejected } = modelOf({ ...GOOD, citations: [] });
    const outcome = await draftAnswer({ model, fallback, modelTimeoutMs: 1_000 }, asked);
    expect(outcome).toMatchObject({ refusal: 'no_evidence', degraded: ['not_quoted'] });
    expect(rejected).toEqual([[]]);
  });
});

describe('true quotes that have nothing to do with the question', () => {
  const PARKING = 'Cars are parked in the yard behind the mill.';
  const context = [contextChunk('c1', QUOTE), contextChunk('c2', PARKING)];
  const draft = (question: string) =>
    draftAnswer(
      { model: modelOf(says('c2', PARKING)).model, fallback, modelTimeoutMs: 1_000 },
      { question, context, termRarity: new Map() },
    );

  it('are no answer where the context says what is asked', async () => {
    expect(await draft('How many days of leave do I have?')).toMatchObject({
      refusal: 'no_evidence',
      text: '',
      citations: [],
      degraded: ['quotes_unrelated'],
    });
  });

  it.each([
    ['the quote shares a word with it', 'Where do I leave my car?'],
    ['it is asked in words that the context has nowhere', 'Wo stelle ich mein Fahrzeug ab?'],
  ])('cannot be told where %s', async (_, question) => {
    expect(await draft(question)).toMatchObject({ refusal: null, citations: [{ quote: PARKING }], degraded: [] });
  });
});
