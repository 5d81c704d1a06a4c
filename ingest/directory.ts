// Directories state who there is and who belongs to what; each replaces its own statements only.

import { counted } from '../retrieval/counted.ts';
import { UsageError } from '../retrieval/errors.ts';
import type { Query } from '../retrieval/ports.ts';
import { bumpIndexVersion, ensureTenant } from './acl.ts';
import { putChannels } from './channels.ts';
import type { Directory } from './directory-file.ts';

export interface ImportOptions {
  readonly tenantId: string;
  /** Which directory speaks, such as `import` or `entra`. */
  readonly name: string;
  /** Keep people and groups that the directory does not name. */
  readonly merge: boolean;
  /** Deactivate as many people as it takes. */
  readonly force: boolean;
}

/** Counts of people and groups. */
export interface ImportSummary {
  readonly people: number;
  readonly added: number;
  readonly deactivated: number;
  readonly groups: number;
  readonly memberships: number;
  /** Members of groups that are neither a person nor a group of the tenant, as the file writes them: they hold nothing. */
  readonly unknownMembers: readonly string[];
}

// A truncated export must not lock a company out: more than this share gone is a question, not a fact.
const MAX_DEACTIVATED_SHARE = 0.5;
const SMALL_DIRECTORY = 3; // people

/**
 * Makes the directory's people, groups and memberships what the file says, in the caller's transaction. People that it no
 * longer names are deactivated and hold nothing from then on.
 * @throws UsageError when all, or more than half of more than three people would be deactivated, unless `force`.
 */
export async function importDirectory(
  query: Query,
  directory: Directory,
  options: ImportOptions,
): Promise<ImportSummary> {
  const { tenantId, name } = options;
  await ensureTenant(query, tenantId);
  const emails = directory.people.map((person) => person.email);
  const deactivated = options.merge ? 0 : await deactivateOthers(query, emails, options);
  const added = await putPeople(query, directory, options);
  const groups = directory.groups.map((group) => ({ ...group, principal: `verbatim:group:${group.id}` }));
  const principals = groups.map((group) => group.principal);
  const replaced = options.merge ? 'group_principal = any($3::text[])' : '($3::text[] is not null)';
  await query(`delete from memberships where tenant_id = $1 and directory = $2 and ${replaced}`, [
    tenantId,
    name,
    principals,
  ]);
  if (!options.merge) {
    await query('delete from groups where tenant_id = $1 and directory = $2 and principal <> all($3::text[])', [
      tenantId,
      name,
      principals,
    ]);
  }
  await query(
    `insert into groups (tenant_id, principal, name, directory)
       select $1, r.principal, r.name, $2 from jsonb_to_recordset($3::jsonb) as r(principal text, name text)
       on conflict (tenant_id, principal) do update set name = excluded.name, directory = excluded.directory, read_at = now()`,
    [tenantId, name, JSON.stringify(groups)],
  );
  const memberships = groups.flatMap(({ principal, members }) =>
    [...new Set(members.map(memberPrincipal))].map((member) => ({ member, group: principal })),
  );
  await query(
    `insert into memberships (tenant_id, member, group_principal, directory)
       select $1, r.member, r."group", $2 from jsonb_to_recordset($3::jsonb) as r(member text, "group" text)`,
    [tenantId, name, JSON.stringify(memberships)],
  );
  if (directory.channels) await putChannels(query, directory.channels, options);
  await bumpIndexVersion(query, tenantId);
  return {
    people: emails.length,
    added,
    deactivated,
    groups: groups.length,
    memberships: memberships.length,
    unknownMembers: await unknownMembers(query, options),
  };
}

async function unknownMembers(query: Query, { tenantId, name }: ImportOptions): Promise<string[]> {
  const rows = await query<{ member: string }>(
    `select distinct regexp_replace(m.member, '^verbatim:(user:)?', '') as member from memberships m
       where m.tenant_id = $1 and m.directory = $2
         and not exists (select 1 from people p where p.tenant_id = $1 and 'verbatim:user:' || p.email = m.member)
         and not exists (select 1 from groups g where g.tenant_id = $1 and g.principal = m.member)
       order by member`,
    [tenantId, name],
  );
  return rows.map(({ member }) => member);
}

async function putPeople(query: Query, directory: Directory, { tenantId, name }: ImportOptions): Promise<number> {
  const rows = await query<{ added: boolean }>(
    `insert into people (tenant_id, email, name, role, active, guest, directory)
       select $1, r.email, r.name, r.role, r.active, r.guest, $2
         from jsonb_to_recordset($3::jsonb) as r(email text, name text, role text, active boolean, guest boolean)
       on conflict (tenant_id, email) do update set name = excluded.name, role = excluded.role, active = excluded.active,
         guest = excluded.guest, directory = excluded.directory, read_at = now()
       returning xmax::text = '0' as added`,
    [tenantId, name, JSON.stringify(directory.people)],
  );
  return rows.filter((row) => row.added).length;
}

async function deactivateOthers(query: Query, emails: readonly string[], options: ImportOptions): Promise<number> {
  const active = await query<{ email: string; named: boolean }>(
    `select email, email = any($3::text[]) as named from people
       where tenant_id = $1 and directory = $2 and active for update`,
    [options.tenantId, options.name, emails],
  );
  const gone = active.filter((person) => !person.named).map((person) => person.email);
  const nobodyStays = gone.length > 0 && gone.length === active.length;
  const tooMany =
    nobodyStays || (gone.length > MAX_DEACTIVATED_SHARE * active.length && active.length > SMALL_DIRECTORY);
  if (tooMany && !options.force) {
    throw new UsageError(
      `the file leaves out ${gone.length} of ${counted(active.length, 'active person', 'active people')} (such as ${gone[0]}), ` +
        'who would lose all access; add --merge to keep them or --force to deactivate them',
    );
  }
  await query('update people set active = false, read_at = now() where tenant_id = $1 and email = any($2::text[])', [
    options.tenantId,
    gone,
  ]);
  return gone.length;
}

function memberPrincipal(member: string): string {
  return member.startsWith('group:') ? `verbatim:${member}` : `verbatim:user:${member}`;
}
