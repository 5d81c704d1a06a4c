import { expect, test } from 'vitest';
import { refusalCurve } from '../../eval/refusal-curve.ts';

const positive = (score: number) => ({ score, positive: true });
const negative = (score: number) => ({ score, positive: false });

test('shares of both kinds that reach each threshold', () => {
  const curve = refusalCurve([
    positive(0.9),
    positive(0.5),
    positive(0.45),
    positive(0.1),
    negative(0.5),
    negative(0.2),
  ]);
  const at = (threshold: number) => curve?.find((point) => Math.abs(point.threshold - threshold) < 1e-9);
  expect(curve).toHaveLength(19);
  expect(at(0.05)).toEqual({ threshold: 0.05, answered: 1, falseAnswers: 1 });
  expect(at(0.5)).toEqual({ threshold: 0.5, answered: 0.5, falseAnswers: 0.5 });
  expect(at(0.55)).toEqual({ threshold: 0.55, answered: 0.25, falseAnswers: 0 });
  expect(at(0.95)).toEqual({ threshold: 0.95, answered: 0, falseAnswers: 0 });
});

test.each([
  ['answerable', [negative(0.5)]],
  ['unanswerable', [positive(0.5)]],
])('there is none without %s questions', (_, scored) => {
  expect(refusalCurve(scored)).toBeNull();
});
