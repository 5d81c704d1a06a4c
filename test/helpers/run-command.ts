// A command line in this process, as somebody types it, and what it writes.
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCli } from '../../src/cli/run-cli.ts';

/** How a command ended. */
export interface CommandRun {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command with these settings and no others; `input` is all of its standard input. */
export async function runCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  { input = '', atTerminal = false } = {},
): Promise<CommandRun> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const written = [text(stdout), text(stderr)] as const;
  const stdin = Object.assign(Readable.from([Buffer.from(input)]), { isTTY: atTerminal });
  const status = await runCli(args, { stdin, stdout, stderr }, environment);
  stdout.end();
  stderr.end();
  const [out, err] = await Promise.all(written);
  return { status, out, err };
}
