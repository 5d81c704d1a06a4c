// ACLs by reference: layers belong to nodes of a source and are stored once; distinct sets of layers are interned.
import { createHash } from 'node:crypto';
import { levelPrincipals, namesPeople, withHigherRoles } from '../retrieval/access-policy.ts';
import type { AccessLevel, Principal } from '../retrieval/model.ts';
import type { Query } from '../retrieval/ports.ts';

/** What an admin asks for on ingest. Empty `allow` and `require` = admins only. */
export interface AclRequest {
  /** One layer: a reader holds any of these. */
  readonly allow: readonly Principal[];
  /** One layer each. */
  readonly require: readonly Principal[];
  /** Who holds any of these never reads it. */
  readonly deny: readonly Principal[];
  /** Added to the level's layer: they read it in spite of their role. */
  readonly grant: readonly Principal[];
  /** Given by the admin; null = derived by the tagger. */
  readonly level: AccessLevel | null;
}

/** A node of a source and who it lets in; `principals` are any-of. */
export interface Layer {
  readonly node: string;
  readonly principals: readonly Principal[];
}

/** Layers by their ids, with what is denied. */
export interface Acl {
  readonly accessLevel: AccessLevel;
  readonly layerIds: readonly number[];
  readonly denied: readonly Principal[];
}

const MAX_READABLE_NODE = 200; // characters; longer names are hashed, an index entry holds about 2,700 bytes

// A layer that is nothing but its principals is named by them, so that equal requests share one.
function anyOf(principals: readonly Principal[], prefix = 'verbatim:any-of'): Layer {
  const sorted = withHigherRoles(principals);
  const name = sorted.join(',');
  const short = name.length <= MAX_READABLE_NODE ? name : createHash('sha256').update(name).digest('hex');
  return { node: `${prefix}:${short}`, principals: sorted };
}

/**
 * The layers of a request at an access level. A derived level never takes away what `allow` gave to a named user or
 * group: naming them is an explicit grant, and a grant beats the hierarchy of roles. A level that the admin gave is one
 * more requirement, which only `grant` opens.
 */
export function requestedLayers(request: AclRequest, accessLevel: AccessLevel): Layer[] {
  const { allow, require, grant, level } = request;
  const layers: Layer[] = [];
  if (allow.length > 0) layers.push(anyOf([...allow, ...grant]));
  else if (require.length === 0) layers.push(anyOf(['verbatim:role:admin', ...grant]));
  for (const principal of require) layers.push(anyOf([principal]));
  const byRole = levelPrincipals(accessLevel);
  if (byRole) {
    const granted = level === null ? [...grant, ...allow.filter(namesPeople)] : grant;
    layers.push(anyOf([...byRole, ...granted], `verbatim:level:${accessLevel}`));
  }
  return layers;
}

/** Makes the layer of a node say what it says now. Every document under the node follows at once. */
export async function putLayer(query: Query, tenantId: string, layer: Layer, resolved = true): Promise<number> {
  const known = await query<{ layer_id: number; resolved: boolean }>(
    'select layer_id, resolved from acl_layers where tenant_id = $1 and node = $2 for update',
    [tenantId, layer.node],
  );
  const layerId = known[0]?.layer_id ?? (await newLayer(query, tenantId, layer.node));
  await query('update acl_layers set resolved = $3, read_at = now() where tenant_id = $1 and layer_id = $2', [
    tenantId,
    layerId,
    resolved,
  ]);
  const changed = await query(
    `with gone as (
       delete from acl_layer_principals where tenant_id = $1 and layer_id = $2 and principal <> all($3::text[]) returning 1
     ), come as (
       insert into acl_layer_principals (tenant_id, layer_id, principal)
         select $1, $2, principal from unnest($3::text[]) principal on conflict do nothing returning 1
     ) select 1 from gone union all select 1 from come`,
    [tenantId, layerId, layer.principals],
  );
  const turned = known[0] !== undefined && known[0].resolved !== resolved;
  if (changed.length > 0 || turned) await bumpIndexVersion(query, tenantId);
  return layerId;
}

async function newLayer(query: Query, tenantId: string, node: string): Promise<number> {
  const rows = await query<{ layer_id: number }>(
    `with next as (
       update tenants set last_layer_id = last_layer_id + 1 where tenant_id = $1 returning last_layer_id
     ) insert into acl_layers (tenant_id, layer_id, node) select $1, last_layer_id, $2 from next
       on conflict (tenant_id, node) do update set node = excluded.node returning layer_id`,
    [tenantId, node],
  );
  return required(rows[0]).layer_id;
}

/** The id of an ACL; equal ones share one. The caller has made the tenant. */
export async function internAcl(query: Query, tenantId: string, acl: Acl): Promise<number> {
  const layerIds = [...new Set(acl.layerIds)].sort((a, b) => a - b);
  const denied = [...new Set(acl.denied)].sort();
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([acl.accessLevel, layerIds, denied]))
    .digest('hex');
  const known = await query<{ acl_id: number }>('select acl_id from acls where tenant_id = $1 and fingerprint = $2', [
    tenantId,
    fingerprint,
  ]);
  if (known[0]) return known[0].acl_id;
  const rows = await query<{ acl_id: number }>(
    `with next as (
       update tenants set last_acl_id = last_acl_id + 1 where tenant_id = $1 returning last_acl_id
     ) insert into acls (tenant_id, acl_id, fingerprint, access_level, layer_ids, denied)
         select $1, last_acl_id, $2, $3, $4, $5 from next
       on conflict (tenant_id, fingerprint) do update set fingerprint = excluded.fingerprint returning acl_id`,
    [tenantId, fingerprint, acl.accessLevel, layerIds, denied],
  );
  return required(rows[0]).acl_id;
}

/** The id of the ACL that a request means at a level. */
export async function requestedAcl(
  query: Query,
  tenantId: string,
  request: AclRequest,
  accessLevel: AccessLevel,
): Promise<number> {
  const layerIds: number[] = [];
  for (const layer of requestedLayers(request, accessLevel)) {
    // Named by its principals, such a layer never changes: no lock on a row that every document of a tenant shares.
    const known = await query<{ layer_id: number }>(
      'select layer_id from acl_layers where tenant_id = $1 and node = $2',
      [tenantId, layer.node],
    );
    layerIds.push(known[0]?.layer_id ?? (await putLayer(query, tenantId, layer)));
  }
  return internAcl(query, tenantId, { accessLevel, layerIds, denied: request.deny });
}

/** The id of the ACL that satisfies only those who satisfy both, at the first one's level. */
export async function strictestOf(query: Query, tenantId: string, aclId: number, other: number): Promise<number> {
  if (aclId === other) return aclId;
  const rows = await query<{ acl_id: number; access_level: AccessLevel; layer_ids: number[]; denied: string[] }>(
    'select acl_id, access_level, layer_ids, denied from acls where tenant_id = $1 and acl_id = any($2::int[])',
    [tenantId, [aclId, other]],
  );
  const accessLevel = required(rows.find((row) => row.acl_id === aclId)).access_level;
  return internAcl(query, tenantId, {
    accessLevel,
    layerIds: rows.flatMap((row) => row.layer_ids),
    denied: rows.flatMap((row) => row.denied),
  });
}

/** Says that answers may differ from now on. */
export async function bumpIndexVersion(query: Query, tenantId: string): Promise<void> {
  await query('update tenants set index_version = index_version + 1 where tenant_id = $1', [tenantId]);
}

/** Makes the tenant's row, which counts its ids. */
export async function ensureTenant(query: Query, tenantId: string): Promise<void> {
  await query('insert into tenants (tenant_id) values ($1) on conflict do nothing', [tenantId]);
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the tenant is not known; ensureTenant comes first');
  return value;
}
