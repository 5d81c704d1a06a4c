import { runCli } from './cli/run-cli.ts';

// `verbatim … | head` is no failure: whoever reads has read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await runCli(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
});

// A command that failed has told it: what still holds a connection or a thread must not keep its terminal waiting.
const LEFT_OVER_MS = 3_000;
if (process.exitCode !== 0) setTimeout(() => process.exit(), LEFT_OVER_MS).unref();
