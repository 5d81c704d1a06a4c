import type { AccessLevel, Audience, VisibleTo } from './model.ts';
import type { Query } from './ports.ts';

/**
 * What every member of the audience may read, by the one SQL function that decides it. Runs in a transaction of the
 * application role, since memberships are not readable to the retrieval role.
 * @returns ACL ids ascending and the levels they can have; both empty when the audience may read nothing.
 */
export async function visibleAcls(query: Query, tenantId: string, audience: Audience): Promise<VisibleTo> {
  const rows = await query<{ acl_id: number; access_level: AccessLevel }>(
    'select acl_id, access_level from visible_acls($1, $2::jsonb)',
    [tenantId, JSON.stringify(audience)],
  );
  return {
    tenantId,
    aclIds: rows.map((row) => row.acl_id),
    levels: [...new Set(rows.map((row) => row.access_level))].sort(),
  };
}
