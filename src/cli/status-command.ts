import type { Command } from 'commander';
import { ageText } from '../../adapters/wording.ts';
import { counted } from '../../retrieval/counted.ts';
import type { Product } from '../product.ts';
import { readStatus, type Status } from '../status.ts';
import { tenantOf } from './audience-options.ts';
import type { CliContext } from './run-cli.ts';
import { coloursFor, printableLine } from './terminal.ts';

interface StatusOptions {
  readonly tenant?: string;
  readonly documents?: boolean;
  readonly json?: boolean;
}

/** `verbatim status` */
export function addStatusCommand(program: Command, context: CliContext): void {
  program
    .command('status')
    .description('sources, documents, failures, queue and people')
    .option('--documents', 'list every document with its state and rights')
    .option('--tenant <tenant>', 'whose (default: VERBATIM_TENANT)')
    .option('--json', 'print as JSON')
    .action((options: StatusOptions) => status(context, options));
}

async function status(context: CliContext, options: StatusOptions): Promise<void> {
  const tenantId = tenantOf(context, options.tenant);
  const read = await context.withProduct(async (product: Product) => {
    await product.queue.start();
    return readStatus(product, tenantId, { documents: options.documents === true });
  });
  if (options.json) context.streams.stdout.write(`${JSON.stringify(read, null, 2)}\n`);
  else print(context, read);
}

function print({ streams }: CliContext, read: Status): void {
  const colours = coloursFor(streams.stdout);
  const write = (line: string) => streams.stdout.write(`${line}\n`);
  write(`${colours.bold('Tenant')}     ${read.tenantId}, database ${read.database}`);
  const states = Object.entries(read.documentsByState).map(([state, count]) => `${count} ${state}`);
  write(
    `${colours.bold('Documents')}  ${states.join(', ') || 'none'}; ${counted(read.chunks, 'chunk')}, ${read.chunksWithoutVector} without a vector`,
  );
  write(`${colours.bold('Embedder')}   ${read.embedder ?? 'none yet'}${pendingText(read.pendingEmbedder)}`);
  write(
    `${colours.bold('People')}     ${read.people.active} active (${counted(read.people.guests, 'guest')}), ${read.people.inactive} inactive, ${counted(read.people.groups, 'group')}`,
  );
  const jobs = Object.entries(read.jobs).map(
    ([name, { queued, active, failed }]) => `${name} ${queued} queued, ${active} active, ${failed} failed`,
  );
  write(`${colours.bold('Jobs')}       ${jobs.join('; ')}`);
  for (const source of read.sources) {
    const age = source.contentAgeSeconds === null ? 'never' : ageText(source.contentAgeSeconds);
    write(
      `${colours.bold('Source')}     ${source.sourceId}: ${counted(source.documents, 'document')}, last change ${age}`,
    );
  }
  for (const failure of read.failures) {
    write(
      `${colours.red('failed')}     ${printableLine(failure.uri)}: ${failure.code}: ${printableLine(failure.reason)}`,
    );
  }
  for (const document of read.documents ?? []) {
    // Until its first version is in use, the rights that were asked for are not in force; what stands there is "nobody".
    const inUse = document.version > 0;
    const [version, level] = inUse ? [`v${document.version}`, document.accessLevel] : ['–', '–'];
    write(
      `${document.state.padEnd(11)} ${version.padEnd(2)} ${level.padEnd(12)} ${printableLine(document.uri)}  ${colours.dim(`${document.documentId}  ${document.readers}`)}`,
    );
  }
}

function pendingText(pending: Status['pendingEmbedder']): string {
  if (!pending) return '';
  const without = counted(pending.chunksWithoutVector, 'chunk');
  return `; ${pending.name} is configured and not in use: ${without} without a vector of it, run "verbatim reembed"`;
}
