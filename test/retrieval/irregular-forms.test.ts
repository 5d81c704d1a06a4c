import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { baseForm, formsOf, OTHER_INITIALS } from '../../retrieval/irregular-forms.ts';
import { stem } from '../../retrieval/sentence-score-stem.ts';

describe('forms that no stemmer unites', () => {
  test.each([
    ['lost', ['lose', 'lost']],
    ['choose', ['choose', 'chose', 'chosen']],
    ['children', ['child', 'children']],
  ])('%s', (word, forms) => {
    expect(formsOf(word)).toEqual(forms);
    expect(new Set(formsOf(word).map(stem)).size).toBe(1);
  });

  test.each(['left', 'saw', 'found', 'ground', 'laptop', 'constructor', ''])('"%s" stands for itself alone', (word) => {
    expect(formsOf(word)).toEqual([word]);
    expect(baseForm(word)).toBe(word);
  });
});

test('a stem begins as its word does, but for the forms that are listed', () => {
  expect([...OTHER_INITIALS].toSorted()).toEqual(['ate', 'went']);
  expect([...OTHER_INITIALS].map(stem)).toEqual([...OTHER_INITIALS].map(baseForm).map(stem));
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{1,12}(?:ies|ing|ed|s|ational|'s)?$/), (word) => {
      expect(stem(word).charAt(0)).toBe(OTHER_INITIALS.has(word) ? stem(baseForm(word)).charAt(0) : word.charAt(0));
    }),
  );
});
