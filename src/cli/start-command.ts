// `npm start`: the workers, and a prompt where one picks who is asking.
import type { Command } from 'commander';
import { demoDocumentCount, demoQuestions } from '../demo/load-demo.ts';
import type { Product } from '../product.ts';
import { tenantOf } from './audience-options.ts';
import { loadDemoShowing } from './demo-command.ts';
import { runPrompt } from './prompt.ts';
import type { CliContext } from './run-cli.ts';
import { coloursFor } from './terminal.ts';

/** `verbatim start` */
export function addStartCommand(program: Command, context: CliContext): void {
  program
    .command('start')
    .description('run the product: index what comes in, and answer questions typed here')
    .option('--tenant <tenant>', 'whose documents the prompt asks (default: VERBATIM_TENANT)')
    .action((options: { tenant?: string }) => start(context, tenantOf(context, options.tenant)));
}

async function start(context: CliContext, tenantId: string): Promise<void> {
  const stopped = stopSignal();
  await context.withProduct(
    async (product) => {
      await product.startWorkers();
      if (context.config.databaseUrl === null && (await wantsDemo(product, tenantId))) {
        await loadDemoShowing(context, product, tenantId);
      }
      await greet(context, product, tenantId);
      const ended = await Promise.race([runPrompt(context, product, tenantId), stopped.signalled]);
      if (ended !== 'no_input') return;
      context.streams.stdout.write('No terminal to ask from: serving until stopped.\n');
      await stopped.signalled;
    },
    { serving: true },
  );
  stopped.dispose();
}

// The first signal drains; a second one ends the process at once, as the shell expects.
function stopSignal(): { signalled: Promise<void>; dispose: () => void } {
  let stop = () => {};
  const signalled = new Promise<void>((resolve) => {
    stop = resolve;
  });
  process.once('SIGTERM', stop).once('SIGINT', stop);
  return { signalled, dispose: () => process.off('SIGTERM', stop).off('SIGINT', stop) };
}

// Nothing of somebody's own is here, and the demo is not or not wholly.
async function wantsDemo({ database }: Product, tenantId: string): Promise<boolean> {
  const rows = await database.transaction((query) =>
    query<{ own: boolean; demo: number }>(
      `select exists (select 1 from documents where tenant_id = $1 and source_id <> 'demo')
           or exists (select 1 from people where tenant_id = $1 and directory <> 'demo') as own,
         (select count(*)::int from documents where tenant_id = $1 and source_id = 'demo') as demo`,
      [tenantId],
    ),
  );
  const state = rows[0];
  return state !== undefined && !state.own && state.demo < (await demoDocumentCount());
}

async function greet({ streams, config }: CliContext, product: Product, tenantId: string): Promise<void> {
  const { bold, dim } = coloursFor(streams.stdout);
  const rows = await product.database.transaction((query) =>
    query<{ live: number; demo: number }>(
      `select count(*)::int as live, count(*) filter (where source_id = 'demo')::int as demo
         from documents where tenant_id = $1 and state = 'live'`,
      [tenantId],
    ),
  );
  const place = config.databaseUrl ? 'a PostgreSQL server' : `the embedded database in ${config.dataDir}`;
  const lines = [bold(`Verbatim is ready: ${rows[0]?.live ?? 0} documents in ${place}.`)];
  if ((rows[0]?.demo ?? 0) > 0) {
    lines.push('Questions to try (the name says who should ask):');
    for (const question of pickQuestions(await demoQuestions())) lines.push(`  ${question.text}  ${dim(question.as)}`);
  }
  lines.push(
    dim('Your own: verbatim ingest PATH --allow verbatim:everyone; verbatim directory import FILE; see README.md.'),
  );
  streams.stdout.write(`${lines.join('\n')}\n\n`);
}

// Two that are answered, and one that is refused.
function pickQuestions<Question extends { readonly expect: string }>(questions: readonly Question[]): Question[] {
  const answered = questions.filter((question) => question.expect === 'answered');
  return [...answered.slice(0, 2), ...questions.filter((question) => question.expect === 'refused').slice(0, 1)];
}
