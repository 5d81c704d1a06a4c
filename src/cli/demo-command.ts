import type { Command } from 'commander';
import { embedMissing } from '../../ingest/embed-missing.ts';
import { loadDemo } from '../demo/load-demo.ts';
import type { Product } from '../product.ts';
import { tenantOf } from './audience-options.ts';
import { createProgress } from './progress.ts';
import type { CliContext } from './run-cli.ts';

/** `verbatim demo` */
export function addDemoCommand(program: Command, context: CliContext): void {
  program
    .command('demo')
    .description('load the demo company into a tenant (npm start does so by itself on an empty embedded database)')
    .option('--tenant <tenant>', 'into which (default: VERBATIM_TENANT)')
    .action((options: { tenant?: string }) =>
      context.withProduct(async (product) => {
        const tenantId = tenantOf(context, options.tenant);
        await loadDemoShowing(context, product, tenantId);
        const progress = createProgress(context.streams.stderr, 'chunks embedded');
        await embedMissing(product, tenantId, (embedded, total) => progress.show(embedded, total));
        progress.end();
      }),
    );
}

/** Loads the demo with progress, and says what came of it. */
export async function loadDemoShowing({ streams }: CliContext, product: Product, tenantId: string): Promise<void> {
  const progress = createProgress(streams.stderr, 'documents of the demo company');
  const documents = await loadDemo(product, { tenantId, onProgress: ({ done, total }) => progress.show(done, total) });
  progress.end();
  const failed = documents.filter((document) => document.outcome === 'failed');
  for (const { uri, failure } of failed) streams.stderr.write(`failed ${uri}: ${failure?.reason}\n`);
  streams.stdout.write(`The demo company is in: ${documents.length - failed.length} documents.\n`);
}
