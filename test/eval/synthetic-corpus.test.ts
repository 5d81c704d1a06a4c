import { expect, test } from 'vitest';
import { createSyntheticCorpus } from '../../eval/bench/synthetic-corpus.ts';

const corpus = createSyntheticCorpus({ shares: [1, 8, 30, 100], seed: 1 });
const cosine = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);

test('a chunk is the same whenever it is asked for, and another seed makes another', () => {
  expect(corpus.batch(40, 1)).toEqual(corpus.batch(0, 50).slice(40, 41));
  const other = createSyntheticCorpus({ shares: [1, 8, 30, 100], seed: 2 });
  expect(other.batch(40, 1)).not.toEqual(corpus.batch(40, 1));
});

test('the groups hold the shares that were asked for, and a document is in one of them', () => {
  const documents = new Map<number, Set<number>>();
  for (const { document, group } of corpus.batch(0, 20_000)) {
    documents.set(document, (documents.get(document) ?? new Set()).add(group));
  }
  const groups = [...documents.values()];
  expect(groups.every((each) => each.size === 1)).toBe(true);
  const upTo = (group: number) =>
    groups.filter((each) => [...each].every((one) => one <= group)).length / groups.length;
  expect(upTo(0)).toBeGreaterThan(0.003);
  expect(upTo(0)).toBeLessThan(0.02);
  expect(upTo(1)).toBeCloseTo(0.08, 1);
  expect(upTo(2)).toBeCloseTo(0.3, 1);
  expect(upTo(3)).toBe(1);
});

test('vectors have length 1 and lie in clusters: a question has near ones and far ones', () => {
  const chunks = corpus.batch(0, 3_000);
  const [question] = corpus.questions(1);
  const similarities = chunks.map(({ vector }) => cosine(vector, question?.vector ?? [])).sort((a, b) => b - a);
  expect(cosine(question?.vector ?? [], question?.vector ?? [])).toBeCloseTo(1, 5);
  expect(similarities[0]).toBeGreaterThan(0.45);
  expect(Math.abs(similarities[1_500] ?? 1)).toBeLessThan(0.1);
});

test('a question has words that chunks of its topic have', () => {
  const [question] = corpus.questions(1);
  const words = new Set(question?.text.split(' ').slice(2, 5));
  const sharing = corpus.batch(0, 3_000).filter(({ text }) => [...words].every((word) => text.includes(word)));
  expect(sharing.length).toBeGreaterThan(0);
});
