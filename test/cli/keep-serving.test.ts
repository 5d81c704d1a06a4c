import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const script = (serving: string) => `
  import { keepServing } from './src/cli/keep-serving.ts';
  const logger = { error: (fields, message) => console.log(fields.err.message + ': ' + message) };
  ${serving}
  Promise.reject(new Error('nobody waits for this'));
  setTimeout(() => console.log('still there'), 50);
`;
const run = (serving: string) =>
  promisify(execFile)(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script(serving)]);

test('a rejection that nobody waits for is logged, and the process goes on', async () => {
  const { stdout } = await run('keepServing(logger);');
  expect(stdout).toMatch(/nobody waits for this: .*the service goes on\nstill there/);
});

test('it ends the process again once the service has ended', async () => {
  await expect(run('keepServing(logger)();')).rejects.toThrow('nobody waits for this');
});
