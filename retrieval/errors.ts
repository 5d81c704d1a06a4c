// One subclass for each thing that a caller handles differently. `code` is stable; the message is for the operator.
import type { ModelUsage } from './ports.ts';

/** Base of all errors that the product throws on purpose. */
export class VerbatimError extends Error {
  readonly code: string;
  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** Something given by a person is not usable; the message says what to give instead. Exit status 2, HTTP 4xx. */
export class UsageError extends VerbatimError {
  constructor(message: string, options?: { cause?: unknown }) {
    super('usage', message, options);
  }
}

/** A model did not give what was asked of it. */
export class ModelError extends VerbatimError {
  /** What its provider had counted before; null: nothing, or nothing that is known. */
  readonly usage: ModelUsage | null;
  /** Whether it stays so until somebody does something about it: nothing is gained by asking again soon. */
  readonly lasting: boolean;
  constructor(code: string, message: string, usage: ModelUsage | null = null, lasting = false) {
    super(code, message);
    this.usage = usage;
    this.lasting = lasting;
  }
}

/** A statement ran past its deadline and was cancelled. */
export class DatabaseTimeoutError extends VerbatimError {
  constructor(timeoutMs: number, options?: { cause?: unknown }) {
    super('database_timeout', `a query took longer than ${timeoutMs} ms and was cancelled`, options);
  }
}

/** The database cannot be reached, opened or used. The message says what to check. */
export class DatabaseUnavailableError extends VerbatimError {
  constructor(message: string, options?: { cause?: unknown }) {
    super('database_unavailable', message, options);
  }
}

/** The embedder was closed, because the process is ending: nothing to try again, and nothing that is wrong with a text. */
export class EmbedderClosedError extends VerbatimError {
  constructor() {
    super('embedder_closed', 'the embedder is closed; the process is ending');
  }
}
