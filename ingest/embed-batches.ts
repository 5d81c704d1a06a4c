// Embeds many texts so that one bad text, or one bad minute of a provider, costs as little as possible.
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { EmbedderClosedError, ModelError } from '../retrieval/errors.ts';
import type { Embedder } from '../retrieval/ports.ts';
import { PROBE_TEXT } from '../retrieval/probe-text.ts';
import { VectorSizeError } from './active-embedder.ts';

// Cohere takes no more texts in one request; OpenAI takes 2,048, and the built-in embedder divides them as it likes.
const DEFAULT_BATCH_SIZE = 96;

// More requests at a time run into the rate limits of hosted embedders and starve a local one's questions.
const MAX_CONCURRENCY = 8;

// 0.5, 2 and 8 seconds: rate limits by the second pass after the first, by the minute mostly after the last.
const DEFAULT_RETRIES = 3;
const FIRST_DELAY_MS = 500;
const DELAY_FACTOR = 4;

/** How texts are embedded in batches. */
export interface EmbedAllOptions {
  /** Texts a request; 96 when not given. */
  readonly batchSize?: number;
  /** Requests at a time, 1 to 8; more count as 8, which is also what holds when not given. */
  readonly concurrency?: number;
  /** New tries of a batch that failed, after 0.5, 2, 8… seconds; 3 when not given. */
  readonly retries?: number;
  /** Numbers that each vector must have; when not given, as many as the embedder says, else as the first vector has. */
  readonly dimensions?: number;
  /** Called after each batch with the number of texts that are done, failed ones included. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Called once for each text that the embedder failed on. */
  readonly onFailure?: (index: number, error: unknown) => void;
  /** Called once when the embedder is away; the texts that are left have no vector then, and no failure of their own. */
  readonly onAway?: (error: unknown) => void;
  readonly logger?: { warn(fields: object, message: string): void };
  /** How a delay passes; a real timer when not given. */
  readonly wait?: (delayMs: number) => Promise<unknown>;
}

/**
 * Embeds `texts` as documents: one vector a text, in order, null where the embedder failed on that very text or is away. A batch
 * that still fails after its retries is halved down to the failing texts, unless the embedder fails on a plain word too: it is
 * down, overloaded, set up wrongly or another model then, and is asked nothing more. Rejects only when the embedder was closed.
 * @throws EmbedderClosedError at once; RangeError when a number in the options is not a whole number of 1 or more (`retries`: 0 or more).
 */
export async function embedAll(
  embedder: Embedder,
  texts: readonly string[],
  options: EmbedAllOptions = {},
): Promise<(number[] | null)[]> {
  const batchSize = wholeNumber('batchSize', options.batchSize ?? DEFAULT_BATCH_SIZE, 1);
  const concurrency = wholeNumber('concurrency', options.concurrency ?? MAX_CONCURRENCY, 1);
  const retries = wholeNumber('retries', options.retries ?? DEFAULT_RETRIES, 0);
  const vectors: (number[] | null)[] = texts.map(() => null);
  const limit = pLimit(Math.min(concurrency, MAX_CONCURRENCY));
  const size: ExpectedSize = { dimensions: options.dimensions ?? embedder.dimensions };
  const attempt = (batch: readonly string[], retriesLeft: number) =>
    tryToEmbed(embedder, batch, size, { ...options, retries: retriesLeft });
  let done = 0;
  let away = false;

  async function embedBatch(start: number): Promise<void> {
    const indices = texts.slice(start, start + batchSize).map((_, offset) => start + offset);
    if (!away) await embedOrHalve(indices, retries);
    done += indices.length;
    options.onProgress?.(done, texts.length);
  }

  async function embedOrHalve(indices: readonly number[], retriesLeft: number, isHalf = false): Promise<void> {
    const outcome = await attempt(
      indices.map((index) => texts[index] ?? ''),
      retriesLeft,
    );
    if ('vectors' in outcome) {
      indices.forEach((index, position) => {
        vectors[index] = outcome.vectors[position] ?? null;
      });
    } else if (!isHalf && (await isAway())) {
      // Neither a refused text, which would be told, nor one to look for.
    } else if (indices.length === 1) {
      options.onFailure?.(indices[0] ?? 0, outcome.error);
    } else {
      // The delays were spent on the whole. A half is tried once; a single text once more, so that what failed by chance
      // during the halving is not lost.
      const middle = Math.ceil(indices.length / 2);
      for (const half of [indices.slice(0, middle), indices.slice(middle)]) {
        await embedOrHalve(half, half.length === 1 ? Math.min(1, retries) : 0, true);
      }
    }
  }

  // Not told by the kind of error: a server may answer with 500 to one text that it stumbles over, and to all while it is down.
  async function isAway(): Promise<boolean> {
    if (away) return true;
    const outcome = await attempt([PROBE_TEXT], 0);
    if ('vectors' in outcome) return false;
    if (!away) options.onAway?.(outcome.error);
    away = true;
    return true;
  }

  const starts = Array.from({ length: Math.ceil(texts.length / batchSize) }, (_, batch) => batch * batchSize);
  await Promise.all(starts.map((start) => limit(embedBatch, start)));
  return vectors;
}

/** Set by the first vector where nothing else tells it. */
interface ExpectedSize {
  dimensions: number | null;
}

async function tryToEmbed(
  embedder: Embedder,
  batch: readonly string[],
  size: ExpectedSize,
  { logger, wait = sleep, retries = 0 }: EmbedAllOptions,
): Promise<{ vectors: number[][] } | { error: unknown }> {
  for (let attempt = 1; ; attempt++) {
    try {
      const vectors = await embedder.embed(batch, 'document');
      assertShape(vectors, batch.length, embedder.id, size);
      return { vectors };
    } catch (error) {
      if (error instanceof EmbedderClosedError) throw error;
      // Name and code only: a provider's message may repeat the text.
      const { name, code } = error as { name?: unknown; code?: unknown };
      const fields = { embedderId: embedder.id, texts: batch.length, attempt, errorName: name, errorCode: code };
      logger?.warn(fields, 'embedding a batch failed');
      // Neither passes with time: vectors of another size, a key that is refused.
      const lasting = error instanceof VectorSizeError || (error instanceof ModelError && error.lasting);
      if (attempt > retries || lasting) return { error };
      await wait(FIRST_DELAY_MS * DELAY_FACTOR ** (attempt - 1));
    }
  }
}

// A vector in the wrong place or of the wrong size would be found under another text's name, or make every search fail.
function assertShape(vectors: readonly number[][], count: number, id: string, size: ExpectedSize): void {
  if (vectors.length !== count) throw new Error(`${id} gave ${vectors.length} vectors for ${count} texts`);
  const dimensions = size.dimensions ?? vectors[0]?.length ?? 0;
  for (const vector of vectors) {
    if (vector.length !== dimensions) throw new VectorSizeError(id, vector.length, dimensions);
    if (!vector.every(Number.isFinite)) throw new Error(`${id} gave a vector with a number that is none`);
  }
  size.dimensions = dimensions;
}

function wholeNumber(name: string, value: number, minimum: number): number {
  if (!Number.isInteger(value) || value < minimum) {
    throw new RangeError(`${name} must be a whole number of ${minimum} or more, not ${value}`);
  }
  return value;
}
