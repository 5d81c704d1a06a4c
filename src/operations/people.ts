import type { Channel, People, Person } from '../../adapters/ports.ts';
import { condenseAudience } from '../../retrieval/large-audience.ts';
import type { Database } from '../../retrieval/ports.ts';
import { visibleAcls } from '../../retrieval/visible-acls.ts';

const PERSON = 'p.tenant_id as "tenantId", p.email, p.name, p.role, p.guest, p.active';

// Who is in a channel: its members' principals and all that belongs to them, down to people. Those who left see nothing
// there any more and do not count.
const CHANNEL_PEOPLE = `with recursive inside as (
    select channel_id, member as principal from channel_members where tenant_id = $1
    union
    select i.channel_id, m.member from inside i
      join memberships m on m.tenant_id = $1 and m.group_principal = i.principal
  ), channel_people as (
    select distinct i.channel_id, p.email
      from inside i
      left join identities l on l.tenant_id = $1 and l.principal = i.principal
      join people p on p.tenant_id = $1 and p.active and (
        i.principal = 'verbatim:user:' || p.email or l.email = p.email
        or not p.guest and i.principal in ('verbatim:everyone', 'verbatim:role:' || p.role))
  )`;

/** The directory and the channels of the chat page over the database. */
export function createPeople({
  database,
  config,
}: {
  readonly database: Database;
  readonly config: { readonly largeAudiencePeople: number };
}): People {
  return {
    async find(tenantId, email) {
      const rows = await database.transaction((query) =>
        query<Person>(`select ${PERSON} from people p where p.tenant_id = $1 and p.email = lower($2)`, [
          tenantId,
          email,
        ]),
      );
      return rows[0] ?? null;
    },
    list: (tenantId) =>
      database.transaction((query) =>
        query<Person>(`select ${PERSON} from people p where p.tenant_id = $1 order by p.email`, [tenantId]),
      ),
    async linked(tenantId, principal) {
      const rows = await database.transaction((query) =>
        query<Person>(
          `select ${PERSON} from identities i join people p on p.tenant_id = i.tenant_id and p.email = i.email
             where i.tenant_id = $1 and i.principal = $2`,
          [tenantId, principal],
        ),
      );
      return rows[0] ?? null;
    },
    link: (tenantId, links) => storeLinks(database, tenantId, links),
    channels: (tenantId, email) =>
      database.transaction((query) =>
        query<Channel>(
          `${CHANNEL_PEOPLE}
           select c.channel_id as "channelId", c.name, c.purpose, array_agg(m.email order by m.email) as members
             from channels c join channel_people m on m.channel_id = c.channel_id
             where c.tenant_id = $1
             group by c.channel_id, c.name, c.purpose having bool_or(m.email = lower($2)) order by c.name, c.channel_id`,
          [tenantId, email],
        ),
      ),
    seesMoreAlone: (tenantId, email, audience) =>
      database.transaction(async (query) => {
        const shared = await condenseAudience(query, tenantId, audience, config.largeAudiencePeople);
        const together = new Set((await visibleAcls(query, tenantId, shared)).aclIds);
        const alone = await visibleAcls(query, tenantId, [{ person: email }]);
        return alone.aclIds.some((aclId) => !together.has(aclId));
      }),
  };
}

async function storeLinks(
  database: Database,
  tenantId: string,
  links: readonly { principal: string; email: string | null }[],
): Promise<void> {
  const gone = links.filter(({ email }) => email === null).map(({ principal }) => principal);
  const verified = links.filter(({ email }) => email !== null);
  await database.transaction(async (query) => {
    await query('delete from identities where tenant_id = $1 and principal = any($2::text[])', [tenantId, gone]);
    await query(
      `insert into identities (tenant_id, principal, email)
         select $1, principal, lower(email) from jsonb_to_recordset($2::jsonb) as r(principal text, email text)
         on conflict (tenant_id, principal) do update set email = excluded.email, verified_at = now()`,
      [tenantId, JSON.stringify(verified)],
    );
  });
}
