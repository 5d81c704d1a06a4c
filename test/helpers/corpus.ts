// Documents through the product's own path, with a queue that only notes what it was sent.
import { randomUUID } from 'node:crypto';
import type { AclRequest } from '../../ingest/acl.ts';
import { type Submission, type Submitted, submitDocument } from '../../ingest/documents.ts';
import { createIndexer } from '../../ingest/index-document.ts';
import type { Outbox } from '../../ingest/ports.ts';
import { refreshStatistics } from '../../ingest/statistics.ts';
import type { Database, Embedder, Logger } from '../../retrieval/ports.ts';
import { createTestLogger } from './test-logger.ts';
import { createWordEmbedder } from './word-embedder.ts';

/** An ACL request of which only the parts that matter are written. */
export function acl(request: Partial<AclRequest> = {}): AclRequest {
  return { allow: [], require: [], deny: [], grant: [], level: null, ...request };
}

/** Submits and indexes documents of a tenant. */
export interface Corpus {
  readonly sent: string[];
  submit(uri: string, content: string | Uint8Array, options?: Partial<Submission>): Promise<Submitted>;
  /** Indexes the pending version. */
  index(submitted: Submitted): Promise<boolean>;
  add(uri: string, content: string | Uint8Array, options?: Partial<Submission>): Promise<string>;
  refresh(): Promise<void>;
}

export function createCorpus(
  database: Database,
  {
    tenantId = 'acme',
    embedder = createWordEmbedder(),
    logger = createTestLogger().logger,
    cutBelowSimilarity = null,
  }: { tenantId?: string; embedder?: Embedder; logger?: Logger; cutBelowSimilarity?: number | null } = {},
): Corpus {
  const sent: string[] = [];
  const outbox: Outbox = {
    async send(_query, name) {
      sent.push(name);
    },
  };
  const indexDocument = createIndexer({
    database,
    outbox,
    embedder,
    logger,
    workerId: randomUUID(),
    cutBelowSimilarity,
  });
  const submit: Corpus['submit'] = (uri, content, options = {}) =>
    database.transaction((query) =>
      submitDocument(query, outbox, {
        tenantId,
        sourceId: 'upload',
        uri,
        fileName: uri.split('/').at(-1) ?? uri,
        mediaType: '',
        bytes: typeof content === 'string' ? Buffer.from(content) : content,
        acl: acl({ allow: ['verbatim:everyone'], level: 'public' }),
        submittedBy: 'test',
        ...options,
      }),
    );
  const index: Corpus['index'] = ({ documentId, version }) => indexDocument({ tenantId, documentId, version });
  return {
    sent,
    submit,
    index,
    async add(uri, content, options) {
      const submitted = await submit(uri, content, options);
      await index(submitted);
      return submitted.documentId;
    },
    refresh: () =>
      database.transaction(async (query) => {
        await refreshStatistics(query, tenantId, true);
      }),
  };
}
