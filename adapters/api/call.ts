// A call of the API as its handler sees it: authenticated, validated, and without HTTP.
import type { AnswerStage } from '../../retrieval/answer-question.ts';
import type { Person } from '../ports.ts';

/** A file that came in a form. */
export interface UploadedFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** A valid call. `body`, `query` and `path` are as the OpenAPI document has them. */
export interface Call {
  readonly person: Person;
  readonly path: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  readonly file: UploadedFile | null;
  readonly onStage: (stage: AnswerStage) => void;
  /** Aborted when the caller has left. */
  readonly signal: AbortSignal;
}

/** What comes of a call. */
export interface Reply {
  readonly status: number;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** The id of what was made or read, for the audit log and for a repetition with the same Idempotency-Key. */
  readonly reference: string;
}

/** One operation of a person. */
export interface Handler {
  /** Before anything is read of the request: whether the person may call this at all. Everybody, when it is left out. */
  readonly allows?: (person: Person) => Promise<boolean> | boolean;
  readonly run: (call: Call) => Promise<Reply>;
  /** The reply to a repetition of a call that made `reference`; what it shows is checked now. */
  readonly repeat?: (call: Call, reference: string) => Promise<Reply>;
}
