import { EVERYONE } from './access-policy.ts';
import type { Audience } from './model.ts';
import type { Query } from './ports.ts';

/**
 * The audience that stands for one of more than `maxPeople`: members of the tenant together count as `verbatim:everyone`,
 * which each of them holds; guests, strangers and whoever is not an active member stay, each as what they are. It may read
 * at most what the whole audience may, and costs one check for all members instead of one for each.
 */
export async function condenseAudience(
  query: Query,
  tenantId: string,
  audience: Audience,
  maxPeople: number,
): Promise<Audience> {
  if (audience.length <= maxPeople) return audience;
  const emails = audience.flatMap((member) => ('person' in member ? [member.person.toLowerCase()] : []));
  const members = await query<{ email: string }>(
    'select email from people where tenant_id = $1 and email = any($2::text[]) and active and not guest',
    [tenantId, emails],
  );
  const known = new Set(members.map((row) => row.email));
  const others = audience.filter((member) => !('person' in member && known.has(member.person.toLowerCase())));
  return known.size === 0 ? others : [{ principals: [EVERYONE] }, ...others];
}
