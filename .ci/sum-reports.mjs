// Prints the sum of vitest's JSON reports in a directory; exit status 1 when a test failed or a suite could not be loaded.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const directory = process.argv[2];
const sum = { passed: 0, failed: 0, skipped: 0 };
let unloadable = 0;
for (const file of readdirSync(directory)) {
  try {
    const report = JSON.parse(readFileSync(join(directory, file), 'utf8'));
    sum.passed += report.numPassedTests;
    sum.failed += report.numFailedTests;
    sum.skipped += report.numPendingTests + report.numTodoTests;
    unloadable += report.testResults.filter(
      (suite) => suite.status === 'failed' && suite.assertionResults.length === 0,
    ).length;
  } catch (error) {
    // A run that was cut off leaves half a report; the sum must be printed all the same.
    process.stdout.write(`${file}: ${error.message}\n`);
    unloadable += 1;
  }
}
if (unloadable > 0) process.stdout.write(`${unloadable} suites could not be loaded\n`);
process.stdout.write(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped\n`);
process.exit(sum.failed + unloadable > 0 ? 1 : 0);
