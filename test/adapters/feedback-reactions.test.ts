import { expect, test } from 'vitest';
import { reactionVerdict } from '../../adapters/feedback-reactions.ts';

test.each([
  ['+1', 'up'],
  ['thumbsup', 'up'],
  ['+1::skin-tone-5', 'up'],
  ['thumbsup::skin-tone-2', 'up'],
  [':white_check_mark:', 'up'],
  ['👍🏽', 'up'],
  ['✅', 'up'],
  ['-1', 'down'],
  ['thumbsdown::skin-tone-6', 'down'],
  ['x', 'down'],
  ['❌', 'down'],
  ['tada', null],
  ['+1::skin-tone-9', null],
  ['constructor', null],
])('%s counts as %s', (reaction, verdict) => {
  expect(reactionVerdict(reaction)).toBe(verdict);
});
