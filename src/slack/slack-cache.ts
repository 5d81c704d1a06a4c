// What was read from Slack, in the database, so that all instances agree and an event ends it for all of them.
import type { SlackCache, UserFacts, Usergroups } from '../../adapters/slack/ports.ts';
import { userPrincipal } from '../../adapters/slack/ports.ts';
import { bumpIndexVersion, ensureTenant } from '../../ingest/acl.ts';
import type { Database } from '../../retrieval/ports.ts';

/** Makes the cache. */
export function createSlackCache(database: Database): SlackCache {
  return {
    async members({ tenantId, teamId }, channel, maxAgeSeconds) {
      const rows = await database.transaction((query) =>
        query<{ members: string[] }>(
          `select members from chat_members where tenant_id = $1 and platform = 'slack' and workspace = $2
             and conversation = $3 and read_at > now() - $4 * interval '1 second'`,
          [tenantId, teamId, channel, maxAgeSeconds],
        ),
      );
      return rows[0]?.members ?? null;
    },
    putMembers: ({ tenantId, teamId }, channel, userIds, ageMs) =>
      database.transaction(async (query) => {
        await query(
          `insert into chat_members (tenant_id, platform, workspace, conversation, members) values ($1, 'slack', $2, $3, $4)
             on conflict (tenant_id, platform, workspace, conversation) do update
               set members = excluded.members, read_at = now()
               where chat_members.invalidated_at < now() - $5 * interval '1 millisecond'`,
          [tenantId, teamId, channel, userIds, ageMs],
        );
      }),
    async users({ tenantId, teamId }, userIds, maxAgeSeconds) {
      const rows = await database.transaction((query) =>
        query<{ user_id: string; facts: UserFacts }>(
          `select user_id, facts from chat_users where tenant_id = $1 and platform = 'slack' and workspace = $2
             and user_id = any($3::text[]) and read_at > now() - $4 * interval '1 second'`,
          [tenantId, teamId, userIds, maxAgeSeconds],
        ),
      );
      return new Map(rows.map(({ user_id: userId, facts }) => [userId, facts]));
    },
    putUsers: ({ tenantId, teamId }, users, ageMs) =>
      database.transaction(async (query) => {
        await query(
          `insert into chat_users (tenant_id, platform, workspace, user_id, facts)
             select $1, 'slack', $2, r.user_id, r.facts from jsonb_to_recordset($3::jsonb) as r(user_id text, facts jsonb)
             on conflict (tenant_id, platform, workspace, user_id) do update set facts = excluded.facts, read_at = now()
               where chat_users.invalidated_at < now() - $4 * interval '1 millisecond'`,
          [tenantId, teamId, JSON.stringify([...users].map(([userId, facts]) => ({ user_id: userId, facts }))), ageMs],
        );
      }),
  };
}

/** The directory that states the usergroups of a workspace. */
export function usergroupDirectory({ teamId }: { readonly teamId: string }): string {
  return `slack:${teamId}`;
}

/** Makes the store of usergroups: groups and memberships that the directory `slack:<workspace>` states. */
export function createUsergroups(database: Database): Usergroups {
  return {
    replace: ({ tenantId, teamId }, groups) =>
      database.transaction(async (query) => {
        const directory = usergroupDirectory({ teamId });
        const stated = groups.map(({ id, name }) => ({ principal: `slack:usergroup:${id}`, name }));
        const memberships = groups.flatMap(({ id, userIds }) =>
          [...new Set(userIds)].map((userId) => ({
            member: userPrincipal({ teamId }, userId),
            group: `slack:usergroup:${id}`,
          })),
        );
        await ensureTenant(query, tenantId);
        const before = await query<{ member: string; group: string }>(
          `select member, group_principal as "group" from memberships where tenant_id = $1 and directory = $2`,
          [tenantId, directory],
        );
        await query('delete from groups where tenant_id = $1 and directory = $2', [tenantId, directory]);
        await query(
          `insert into groups (tenant_id, principal, name, directory)
             select $1, r.principal, r.name, $2 from jsonb_to_recordset($3::jsonb) as r(principal text, name text)
             on conflict (tenant_id, principal) do update set name = excluded.name, read_at = now()`,
          [tenantId, directory, JSON.stringify(stated)],
        );
        await query('delete from memberships where tenant_id = $1 and directory = $2', [tenantId, directory]);
        await query(
          `insert into memberships (tenant_id, member, group_principal, directory)
             select $1, r.member, r."group", $2 from jsonb_to_recordset($3::jsonb) as r(member text, "group" text)`,
          [tenantId, directory, JSON.stringify(memberships)],
        );
        // Who may read what has changed only where a membership has: an hourly refresh makes no caches anew.
        if (!sameMemberships(before, memberships)) await bumpIndexVersion(query, tenantId);
      }),
  };
}

type Membership = { readonly member: string; readonly group: string };

function sameMemberships(before: readonly Membership[], after: readonly Membership[]): boolean {
  const key = ({ member, group }: Membership) => `${member} ${group}`;
  const known = new Set(before.map(key));
  return before.length === after.length && after.every((membership) => known.has(key(membership)));
}
