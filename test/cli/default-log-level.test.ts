import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { defaultLogLevel } from '../../src/cli/default-log-level.ts';

test.each([
  ['start', false, 'info'],
  ['worker', false, 'info'],
  ['start', true, 'warn'],
  ['worker', true, 'warn'],
  ['ask', false, 'warn'],
  ['ask', true, 'warn'],
  [undefined, false, 'warn'],
] as const)('%s logs, with a terminal: %s, from the level %s', (command, isTTY, level) => {
  expect(defaultLogLevel(command, { stderr: Object.assign(new PassThrough(), { isTTY }) })).toBe(level);
});
