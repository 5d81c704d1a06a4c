// What the core needs from outside, each port owned here and implemented in src/.
import type { RankedChunk, VisibleTo } from './model.ts';

/** Runs one statement; values are always parameters. Rows have the column names of the statement as keys. */
export type Query = <Row extends object>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;

/** A transactional database. Every call is one transaction under the least role that can do the work. */
export interface Database {
  /**
   * Reads as the role that can only read, with row-level security on the tenant and the visible ACLs of `scope`.
   * `oneStatement` refuses a second statement and saves packets.
   * @throws DatabaseTimeoutError after `timeoutMs`; the statement is cancelled.
   */
  read<T>(
    scope: VisibleTo,
    run: (query: Query) => Promise<T>,
    options?: { timeoutMs?: number; oneStatement?: boolean },
  ): Promise<T>;
  /**
   * Reads and writes as the application role: all or nothing. Never call it inside another transaction. `readOnly` refuses
   * writes and saves round trips, with `oneStatement` as above.
   */
  transaction<T>(
    run: (query: Query) => Promise<T>,
    options?: { readOnly?: boolean; oneStatement?: boolean },
  ): Promise<T>;
}

/** Turns texts into unit vectors. Vectors of different `id`s are never compared. */
export interface Embedder {
  /** Provider, model and version, such as `builtin:use-lite@1`. */
  readonly id: string;
  /** Null where only a vector tells it. */
  readonly dimensions: number | null;
  /** One vector an input, in order: `number[][]` of `texts.length` × `dimensions`, each of length 1. */
  embed(texts: readonly string[], kind: 'document' | 'question'): Promise<number[][]>;
}

/** Orders the top candidates anew. Scores are comparable within one call only. */
export interface Reranker {
  readonly id: string;
  /** One score a text, in order. */
  rerank(question: string, texts: readonly string[]): Promise<number[]>;
}

/** A chunk as a model gets it: its parent section around it. */
export interface ContextChunk extends RankedChunk {
  readonly sectionText: string;
}

/** What a model says. A quote must occur in its chunk and have 12 characters or more. */
export interface ModelAnswer {
  readonly sufficient: boolean;
  readonly answer: string;
  readonly citations: readonly { readonly chunkId: string; readonly quote: string }[];
  /** That the citations answer the question, 0…1, from a model that can tell: confidence is never above it. */
  readonly probability?: number;
  readonly usage?: ModelUsage;
}

/** What a call of a model used, as its provider counts it; 0 where it counts nothing. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Null: there is a price, and the provider did not count. */
  readonly costUsd: number | null;
}

/**
 * How rare each word and identifier of a question is in the tenant's documents: its idf as a share of the highest there can
 * be, 0…1. Empty where nothing is known of the documents.
 */
export type TermRarity = ReadonlyMap<string, number>;

/** Writes an answer from the context and nothing else. */
export interface AnswerModel {
  /** Such as `extractive` or `openai:gpt-5`. */
  readonly id: string;
  /**
   * `rejectedQuotes` are the quotes of a first answer that do not occur in their chunks, or name a chunk that was not given:
   * the request names them, so it is never the same twice.
   * @throws ModelError with what was used up where that is known
   */
  answer(
    request: {
      readonly question: string;
      readonly context: readonly ContextChunk[];
      readonly termRarity?: TermRarity;
      readonly rejectedQuotes: readonly string[];
    },
    options: { readonly signal: AbortSignal },
  ): Promise<ModelAnswer>;
}

/** The time, in milliseconds since 1970. */
export type Clock = () => number;

/** Where the product says what it did: a constant message and fields. Never a question, a chunk or a token. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
