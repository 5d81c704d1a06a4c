// `verbatim eval`: a set of questions through the whole product, on a database of its own that is gone afterwards.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import type { EvaluatedProduct } from '../../eval/ask-product.ts';
import { type Dataset, readDataset } from '../../eval/dataset.ts';
import { evaluateDataset } from '../../eval/evaluate-dataset.ts';
import { hashOfFiles, openKeptCorpus } from '../../eval/kept-corpus.ts';
import { type DatasetReport, renderReport, reportJson } from '../../eval/render-report.ts';
import { summarise } from '../../eval/summarise.ts';
import { UsageError } from '../../retrieval/errors.ts';
import { scoreAnswerability } from '../../retrieval/extractive-answer.ts';
import type { Config } from '../config.ts';
import { makeDirectory, prepareDataDirectory } from '../database/data-directory.ts';
import { openProduct, type Product } from '../product.ts';
import { EVAL_TENANT, ingestTexts } from './eval-ingest.ts';
import { onOwnDirectory, onOwnServerDatabase } from './own-database.ts';
import { createProgress } from './progress.ts';
import { readCount } from './read-counts.ts';
import type { CliContext } from './run-cli.ts';
import { runStoppable, type StoppableContext } from './until-stopped.ts';

interface DatasetOptions {
  readonly json?: boolean;
  readonly verbose?: boolean;
  readonly limit?: number;
  readonly keep?: string;
}

/** `verbatim eval` */
export function addEvalCommand(program: Command, context: CliContext): void {
  const command = program.command('eval').description('measure how well questions are found, answered and refused');
  command
    .command('dataset')
    .description(
      'run a folder of texts, questions and judgements (corpus.jsonl, queries.jsonl, qrels.tsv); latency includes embedding',
    )
    .argument('<directory>')
    .option('--limit <count>', 'only the first questions and attacks', readCount)
    .option('--keep <directory>', 'keep the ingested documents there, and use them while nothing has changed')
    .option('--json', 'print the figures as JSON')
    .option('--verbose', 'with the ids of the worst questions; as JSON with every question')
    .action((directory: string, options: DatasetOptions) =>
      runStoppable(context, (stoppable) => evalDataset(stoppable, directory, options)),
    );
  command.commands.forEach((each) => {
    each.copyInheritedSettings(program);
  });
}

async function evalDataset(context: StoppableContext, directory: string, options: DatasetOptions): Promise<void> {
  const { stdout } = context.streams;
  const whole = await readDataset(directory);
  await prepareDataDirectory(context.config.dataDir);
  const { limit } = options;
  const dataset: Dataset = {
    ...whole,
    questions: whole.questions.slice(0, limit),
    attacks: whole.attacks?.slice(0, limit) ?? null,
  };
  const report = await withOwnDatabase(context.config, dataset, options.keep, async (config, kept) => {
    const product = await openProduct(config, context.logger, { withoutAnswerCache: true });
    try {
      return await context.untilStopped(measure(context, product, dataset, kept));
    } finally {
      await product.close();
    }
  });
  if (options.json) {
    const json = reportJson(report, { withQuestions: options.verbose === true });
    stdout.write(`${JSON.stringify(json, null, 2)}\n`);
  } else {
    stdout.write(renderReport(report, { withIds: options.verbose === true }));
  }
}

async function measure(context: CliContext, product: Product, dataset: Dataset, kept: Kept): Promise<DatasetReport> {
  const ingest = await ingestDataset(context, product, dataset, kept);
  const outcomes = await askAll(context, product, dataset, ingest.timingsMs);
  return { ...outcomes, name: dataset.name, ingest, figures: summarise(outcomes.questions, outcomes.attacks) };
}

interface Kept {
  readonly reusable: boolean;
  complete(): Promise<void>;
}

const NOT_KEPT: Kept = { reusable: false, complete: async () => undefined };

// The evaluation never touches the documents of the configured database: it works beside them.
async function withOwnDatabase<T>(
  config: Config,
  dataset: Dataset,
  keep: string | undefined,
  run: (config: Config, kept: Kept) => Promise<T>,
): Promise<T> {
  if (keep !== undefined) {
    if (config.databaseUrl) throw new UsageError('--keep needs the embedded database; unset DATABASE_URL');
    await makeDirectory(keep);
    return run({ ...config, dataDir: keep }, await openKeptCorpus(keep, await corpusVersion(config, dataset)));
  }
  if (config.databaseUrl)
    return onOwnServerDatabase(config.databaseUrl, 'eval', (databaseUrl) => run({ ...config, databaseUrl }, NOT_KEPT));
  return onOwnDirectory('eval', (dataDir) => run({ ...config, dataDir }, NOT_KEPT));
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

// Everything between a line of the corpus and the rows in the database; more than needed rather than less.
function corpusVersion(config: Config, dataset: Dataset): Promise<string> {
  const sources = ['ingest', 'retrieval', 'src/database'].map((path) => join(ROOT, path));
  return hashOfFiles(sources, [dataset.corpusSha256, JSON.stringify([config.embedder, config.cutBelowSimilarity])]);
}

async function ingestDataset(
  { config, streams }: CliContext,
  product: Product,
  { texts }: Dataset,
  kept: Kept,
): ReturnType<typeof ingestTexts> {
  const progress = {
    submitted: createProgress(streams.stderr, 'documents submitted'),
    indexed: createProgress(streams.stderr, 'documents indexed'),
  };
  const cacheDirectory = await prepareDataDirectory(join(config.dataDir, 'eval-cache'));
  const ingest = await ingestTexts(product, texts, {
    cacheDirectory,
    reused: kept.reusable,
    onProgress: (stage, done) => progress[stage].show(done, texts.length),
  });
  progress.indexed.end();
  await kept.complete();
  return ingest;
}

async function askAll(
  { config, streams }: CliContext,
  { database, search, answerQuestion, embedder }: Product,
  dataset: Dataset,
  timingsMs: Record<string, number>,
): ReturnType<typeof evaluateDataset> {
  const product: EvaluatedProduct = {
    tenantId: EVAL_TENANT,
    database,
    search,
    answerQuestion,
    scoreDecision:
      config.model.provider === 'extractive'
        ? async (asked) => (await scoreAnswerability(asked, embedder)).score
        : null,
    clock: Date.now,
    runId: randomUUID(),
  };
  // Loading the built-in model is nothing that a question waits for in the product. What is away shows with each question.
  await embedder.embed(['warm'], 'question').catch(() => undefined);
  const progress = createProgress(streams.stderr, 'questions');
  const start = performance.now();
  const onProgress = (done: number, total: number) => progress.show(done, total);
  const outcomes = await evaluateDataset(product, dataset, { onProgress });
  progress.end();
  timingsMs.questions = Math.round(performance.now() - start);
  return outcomes;
}
