import type { Roster, RosterEntry } from '../../adapters/web/ports.ts';
import type { Database } from '../../retrieval/ports.ts';

// The demo company's departments; a person of two belongs to the first. In another tenant nobody is in one.
const DEPARTMENTS = [
  'leadership',
  'platform-team',
  'firmware-team',
  'finance',
  'legal',
  'people-team',
  'sales',
  'support',
  'operations',
  'security',
  'contractors',
].map((id) => `verbatim:group:${id}`);

interface Row {
  readonly email: string;
  readonly principals: readonly string[];
  readonly names: readonly string[];
}

/** The groups of each active person, inherited ones included. */
export function createRoster({ database }: { readonly database: Database }): Roster {
  return async (tenantId) => {
    const rows = await database.transaction((query) =>
      query<Row>(
        `select p.email, array_agg(g.principal order by g.name) as principals, array_agg(g.name order by g.name) as names
           from people p
           cross join lateral unnest(held_principals($1, jsonb_build_object('person', p.email))) as held (principal)
           join groups g on g.tenant_id = $1 and g.principal = held.principal
           where p.tenant_id = $1 and p.active group by p.email`,
        [tenantId],
      ),
    );
    return new Map(rows.map((row) => [row.email, rosterEntry(row)]));
  };
}

function rosterEntry({ principals, names }: Row): RosterEntry {
  const department = DEPARTMENTS.find((principal) => principals.includes(principal));
  const place = department === undefined ? -1 : principals.indexOf(department);
  return { department: names[place] ?? null, groups: names };
}
