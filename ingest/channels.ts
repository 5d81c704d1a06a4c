// Channels of the chat page. Who is in one is expanded when a question is asked, so a group's new member is in at once.
import type { Query } from '../retrieval/ports.ts';

/** A channel as a directory states it. Members are e-mails, `group:` and a group's id, or `everyone`. */
export interface DirectoryChannel {
  readonly id: string;
  readonly name: string;
  readonly purpose: string;
  readonly members: readonly string[];
}

/** Makes a directory's channels what it says, in the caller's transaction. With `merge` the others of the directory stay. */
export async function putChannels(
  query: Query,
  channels: readonly DirectoryChannel[],
  { tenantId, name, merge }: { readonly tenantId: string; readonly name: string; readonly merge: boolean },
): Promise<void> {
  const ids = channels.map((channel) => channel.id);
  const gone = await query<{ channel_id: string }>(
    `delete from channels where tenant_id = $1 and directory = $2 and channel_id <> all($3::text[]) and not $4
       returning channel_id`,
    [tenantId, name, ids, merge],
  );
  await query('delete from channel_members where tenant_id = $1 and channel_id = any($2::text[])', [
    tenantId,
    [...ids, ...gone.map((row) => row.channel_id)],
  ]);
  await query(
    `insert into channels (tenant_id, channel_id, name, purpose, directory)
       select $1, r.id, r.name, r.purpose, $2 from jsonb_to_recordset($3::jsonb) as r(id text, name text, purpose text)
       on conflict (tenant_id, channel_id) do update
         set name = excluded.name, purpose = excluded.purpose, directory = excluded.directory`,
    [tenantId, name, JSON.stringify(channels)],
  );
  const members = channels.flatMap((channel) =>
    [...new Set(channel.members.map(memberPrincipal))].map((member) => ({ channel: channel.id, member })),
  );
  await query(
    `insert into channel_members (tenant_id, channel_id, member)
       select $1, r.channel, r.member from jsonb_to_recordset($2::jsonb) as r(channel text, member text)`,
    [tenantId, JSON.stringify(members)],
  );
}

function memberPrincipal(member: string): string {
  if (member === 'everyone') return 'verbatim:everyone';
  return member.startsWith('group:') ? `verbatim:${member}` : `verbatim:user:${member}`;
}
