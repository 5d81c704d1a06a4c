// What the API needs beyond what all adapters share.
import type { Audience, Citation } from '../../retrieval/model.ts';
import type { TraceEntry } from '../../retrieval/search.ts';
import type { Person } from '../ports.ts';

/** Which request a key stands for. */
export interface RequestKey {
  readonly tenantId: string;
  readonly actor: string;
  readonly key: string;
  /** Of the operation and all that was asked. */
  readonly digest: string;
}

/** Creating requests that are done once, shared by all instances. Never holds content: only what was made. */
export interface IdempotencyStore {
  /** `new`: the caller does it; then `end`, or `abandon` so that it may be tried again. */
  begin(
    request: RequestKey,
  ): Promise<{ readonly state: 'new' | 'running' | 'other' } | { readonly state: 'done'; readonly reference: string }>;
  end(request: RequestKey, reference: string): Promise<void>;
  abandon(request: RequestKey): Promise<void>;
}

/** Whether the person may add documents. */
export type MayIngest = (person: Person) => Promise<boolean>;

/** Every candidate of an answer, best first; null once the trace has expired. For admins only. */
export type ReadTrace = (tenantId: string, answerId: string) => Promise<readonly TraceEntry[] | null>;

/** Whether quotes given earlier may be shown to an audience now: `current`, or why not. One entry a citation. */
export type CheckQuotes = (
  tenantId: string,
  audience: Audience,
  citations: readonly Citation[],
) => Promise<readonly string[]>;
