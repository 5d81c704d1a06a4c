import type { Query } from '../retrieval/ports.ts';

/** An embedder as a tenant knows it: its vectors carry the number. */
export interface TenantEmbedder {
  readonly embedderId: number;
  readonly name: string;
  readonly state: 'active' | 'building' | 'retired';
}

/**
 * The tenant's number for an embedder. The first one of a tenant is active at once; a later one is built beside it and
 * not searched until it is complete.
 */
export async function ensureEmbedder(
  query: Query,
  tenantId: string,
  embedder: { readonly id: string; readonly dimensions: number },
): Promise<TenantEmbedder> {
  const known = await findEmbedder(query, tenantId, embedder.id);
  if (known) return known;
  await query(
    `with next as (
       update tenants set last_embedder_id = last_embedder_id + 1 where tenant_id = $1 returning last_embedder_id
     ) insert into embedders (tenant_id, embedder_id, name, dimensions, state)
         select $1, last_embedder_id, $2, $3, case when exists (
             select 1 from embedders where tenant_id = $1 and state = 'active') then 'building' else 'active' end
           from next
       on conflict (tenant_id, name) do nothing`,
    [tenantId, embedder.id, embedder.dimensions],
  );
  const made = await findEmbedder(query, tenantId, embedder.id);
  if (!made) throw new Error(`tenant ${tenantId} is not known; ensureTenant comes first`);
  return made;
}

async function findEmbedder(query: Query, tenantId: string, name: string): Promise<TenantEmbedder | undefined> {
  const rows = await query<TenantEmbedder>(
    'select embedder_id as "embedderId", name, state from embedders where tenant_id = $1 and name = $2',
    [tenantId, name],
  );
  return rows[0];
}
