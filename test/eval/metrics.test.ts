// Against values worked out by hand.
import { expect, test } from 'vitest';
import { auroc, mean, mrrAtK, ndcgAtK, percentile, precisionAtK, recallAtK } from '../../eval/metrics.ts';

const judged = (grades: Record<string, number>) => new Map(Object.entries(grades));

test.each([
  { name: 'all relevant found', ranking: ['a', 'b', 'x'], k: 3, expected: 1 },
  { name: 'one of two found', ranking: ['x', 'a', 'y'], k: 3, expected: 0.5 },
  { name: 'what comes after k does not count', ranking: ['x', 'y', 'a', 'b'], k: 3, expected: 0.5 },
  { name: 'an empty ranking finds nothing', ranking: [], k: 5, expected: 0 },
])('recall: $name', ({ ranking, k, expected }) => {
  expect(recallAtK(ranking, judged({ a: 1, b: 1 }), k)).toBe(expected);
});

test('precision divides by k even when fewer are given', () => {
  expect(precisionAtK(['a', 'x', 'b'], judged({ a: 1, b: 1 }), 10)).toBe(0.2);
});

test.each([
  { name: 'first place', ranking: ['a', 'x'], expected: 1 },
  { name: 'third place', ranking: ['x', 'y', 'a', 'b'], expected: 1 / 3 },
  { name: 'beyond k', ranking: ['x', 'y', 'z', 'w', 'a'], expected: 0 },
])('MRR: $name', ({ ranking, expected }) => {
  expect(mrrAtK(ranking, judged({ a: 1, b: 1 }), 4)).toBe(expected);
});

test.each([
  { name: 'the ideal order is 1', ranking: ['a', 'b', 'c'], grades: { a: 3, b: 2, c: 1 }, k: 3, expected: 1 },
  // Found: 0 + 1/log2(3) = 0.6309; ideal: 1.
  { name: 'second place', ranking: ['x', 'a'], grades: { a: 1 }, k: 10, expected: 0.63093 },
  // Gain is the grade: 1 + 2/log2(3) + 3/log2(4) = 3.76186; ideal: 3 + 2/log2(3) + 1/2 = 4.76186.
  { name: 'reversed grades', ranking: ['c', 'b', 'a'], grades: { a: 3, b: 2, c: 1 }, k: 3, expected: 0.79 },
  // The ideal is cut at k as well: found 1, ideal 1 + 1/log2(3) = 1.63093.
  { name: 'more relevant than k', ranking: ['a', 'x'], grades: { a: 1, b: 1, c: 1 }, k: 2, expected: 0.61315 },
])('nDCG: $name', ({ ranking, grades, k, expected }) => {
  expect(ndcgAtK(ranking, judged(grades as unknown as Record<string, number>), k)).toBeCloseTo(expected, 4);
});

const scored = (positives: number[], negatives: number[]) => [
  ...positives.map((score) => ({ score, positive: true })),
  ...negatives.map((score) => ({ score, positive: false })),
];

test.each([
  { name: 'separated', positives: [0.8, 0.9], negatives: [0.1, 0.2], expected: 1 },
  { name: 'the wrong way round', positives: [0.1], negatives: [0.9], expected: 0 },
  // Pairs: 0.9 beats both, 0.3 beats 0.1 and loses to 0.5.
  { name: 'one pair of four is wrong', positives: [0.9, 0.3], negatives: [0.5, 0.1], expected: 0.75 },
  // Pairs: 0.5 ties with 0.5 (half) and beats 0.2; 0.2 loses to 0.5 and ties with 0.2 (half): 2 of 4.
  { name: 'ties count half', positives: [0.5, 0.2], negatives: [0.5, 0.2], expected: 0.5 },
  { name: 'all equal', positives: [1, 1, 1], negatives: [1, 1], expected: 0.5 },
  { name: 'without negatives it is not defined', positives: [1], negatives: [], expected: null },
])('AUROC: $name', ({ positives, negatives, expected }) => {
  expect(auroc(scored(positives, negatives))).toBe(expected);
});

test.each([
  { values: [15, 20, 35, 40, 50], share: 0.5, expected: 35 },
  { values: [50, 15, 40, 20, 35], share: 0.3, expected: 20 },
  { values: [15, 20, 35, 40, 50], share: 0.95, expected: 50 },
  { values: [7], share: 0.05, expected: 7 },
  { values: [], share: 0.5, expected: null },
])('the percentile of $values at $share is $expected', ({ values, share, expected }) => {
  expect(percentile(values, share)).toBe(expected);
});

test('the mean of nothing is not zero', () => {
  expect(mean([])).toBeNull();
  expect(mean([1, 0, 0.5])).toBe(0.5);
});
