import { type Command, InvalidArgumentError } from 'commander';
import { visibleAcls } from '../../retrieval/visible-acls.ts';
import { type AudienceOptions, addAudienceOptions, readAudience, warnOfStrangers } from './audience-options.ts';
import type { CliContext } from './run-cli.ts';
import { coloursFor, printable, printableLine, widthOf, wrap } from './terminal.ts';

interface SearchCommandOptions extends AudienceOptions {
  readonly limit: number;
  readonly json?: boolean;
}

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;
const PREVIEW_CHARACTERS = 300;

/** `verbatim search` */
export function addSearchCommand(program: Command, context: CliContext): void {
  addAudienceOptions(program.command('search'))
    .description('list the chunks that a question finds, with what each search contributed')
    .argument('<question>')
    .option('--limit <count>', `how many chunks, 1 to ${MAX_LIMIT}`, readLimit, DEFAULT_LIMIT)
    .option('--json', 'print the results as JSON')
    .action((question: string, options: SearchCommandOptions) => search(context, question, options));
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new InvalidArgumentError(`give a whole number from 1 to ${MAX_LIMIT}`);
  }
  return limit;
}

async function search(context: CliContext, question: string, options: SearchCommandOptions): Promise<void> {
  const { stdout } = context.streams;
  const people = readAudience(context, options);
  const { tenantId, audience } = people;
  await context.withProduct(
    async (product) => {
      await warnOfStrangers(context, product, people);
      const visibleTo = await product.database.transaction((query) => visibleAcls(query, tenantId, audience));
      const found = await product.search({ question, visibleTo, audience, limit: options.limit });
      const results = found.ranked.map(({ rank, chunkId, documentId, uri, score, contributions, text }) => ({
        rank,
        chunkId,
        documentId,
        uri,
        score,
        contributions,
        text,
      }));
      if (options.json) {
        stdout.write(`${JSON.stringify({ results, dropped: found.droppedByPermission }, null, 2)}\n`);
        return;
      }
      const colours = coloursFor(stdout);
      if (results.length === 0) stdout.write('Nothing that everyone named may read matches.\n');
      for (const result of results) {
        const parts = Object.entries(result.contributions).map(
          ([signal, value]) => `${signal} ${Number(value).toFixed(4)}`,
        );
        stdout.write(
          `${colours.bold(`${result.rank}.`)} ${colours.cyan(printableLine(result.uri))}  ${colours.dim(parts.join(' + '))}\n`,
        );
        stdout.write(`${wrap(printable(shorten(result.text)), widthOf(stdout), '   ')}\n\n`);
      }
      if (found.degraded.length > 0) context.hint(`done without: ${found.degraded.join(', ')}`);
    },
    { asking: true },
  );
}

function shorten(text: string): string {
  return text.length <= PREVIEW_CHARACTERS ? text : `${text.slice(0, PREVIEW_CHARACTERS)}…`;
}
