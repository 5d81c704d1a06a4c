// The command line: what may be typed, and which exit status means what.
import { Command, CommanderError } from 'commander';
import { UsageError, VerbatimError } from '../../retrieval/errors.ts';
import { type Config, readConfig } from '../config.ts';
import { createLogger, type Logger } from '../logger.ts';
import { openServer } from '../open-server.ts';
import type { Product, ProductOverrides } from '../product.ts';
import { COMMANDS } from './command-list.ts';
import { defaultLogLevel } from './default-log-level.ts';
import { coloursFor, type Streams } from './terminal.ts';

/** What the commands share. */
export interface CliContext {
  readonly streams: Streams;
  readonly config: Config;
  readonly logger: Logger;
  /** Opens the product, runs, and closes it whatever happens. `whileOpening` is called when the database starts. */
  withProduct<T>(
    run: (product: Product) => Promise<T>,
    options?: ProductOverrides & { readonly whileOpening?: () => void },
  ): Promise<T>;
  /** A hint for the person at the terminal. */
  hint(text: string): void;
  /** Ends the command with this status without being an error. */
  setExitStatus(status: number): void;
}

const HELP = `
Exit status: 0 = done (a refusal is an answer), 1 = it failed, 2 = the command was not understood.
Settings come from environment variables; see the table in README.md.`;

/** Runs one command line with the settings of `environment` (the process's own by default). @returns the exit status. */
export async function runCli(
  args: readonly string[],
  streams: Streams,
  environment?: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  let status = 0;
  try {
    const context = createContext(streams, readConfig(environment), defaultLogLevel(args[0], streams), (value) => {
      status = value;
    });
    const program = await createProgram(context, args);
    await program.parseAsync([...args], { from: 'user' });
    return status;
  } catch (error) {
    return report(error, streams);
  }
}

async function createProgram(context: CliContext, args: readonly string[]): Promise<Command> {
  const program = new Command('verbatim')
    .description("Answers questions with verbatim quotes from your company's documents, or refuses and says why.")
    .addHelpText('after', HELP)
    // Options and arguments are known of the command that is loaded only.
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .showHelpAfterError('(add --help for the options)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void context.streams.stdout.write(text),
      writeErr: (text) => void context.streams.stderr.write(text),
    });
  const typed = args[0] === 'help' ? args[1] : args[0];
  for (const { name, description, load } of COMMANDS) {
    if (name === typed) (await load())(program, context);
    else program.command(name).description(description);
  }
  for (const command of program.commands) command.copyInheritedSettings(program);
  return program;
}

function createContext(
  streams: Streams,
  config: Config,
  level: 'info' | 'warn',
  setExitStatus: (status: number) => void,
): CliContext {
  const logger = createLogger({ level: config.logLevel ?? level, secrets: config.secrets });
  const hint = (text: string) => void streams.stderr.write(`${coloursFor(streams.stderr).yellow('hint:')} ${text}\n`);
  const sayWait = ({ pid, waitMs }: { pid: number; waitMs: number }) =>
    hint(
      `process ${pid} uses the database in ${config.dataDir} and will end by itself; waiting for it up to ${waitMs / 1000} s. ` +
        'Beside "npm start" commands need not wait for each other.',
    );
  return {
    streams,
    config,
    logger,
    async withProduct(run, { whileOpening, ...options } = {}) {
      const { serving = false } = options;
      const use = { onDatabaseWait: sayWait, ...options };
      const server = openServer(config, logger, use);
      await server.begun;
      const loading = import('../product.ts');
      whileOpening?.();
      const product = await (await loading).openProduct(config, logger, { ...use, server });
      // A command that is told to end gives back the work it has begun; a service drains by itself.
      const end = (signal: NodeJS.Signals) => void product.close().finally(() => process.kill(process.pid, signal));
      if (!serving) process.once('SIGTERM', end).once('SIGINT', end);
      let done: Awaited<ReturnType<typeof run>>;
      try {
        done = await run(product);
      } catch (error) {
        // What went wrong is told, not what closing then finds.
        await product.close().catch((closing: unknown) => logger.debug({ err: closing }, 'closing failed'));
        throw error;
      } finally {
        process.off('SIGTERM', end).off('SIGINT', end);
      }
      await product.close();
      return done;
    },
    hint,
    setExitStatus,
  };
}

function report(error: unknown, { stderr }: Streams): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const red = coloursFor(stderr).red('error:');
  if (error instanceof VerbatimError) {
    stderr.write(`${red} ${error.message}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
  const message = error instanceof Error ? error.message : String(error);
  stderr.write(`${red} ${message}; set VERBATIM_LOG_LEVEL=debug for more\n`);
  return 1;
}
