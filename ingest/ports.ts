// What ingest needs from outside, implemented in src/.
import type { Query } from '../retrieval/ports.ts';

/** Work that is handed on: at least once, so handlers are idempotent. */
export interface Jobs {
  readonly 'index-document': {
    readonly tenantId: string;
    readonly documentId: string;
    readonly version: number;
    /** Of the file as it came; a long one must not hold up others. */
    readonly byteSize?: number;
    /** Make the document live with its words alone; its vectors follow. */
    readonly embedLater?: boolean;
    /** A single document goes before a large batch. */
    readonly urgent?: boolean;
  };
  readonly 'embed-missing': { readonly tenantId: string };
  readonly 'refresh-statistics': { readonly tenantId: string };
}
export type JobName = keyof Jobs;

/** Sends work inside the caller's transaction: there is a job exactly when the transaction commits. */
export interface Outbox {
  send<Name extends JobName>(query: Query, name: Name, data: Jobs[Name]): Promise<void>;
}
