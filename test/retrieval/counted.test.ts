import { expect, test } from 'vitest';
import { counted } from '../../retrieval/counted.ts';

test.each([
  [counted(0, 'document'), '0 documents'],
  [counted(1, 'document'), '1 document'],
  [counted(1, 'person', 'people'), '1 person'],
  [counted(12_045, 'person', 'people'), '12,045 people'],
])('%s', (said, expected) => {
  expect(said).toBe(expected);
});
