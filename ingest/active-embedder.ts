import { VerbatimError } from '../retrieval/errors.ts';
import type { Query } from '../retrieval/ports.ts';

/** An embedder as a tenant knows it: its vectors carry the number, and all have one size. */
export interface TenantEmbedder {
  readonly embedderId: number;
  readonly name: string;
  readonly dimensions: number;
  readonly state: 'active' | 'building' | 'retired';
}

/**
 * An embedder gives vectors of another size than those that are stored under its name. One of them among the others would make
 * every vector search of the tenant fail.
 */
export class VectorSizeError extends VerbatimError {
  constructor(
    embedderId: string,
    given: number,
    stored: number,
    advice = 'bring that one back, or run "verbatim reembed" to make all vectors anew',
  ) {
    super(
      'vector_size_changed',
      `${embedderId} gives vectors of ${given} numbers, and its stored ones have ${stored}: the model was replaced under its ` +
        `name; ${advice}`,
    );
  }
}

/**
 * The tenant's number for an embedder. The first one of a tenant is active at once; a later one is built beside it and
 * not searched until it is complete.
 * @throws VectorSizeError when its vectors have another size already.
 */
export async function ensureEmbedder(
  query: Query,
  tenantId: string,
  embedder: { readonly id: string; readonly dimensions: number },
): Promise<TenantEmbedder> {
  const known = await findEmbedder(query, tenantId, embedder.id);
  if (!known) await addEmbedder(query, tenantId, embedder);
  const found = known ?? (await findEmbedder(query, tenantId, embedder.id));
  if (!found) throw new Error(`tenant ${tenantId} is not known; ensureTenant comes first`);
  if (found.dimensions !== embedder.dimensions) {
    throw new VectorSizeError(embedder.id, embedder.dimensions, found.dimensions);
  }
  return found;
}

async function addEmbedder(
  query: Query,
  tenantId: string,
  embedder: { readonly id: string; readonly dimensions: number },
): Promise<void> {
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
}

/** What the tenant knows of an embedder; undefined while it has no vector of it. */
export async function findEmbedder(query: Query, tenantId: string, name: string): Promise<TenantEmbedder | undefined> {
  const rows = await query<TenantEmbedder>(
    'select embedder_id as "embedderId", name, dimensions, state from embedders where tenant_id = $1 and name = $2',
    [tenantId, name],
  );
  return rows[0];
}
