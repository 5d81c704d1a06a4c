import { READERS_IN_WORDS } from '../ingest/document-summaries.ts';
import type { Query } from '../retrieval/ports.ts';
import type { JobCounts } from './database/queue.ts';
import type { Product } from './product.ts';

/** What an admin wants to see first. Ages in seconds. */
export interface Status {
  readonly tenantId: string;
  readonly database: string;
  readonly documentsByState: Readonly<Record<string, number>>;
  readonly chunks: number;
  readonly chunksWithoutVector: number;
  /** Whose vectors are searched; null before there are any. */
  readonly embedder: string | null;
  /** The configured embedder, while it is not the one above: `reembed` makes what is missing. */
  readonly pendingEmbedder: { readonly name: string; readonly chunksWithoutVector: number } | null;
  readonly people: {
    readonly active: number;
    readonly inactive: number;
    readonly guests: number;
    readonly groups: number;
  };
  readonly sources: readonly { sourceId: string; kind: string; documents: number; contentAgeSeconds: number | null }[];
  readonly failures: readonly { documentId: string; uri: string; code: string; reason: string }[];
  readonly jobs: Readonly<Record<string, JobCounts>>;
  readonly documents?: readonly DocumentRow[];
}

interface DocumentRow {
  readonly documentId: string;
  readonly uri: string;
  readonly state: string;
  readonly version: number;
  readonly accessLevel: string;
  /** The ACL in words: layers joined by "and". */
  readonly readers: string;
}

/** Reads the state of a tenant. The queue must have been started. */
export async function readStatus(
  product: Product,
  tenantId: string,
  { documents }: { documents: boolean },
): Promise<Status> {
  const jobs = await product.queue.counts();
  return product.database.transaction(async (query) => ({
    tenantId,
    database: product.config.databaseUrl ? 'server at DATABASE_URL' : `embedded in ${product.config.dataDir}`,
    ...(await readCorpus(query, tenantId, product.embedder.id)),
    people: await readPeople(query, tenantId),
    sources: await query<Status['sources'][number]>(
      `select s.source_id as "sourceId", s.kind, count(d.document_id)::int as documents,
           extract(epoch from now() - coalesce(s.content_checked_at, max(d.took_effect_at)))::int as "contentAgeSeconds"
         from sources s left join documents d
           on d.tenant_id = s.tenant_id and d.source_id = s.source_id and d.state in ('live', 'quarantined')
         where s.tenant_id = $1 group by s.tenant_id, s.source_id, s.kind, s.content_checked_at order by s.source_id`,
      [tenantId],
    ),
    failures: await query<Status['failures'][number]>(
      `select document_id as "documentId", uri, failure_code as code, failure_reason as reason from documents
         where tenant_id = $1 and failure_code is not null and state <> 'deleted' order by uri`,
      [tenantId],
    ),
    jobs,
    ...(documents ? { documents: await readDocuments(query, tenantId) } : {}),
  }));
}

async function readCorpus(
  query: Query,
  tenantId: string,
  configured: string,
): Promise<Pick<Status, 'documentsByState' | 'chunks' | 'chunksWithoutVector' | 'embedder' | 'pendingEmbedder'>> {
  const states = await query<{ state: string; count: number }>(
    'select state, count(*)::int as count from documents where tenant_id = $1 group by state order by state',
    [tenantId],
  );
  const counts = await query<{ chunks: number; without: number; withoutConfigured: number; embedder: string | null }>(
    `select count(*)::int as chunks, count(*) filter (where not ${hasVector("m.state = 'active'")})::int as without,
         count(*) filter (where not ${hasVector('m.name = $2')})::int as "withoutConfigured",
         (select name from embedders where tenant_id = $1 and state = 'active') as embedder
       from chunks c where c.tenant_id = $1`,
    [tenantId, configured],
  );
  const { chunks = 0, without = 0, withoutConfigured = 0, embedder = null } = counts[0] ?? {};
  const isPending = embedder !== null && embedder !== configured;
  return {
    documentsByState: Object.fromEntries(states.map(({ state, count }) => [state, count])),
    chunks,
    chunksWithoutVector: without,
    embedder,
    pendingEmbedder: isPending ? { name: configured, chunksWithoutVector: withoutConfigured } : null,
  };
}

// Of the chunk `c`.
function hasVector(ofEmbedder: string): string {
  return `exists (
    select 1 from chunk_embeddings e join embedders m on m.tenant_id = e.tenant_id and m.embedder_id = e.embedder_id
      where e.tenant_id = $1 and e.access_level = c.access_level and e.chunk_id = c.chunk_id and ${ofEmbedder})`;
}

async function readPeople(query: Query, tenantId: string): Promise<Status['people']> {
  const rows = await query<Status['people']>(
    `select count(*) filter (where active)::int as active, count(*) filter (where not active)::int as inactive,
         count(*) filter (where active and guest)::int as guests,
         (select count(*)::int from groups where tenant_id = $1) as groups
       from people where tenant_id = $1`,
    [tenantId],
  );
  return rows[0] ?? { active: 0, inactive: 0, guests: 0, groups: 0 };
}

async function readDocuments(query: Query, tenantId: string): Promise<DocumentRow[]> {
  return query<DocumentRow>(
    `select d.document_id as "documentId", d.uri, d.state, d.version, d.access_level as "accessLevel",
         ${READERS_IN_WORDS} as readers
       from documents d left join acls a on a.tenant_id = d.tenant_id and a.acl_id = d.acl_id
       where d.tenant_id = $1 and d.state <> 'deleted' order by d.uri`,
    [tenantId],
  );
}
