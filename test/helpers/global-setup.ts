import { isEmbedded } from './database.ts';

/** Says once which of the two databases the suites run on. */
export function setup(): void {
  process.stdout.write(`database of the tests: ${isEmbedded() ? 'embedded' : 'the server of TEST_DATABASE_URL'}\n`);
}
