// `verbatim reembed`: after VERBATIM_EMBEDDER has changed, the vectors follow.
import type { Command } from 'commander';
import { type EmbeddedAnew, embedAnew } from '../../ingest/embed-anew.ts';
import type { Product } from '../product.ts';
import { buildVectorIndexes } from '../workers.ts';
import { createProgress } from './progress.ts';
import type { CliContext } from './run-cli.ts';

/** `verbatim reembed` */
export function addReembedCommand(program: Command, context: CliContext): void {
  program
    .command('reembed')
    .description('make the vectors of the configured embedder beside the old ones, then search with them')
    .option('--tenant <tenant>', 'only this tenant (default: all)')
    .option('--model-replaced', 'the model was replaced under its name: make all vectors anew')
    .option('--json', 'print the outcome of each tenant as JSON')
    .addHelpText(
      'after',
      '\nIt may be stopped and run again: what is embedded is kept. Until all is, searches use the old vectors, where\n' +
        'their embedder can still be used, else only words. A model that was replaced under its name shows by vectors of\n' +
        'another size; where it has the same size, say --model-replaced.',
    )
    .action((options: ReembedOptions) => reembed(context, options));
}

interface ReembedOptions {
  readonly tenant?: string;
  readonly modelReplaced?: boolean;
  readonly json?: boolean;
}

async function reembed(context: CliContext, options: ReembedOptions): Promise<void> {
  const { stdout, stderr } = context.streams;
  await context.withProduct(async (product) => {
    const outcomes: ({ tenantId: string; embedder: string } & EmbeddedAnew)[] = [];
    for (const tenantId of await tenantsOf(product, options.tenant)) {
      const progress = createProgress(stderr, `chunks embedded for ${tenantId}`);
      const outcome = await embedAnew(
        {
          database: product.database,
          embedder: product.embedder,
          logger: product.logger,
          modelReplaced: options.modelReplaced === true,
          buildIndexes: () => buildVectorIndexes(product),
          onProgress: (done, total) => progress.show(done, total),
        },
        tenantId,
      );
      progress.end();
      outcomes.push({ tenantId, embedder: product.embedder.id, ...outcome });
      if (!options.json) stdout.write(`${tenantId}: ${inWords(product.embedder.id, outcome)}\n`);
    }
    if (options.json) stdout.write(`${JSON.stringify(outcomes, null, 2)}\n`);
    else if (outcomes.length === 0) stdout.write('There are no documents to embed.\n');
    if (outcomes.some((outcome) => !outcome.active)) context.setExitStatus(1);
  });
}

function inWords(embedder: string, { active, replaced, embedded, missing, removed }: EmbeddedAnew): string {
  if (!active) {
    return `${missing} chunk(s) could not be embedded by ${embedder}, so the old vectors stay in use; see the log and run it again`;
  }
  const before = replaced === null ? `${embedder} was in use already` : `${embedder} takes the place of ${replaced}`;
  return `${before}; ${embedded} chunk(s) embedded, ${removed} old vector(s) removed`;
}

// A tenant without chunks has nothing to embed, and its first document decides its embedder.
async function tenantsOf({ database }: Product, tenantId: string | undefined): Promise<string[]> {
  const rows = await database.transaction((query) =>
    query<{ tenant_id: string }>(
      `select tenant_id from tenants t where ($1::text is null or tenant_id = $1)
         and exists (select 1 from chunks c where c.tenant_id = t.tenant_id) order by tenant_id`,
      [tenantId ?? null],
    ),
  );
  return rows.map((row) => row.tenant_id);
}
