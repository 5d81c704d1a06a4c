// The embedder that needs no network and no download: Universal Sentence Encoder lite, a small transformer whose weights
// come with the package.
//
// Measured on Node 20, two cores shared with other work, so in processor time: 130 ms for a chunk of five sentences (median
// 478 characters), 44 ms for a question, 17 ms for one of many short texts; the same with two threads (125 and 18 ms), so
// threads add up as far as there are cores. A thread takes 200 MB, and 1.6 to 2.6 s from nothing to its first vector. Tried and turned down: doing the batched
// matrix products of the attention one by one with the faster kernel (a fifth less for chunks, a third more for short texts).
import { Worker } from 'node:worker_threads';
import type { Embedder } from '../../retrieval/ports.ts';
import type { Logger } from '../logger.ts';
import { createWorkerPool } from './builtin-embedder-pool.ts';

const DIMENSIONS = 512;

// The model reads the first 128 tokens and nothing after them (measured: texts that share these have equal vectors). Over
// 187 texts of three corpora 128 tokens were 464 to 503 characters at the median and 992 at the most. The cut saves the
// tokeniser, which takes 14 to 46 ms for 1,024 characters, from working on what is not read. Half of 696 five-sentence
// chunks of clapnq had more than 128 tokens; giving them the mean of the vectors of windows that fit found no more (nDCG@10
// 0.899 against 0.905, 153 questions over 300 texts) and cost up to twice as much.
// A shorter cut saves little: over 20 chunks of more than 900 characters, processor time a text on a busy machine was 193 ms
// with 1,024 characters, 187 with 512, 161 with 320; nDCG@10 of clapnq fused with BM25 0.9658 with 1,024, 0.9659 with 320.
const MAX_CHARACTERS = 1024;

// A run of the model costs about 28 ms of processor time whatever its size, and each text is padded to the longest beside
// it. Measured, processor time a text: 60 characters 44 ms alone, 17 ms by eights; 600 characters 140 ms alone, 153 ms by
// eights. So short texts share a run and long ones do not; and a question waits for no more than one such run.
const JOB_CHARACTERS = 512;

/** The built-in embedder's own settings. */
export interface BuiltinEmbedderOptions {
  /** Threads at the most, each with a model of its own. */
  readonly threads: number;
  readonly logger?: Pick<Logger, 'warn'>;
}

/** An embedder that owns threads. */
export interface BuiltinEmbedder extends Embedder {
  /** Starts all threads and loads their models, so that the first question does not wait for it. */
  warm(): Promise<void>;
  /** Ends the threads; running calls are rejected with EmbedderClosedError. */
  close(): Promise<void>;
}

/**
 * Makes the built-in embedder; threads start with the first text. It embeds English; questions go before documents.
 * The same text has the same vector whatever is embedded with it, to 2e-7 in each dimension (measured; padding changes the
 * order of sums). Of a longer text only the first 128 tokens count. A blank text has the vector (1, 0, 0, …): a unit vector
 * as the port asks, and near no text (no dimension of the model's vectors dominates).
 * @throws EmbedderStoppedError from `embed` when a thread dies twice over the same texts; EmbedderClosedError after `close`.
 */
export function createBuiltinEmbedder({ threads, logger }: BuiltinEmbedderOptions): BuiltinEmbedder {
  // A job is the texts of one run of the model, its result as many rows of 512 numbers one after another.
  const pool = createWorkerPool<string[], Float32Array>({ threads, startWorker: startModelWorker, logger });
  return {
    id: 'builtin:use-lite@1',
    dimensions: DIMENSIONS,
    async embed(texts, kind) {
      const prepared = texts.map(prepare);
      const jobs = groupByLength(prepared);
      const results = await pool.runAll(
        jobs.map((indices) => indices.map((index) => prepared[index] ?? '')),
        kind === 'question',
      );
      const vectors = texts.map(() => blankVector());
      jobs.forEach((indices, job) => {
        indices.forEach((index, row) => {
          vectors[index] = unitVector(results[job]?.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS));
        });
      });
      return vectors;
    },
    async warm() {
      await pool.runAll(
        Array.from({ length: threads }, () => ['warm']),
        true,
      );
    },
    close: () => pool.close(),
  };
}

// The tokeniser knows no white space but the space: a line break would become an unknown token.
function prepare(text: string): string {
  return text
    .slice(0, 4 * MAX_CHARACTERS)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_CHARACTERS);
}

// Indices of texts that share a run: of near lengths, JOB_CHARACTERS together with their padding. Blank texts are in none.
function groupByLength(texts: readonly string[]): number[][] {
  const lengths = texts.map((text) => text.length);
  const order = lengths
    .map((_, index) => index)
    .filter((index) => lengths[index] !== 0)
    .sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0));
  const groups: number[][] = [];
  let group: number[] = [];
  for (const index of order) {
    if (group.length > 0 && (group.length + 1) * (lengths[index] ?? 0) > JOB_CHARACTERS) {
      groups.push(group);
      group = [];
    }
    group.push(index);
  }
  if (group.length > 0) groups.push(group);
  return groups;
}

function blankVector(): number[] {
  const vector = new Array<number>(DIMENSIONS).fill(0);
  vector[0] = 1;
  return vector;
}

// The model's vectors have a length of 1 to 3e-7 already (measured); the division makes it exact.
function unitVector(row: Float32Array | undefined): number[] {
  const vector = Array.from(row ?? []);
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}

function startModelWorker(): Worker {
  // Without the parent's arguments: a loader or a debugger of the main thread is nothing to this one.
  return new Worker(new URL('./builtin-embedder-worker.js', import.meta.url), { execArgv: [] });
}
