// `npm start`: the service with its workers, and in a terminal a prompt where one picks who is asking.
import type { Command } from 'commander';
import { counted } from '../../retrieval/counted.ts';
import type { DatabaseUnavailableError } from '../../retrieval/errors.ts';
import { demoDocumentCount, demoQuestions } from '../demo/load-demo.ts';
import type { Product } from '../product.ts';
import { checkPort } from '../service/listen.ts';
import type { Service } from '../service/start-service.ts';
import { tenantOf } from './audience-options.ts';
import { loadDemoShowing } from './demo-command.ts';
import { keepServing } from './keep-serving.ts';
import { runPrompt } from './prompt.ts';
import type { CliContext } from './run-cli.ts';
import { stopSignal } from './stop-signal.ts';
import { type Colours, coloursFor } from './terminal.ts';
import { warmUp } from './warm-up.ts';

/** `verbatim start` */
export function addStartCommand(program: Command, context: CliContext): void {
  program
    .command('start')
    .description('run the product: the pages, the API and the workers; in a terminal, answer questions typed here')
    .option('--tenant <tenant>', 'whose people sign in and whose documents the prompt asks (default: VERBATIM_TENANT)')
    .action((options: { tenant?: string }) => start(context, tenantOf(context, options.tenant)));
}

// A second of loading, which is done while the database starts.
async function loadService() {
  const { startService } = await import('../service/start-service.ts');
  const { mountAdapters } = await import('../service/mount.ts');
  return { startService, mountAdapters };
}

async function start(context: CliContext, tenantId: string): Promise<void> {
  await checkPort(context.config);
  const stopped = stopSignal();
  let loseDatabase: (error: DatabaseUnavailableError) => void = () => {};
  const lost = new Promise<never>((_, reject) => {
    loseDatabase = reject;
  });
  // Before anything waits for it, losing it shows in whatever failed.
  lost.catch(() => undefined);
  await context.withProduct(
    async (product) => {
      const endServing = keepServing(product.logger);
      const warm = warmUp(product, tenantId);
      const workers = warm.then(() => product.startWorkers());
      // Whoever needs them is told of a failure.
      workers.catch(() => undefined);
      const { startService, mountAdapters } = await loadService();
      // A question that comes before its document finds nothing.
      const demo = { ready: context.config.databaseUrl !== null };
      const service = await startService(product, {
        tenantId,
        mount: (parts) => mountAdapters(parts, tenantId),
        checks: () => (demo.ready ? {} : { demo: 'is being loaded' }),
      });
      try {
        // Questions need no workers, and a demo that is loaded waits for them by itself.
        const failed = workers.then(() => lost);
        await Promise.race([
          serve(context, product, service, { tenantId, demo, stopped: stopped.signalled }),
          failed,
          lost,
        ]);
      } finally {
        await service.drain();
        endServing();
      }
    },
    {
      serving: true,
      onDatabaseExit: loseDatabase,
      // What goes wrong here goes wrong again when it is wanted, and is told then.
      whileOpening: () => void loadService().catch(() => undefined),
    },
  );
  stopped.dispose();
}

async function serve(
  context: CliContext,
  product: Product,
  service: Service,
  { tenantId, demo, stopped }: { tenantId: string; demo: { ready: boolean }; stopped: Promise<void> },
): Promise<void> {
  const { streams, config } = context;
  if (config.databaseUrl === null && (await wantsDemo(product, tenantId))) {
    const loaded = loadDemoShowing(context, product, tenantId);
    if ((await Promise.race([loaded, stopped.then(() => 'stopped' as const)])) === 'stopped') {
      // It goes on where it was at the next start.
      loaded.catch(() => undefined);
      return;
    }
  }
  demo.ready = true;
  await greet(context, product, tenantId, service.url);
  const ending = new AbortController();
  const prompt = runPrompt(context, product, tenantId, {
    signal: ending.signal,
    quiet: streams.stdin.isTTY !== true,
  });
  const ended = await Promise.race([prompt, stopped]);
  if (ended === 'no_input') {
    streams.stdout.write('No terminal to ask from: serving until stopped.\n');
    await stopped;
  }
  ending.abort();
  await prompt;
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

async function greet({ streams, config }: CliContext, product: Product, tenantId: string, url: string): Promise<void> {
  const colours = coloursFor(streams.stdout);
  const rows = await product.database.transaction((query) =>
    query<{ live: number; demo: number }>(
      `select count(*)::int as live, count(*) filter (where source_id = 'demo')::int as demo
         from documents where tenant_id = $1 and state = 'live'`,
      [tenantId],
    ),
  );
  const place = config.databaseUrl ? 'a PostgreSQL server' : `the embedded database in ${config.dataDir}`;
  const lines = [
    colours.bold(`Verbatim is ready at ${url} with ${counted(rows[0]?.live ?? 0, 'document')} in ${place}.`),
    `The API is described at ${url}/openapi.json; "verbatim token --as EMAIL" gives a token.`,
  ];
  if ((rows[0]?.demo ?? 0) > 0) {
    lines.push('Open it in a browser and pick who you are. Questions to try (the name says who should ask):');
    for (const question of pickQuestions(await demoQuestions()))
      lines.push(`  ${question.text}  ${colours.dim(question.as)}`);
  }
  lines.push(
    colours.dim(
      'Your own: verbatim ingest PATH --allow verbatim:everyone; verbatim directory import FILE; see README.md.',
    ),
    ...missingParts(product, colours),
  );
  streams.stdout.write(`${lines.join('\n')}\n\n`);
}

// What is not connected yet, and with what it would be.
function missingParts({ config }: Product, { dim }: Colours): string[] {
  const parts = [
    [
      config.model.provider === 'extractive',
      'a model',
      'VERBATIM_MODEL=openai:gpt-5-mini with OPENAI_API_KEY, or another',
    ],
    [
      config.slack.botToken === null && config.slack.clientId === null,
      'Slack',
      'SLACK_BOT_TOKEN, and SLACK_SIGNING_SECRET or SLACK_APP_TOKEN; "verbatim manifest slack" describes the app',
    ],
    [config.cohere.apiKey === null, 'Cohere', 'COHERE_API_KEY'],
    [config.databaseUrl === null, 'a real database', 'DATABASE_URL and VERBATIM_TOKEN_SECRET'],
  ] as const;
  const lines = parts.filter(([missing]) => missing).map(([, name, set]) => dim(`  ${name.padEnd(16)} ${set}`));
  return lines.length === 0 ? [] : [dim('To connect, set (README.md, Configuration):'), ...lines];
}

// Two that are answered, and one that is refused.
function pickQuestions<Question extends { readonly expect: string }>(questions: readonly Question[]): Question[] {
  const answered = questions.filter((question) => question.expect === 'answered');
  return [...answered.slice(0, 2), ...questions.filter((question) => question.expect === 'refused').slice(0, 1)];
}
