import type { Command } from 'commander';
import { UsageError } from '../../retrieval/errors.ts';
import type { CliContext } from './run-cli.ts';
import { stopSignal } from './stop-signal.ts';

/** `verbatim worker` */
export function addWorkerCommand(program: Command, context: CliContext): void {
  program
    .command('worker')
    .description('index documents beside services on the same server, without answering anything, until stopped')
    .action(() => work(context));
}

async function work({ config, streams, withProduct }: CliContext): Promise<void> {
  if (config.databaseUrl === null) {
    throw new UsageError(
      'a worker of its own needs a server: set DATABASE_URL. On the embedded database "npm start" works',
    );
  }
  const stopped = stopSignal();
  await withProduct(
    async (product) => {
      await product.startWorkers();
      streams.stderr.write('Working until stopped.\n');
      await stopped.signalled;
      await product.stopWorkers(config.drainSeconds * 1000);
    },
    { serving: true, asking: false },
  );
  stopped.dispose();
}
