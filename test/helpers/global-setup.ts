import { findChromium } from './chromium.ts';
import { isEmbedded } from './database.ts';

/** Says once which of the two databases the suites run on, and whether there is a browser. */
export function setup(): void {
  const browser =
    findChromium() ?? 'none found; test/browser is skipped (install chromium, or set CHROMIUM to its path)';
  process.stdout.write(`browser of the tests: ${browser}\n`);
  process.stdout.write(`database of the tests: ${isEmbedded() ? 'embedded' : 'the server of TEST_DATABASE_URL'}\n`);
}
