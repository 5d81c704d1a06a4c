import { describe, expect, test } from 'vitest';
import { baseForm, formsOf } from '../../retrieval/irregular-forms.ts';
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
