// The texts of a tenant's chunks become vectors that fit beside those it has; what cannot be embedded is said in the log.
import type { Database, Embedder, Logger } from '../retrieval/ports.ts';
import { findEmbedder } from './active-embedder.ts';
import { embedAll } from './embed-batches.ts';

export interface EmbedChunksOptions {
  readonly database: Database;
  readonly embedder: Embedder;
  readonly logger: Pick<Logger, 'warn'>;
}

/** The chunks to embed. */
export interface ChunkTexts {
  readonly tenantId: string;
  readonly texts: readonly string[];
  /** What the log calls them all together, and each of them. No text. */
  readonly names: { readonly all: object; readonly each: (index: number) => object };
  /** As of `embedAll`. */
  readonly retries?: number;
}

/** Vectors, one a text; null where there is none. */
export interface EmbeddedChunks {
  readonly vectors: (number[] | null)[];
  /** Why the embedder could not be used; null = it could. */
  readonly away: unknown;
}

/** Embeds them. @throws EmbedderClosedError */
export async function embedChunks(
  { database, embedder, logger }: EmbedChunksOptions,
  { tenantId, texts, names, retries }: ChunkTexts,
): Promise<EmbeddedChunks> {
  const known = await database.transaction((query) => findEmbedder(query, tenantId, embedder.id));
  const fields = { tenantId, ...names.all, embedderId: embedder.id };
  let away: unknown = null;
  const vectors = await embedAll(embedder, texts, {
    ...(retries === undefined ? {} : { retries }),
    ...(known ? { dimensions: known.dimensions } : {}),
    onFailure: (index, error) =>
      logger.warn({ ...fields, ...names.each(index), err: error }, 'a chunk could not be embedded'),
    onAway(error) {
      away = error;
      logger.warn({ ...fields, err: error }, 'the embedder cannot be used; vectors follow when it can');
    },
  });
  return { vectors, away };
}

/** What is embedded of a chunk: it seldom repeats what its title and headings say. */
export function embeddingText(title: string, chunk: { headingPath: readonly string[] }, text: string): string {
  return `${[...new Set([title, ...chunk.headingPath])].filter(Boolean).join(' › ')}\n${text}`;
}
