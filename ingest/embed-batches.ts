// Embeds many texts so that one bad text, or one bad minute of a provider, costs as little as possible.
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { EmbedderClosedError } from '../retrieval/errors.ts';
import type { Embedder } from '../retrieval/ports.ts';

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
  /** Called after each batch with the number of texts that are done, failed ones included. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Called once for each text that has no vector in the end. */
  readonly onFailure?: (index: number, error: unknown) => void;
  readonly logger?: { warn(fields: object, message: string): void };
  /** How a delay passes; a real timer when not given. */
  readonly wait?: (delayMs: number) => Promise<unknown>;
}

/**
 * Embeds `texts` as documents: one vector a text, in order, null where the embedder failed on that very text. A batch that
 * still fails after its retries is halved down to the failing texts. A fault of the embedder rejects only when it was closed.
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
  let done = 0;
  const embedBatch = async (start: number) => {
    const indices = texts.slice(start, start + batchSize).map((_, offset) => start + offset);
    await embedOrHalve(indices, retries);
    done += indices.length;
    options.onProgress?.(done, texts.length);
  };

  async function embedOrHalve(indices: readonly number[], retriesLeft: number): Promise<void> {
    const batch = indices.map((index) => texts[index] ?? '');
    const outcome = await tryToEmbed(embedder, batch, retriesLeft, options);
    if ('vectors' in outcome) {
      indices.forEach((index, position) => {
        vectors[index] = outcome.vectors[position] ?? null;
      });
    } else if (indices.length === 1) {
      options.onFailure?.(indices[0] ?? 0, outcome.error);
    } else {
      // The delays were spent on the whole. A half is tried once; a single text once more, so that what failed by chance
      // during the halving is not lost.
      const middle = Math.ceil(indices.length / 2);
      for (const half of [indices.slice(0, middle), indices.slice(middle)]) {
        await embedOrHalve(half, half.length === 1 ? Math.min(1, retries) : 0);
      }
    }
  }

  const starts = Array.from({ length: Math.ceil(texts.length / batchSize) }, (_, batch) => batch * batchSize);
  await Promise.all(starts.map((start) => limit(embedBatch, start)));
  return vectors;
}

async function tryToEmbed(
  embedder: Embedder,
  batch: readonly string[],
  retries: number,
  { logger, wait = sleep }: EmbedAllOptions,
): Promise<{ vectors: number[][] } | { error: unknown }> {
  for (let attempt = 1; ; attempt++) {
    try {
      const vectors = await embedder.embed(batch, 'document');
      assertShape(vectors, batch.length, embedder);
      return { vectors };
    } catch (error) {
      if (error instanceof EmbedderClosedError) throw error;
      // Name and code only: a provider's message may repeat the text.
      const { name, code } = error as { name?: unknown; code?: unknown };
      const fields = { embedderId: embedder.id, texts: batch.length, attempt, errorName: name, errorCode: code };
      logger?.warn(fields, 'embedding a batch failed');
      if (attempt > retries) return { error };
      await wait(FIRST_DELAY_MS * DELAY_FACTOR ** (attempt - 1));
    }
  }
}

// A vector in the wrong place or of the wrong size would be found under another text's name.
function assertShape(vectors: readonly number[][], count: number, { id, dimensions }: Embedder): void {
  if (vectors.length !== count) throw new Error(`${id} gave ${vectors.length} vectors for ${count} texts`);
  for (const vector of vectors) {
    if (vector.length !== dimensions || !vector.every(Number.isFinite)) {
      throw new Error(`${id} gave a vector that does not have ${dimensions} finite numbers`);
    }
  }
}

function wholeNumber(name: string, value: number, minimum: number): number {
  if (!Number.isInteger(value) || value < minimum) {
    throw new RangeError(`${name} must be a whole number of ${minimum} or more, not ${value}`);
  }
  return value;
}
