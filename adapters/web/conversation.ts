// A place where a person asks, and who sees what is answered there. Membership is read anew for every request.
import type { Audience } from '../../retrieval/model.ts';
import type { Channel, Person, Place, StoredAnswer } from '../ports.ts';
import type { WebDependencies } from './dependencies.ts';

/** The private thread of a person with the product, or a channel that the person is a member of now. */
export interface Conversation {
  readonly channel: Channel | null;
  /** What forms name it by: `private`, or a channel's id after `channel:`. */
  readonly key: string;
  readonly path: string;
  readonly place: Pick<Place, 'platform' | 'workspace' | 'conversation'>;
  /** Everyone who sees the answers; by name. */
  readonly members: readonly Person[];
  readonly audience: Audience;
}

/** An answer where it was posted. */
export type PostedAnswer = StoredAnswer & { readonly place: Place };

export const PRIVATE_KEY = 'private';
const CHANNEL_KEY = 'channel:';

/** The person's own private thread. */
export function privateConversation(person: Person): Conversation {
  return {
    channel: null,
    key: PRIVATE_KEY,
    path: '/',
    place: { platform: 'web', workspace: '', conversation: `private:${person.email}` },
    members: [person],
    audience: [{ person: person.email }],
  };
}

/** A channel as a place. The members' own rights decide: an unknown one holds nothing. */
export function channelConversation(channel: Channel, people: readonly Person[]): Conversation {
  const inside = new Set(channel.members);
  return {
    channel,
    key: `${CHANNEL_KEY}${channel.channelId}`,
    path: `/channels/${encodeURIComponent(channel.channelId)}`,
    place: { platform: 'web', workspace: '', conversation: `channel:${channel.channelId}` },
    members: people
      .filter((person) => inside.has(person.email))
      .sort((a, b) => a.name.localeCompare(b.name, 'en') || a.email.localeCompare(b.email, 'en')),
    audience: channel.members.map((person) => ({ person })),
  };
}

/** The conversation of a form's key; null when there is none or the person is no member of it now. */
export async function findConversation(
  { people, tenantId }: Pick<WebDependencies, 'people' | 'tenantId'>,
  person: Person,
  key: string,
): Promise<Conversation | null> {
  if (key === PRIVATE_KEY) return privateConversation(person);
  if (!key.startsWith(CHANNEL_KEY)) return null;
  const channels = await people.channels(tenantId, person.email);
  const channel = channels.find(({ channelId }) => channelId === key.slice(CHANNEL_KEY.length));
  if (!channel?.members.includes(person.email)) return null;
  return channelConversation(channel, await people.list(tenantId));
}

/** The key of a channel. */
export function channelKey(channelId: string): string {
  return `${CHANNEL_KEY}${channelId}`;
}
