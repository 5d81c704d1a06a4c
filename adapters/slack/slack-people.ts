// Who somebody in Slack is to us, and who sees a conversation. Whatever cannot be established counts as nobody.
import type { Audience, AudienceMember } from '../../retrieval/model.ts';
import type { Commander } from '../admin-command.ts';
import type { People } from '../ports.ts';
import type { Asker } from '../question.ts';
import { type SlackCache, type UserFacts, type Usergroups, userPrincipal, type Workspace } from './ports.ts';
import type { ClientFor } from './slack-client.ts';
import { isNotThere, slackErrorCode } from './slack-client.ts';

export interface SlackPeopleOptions {
  readonly clientFor: ClientFor;
  readonly cache: SlackCache;
  readonly people: Pick<People, 'list' | 'find' | 'link'>;
  readonly usergroups: Usergroups;
}

export interface SlackPeople {
  /** The person behind a user, as asker. Null for apps. `team` is the user's own workspace where an event names it. */
  asker(workspace: Workspace, userId: string, team?: string): Promise<Asker | null>;
  /** The same as somebody who commands. */
  commander(workspace: Workspace, userId: string): Promise<Commander>;
  /** Whether a user is in a conversation now. */
  isIn(workspace: Workspace, channel: string, userId: string): Promise<boolean>;
  /** Everyone who sees the channel now; apps of the workspace are no people. */
  audience(workspace: Workspace, channel: string, mustContain?: string): Promise<Audience>;
  /** Whether the bot sees the channel and can speak there. */
  isThere(workspace: Workspace, channel: string): Promise<boolean>;
  /** What an event says of a user takes effect at once: who was deactivated holds nothing from now on. */
  userChanged(workspace: Workspace, user: SlackUser): Promise<void>;
  refreshUsergroups(workspace: Workspace): Promise<void>;
}

// Events end an entry at once; age is for events that were missed.
const MEMBERS_MAX_AGE_SECONDS = 60;
const USERS_MAX_AGE_SECONDS = 900;
const PAGE_SIZE = 200; // docs.slack.dev recommends no more
const LIST_ABOVE = 20; // users; beyond that one listing of the workspace is cheaper than a call for each

/** Makes the look-ups over Slack's API and the shared cache. */
export function createSlackPeople(options: SlackPeopleOptions): SlackPeople {
  const asker: SlackPeople['asker'] = async (workspace, userId, team) => {
    const facts = isForeign(workspace, team) ? STRANGER : (await factsOf(options, workspace, [userId])).get(userId);
    if (facts?.kind === 'app') return null;
    const [member] = await toMembers(options, workspace, new Map([[userId, facts ?? STRANGER]]));
    const id = member && 'person' in member ? member.person : userPrincipal(workspace, userId);
    return { id, member: member ?? { principals: [] } };
  };
  return {
    asker,
    async commander(workspace, userId) {
      const somebody = await asker(workspace, userId);
      const email = somebody && 'person' in somebody.member ? somebody.member.person : null;
      return { tenantId: workspace.tenantId, email, actor: somebody?.id ?? userPrincipal(workspace, userId) };
    },
    async isIn(workspace, channel, userId) {
      // A direct message has one person, who is the one to do anything there.
      if (channel.startsWith('D')) return true;
      return (await membersOf(options, workspace, channel, userId)).includes(userId);
    },
    async audience(workspace, channel, mustContain) {
      const userIds = await membersOf(options, workspace, channel, mustContain);
      const others = userIds.filter((userId) => userId !== workspace.botUserId);
      return toMembers(options, workspace, await factsOf(options, workspace, others));
    },
    async isThere(workspace, channel) {
      try {
        return (await membersOf(options, workspace, channel, workspace.botUserId)).includes(workspace.botUserId);
      } catch (error) {
        if (isNotThere(error)) return false;
        throw error;
      }
    },
    async userChanged(workspace, user) {
      if (user.id === undefined) return;
      const facts = new Map([[user.id, toFacts(workspace, user)]]);
      await linkUsers(options, workspace, facts);
      await options.cache.putUsers(workspace, facts, 0);
    },
    async refreshUsergroups(workspace) {
      const { usergroups = [] } = await options.clientFor(workspace).usergroups.list({ include_users: true });
      const groups = usergroups.flatMap(({ id, name, users, date_delete: deletedAt }) =>
        id === undefined || (deletedAt ?? 0) > 0 ? [] : [{ id, name: name ?? '', userIds: users ?? [] }],
      );
      await options.usergroups.replace(workspace, groups);
    },
  };
}

const STRANGER: UserFacts = { kind: 'stranger', email: null };

function isForeign({ teamId }: Workspace, team: string | undefined): boolean {
  return team !== undefined && team !== '' && team !== teamId;
}

// A cached list without somebody who is certainly there is out of date.
async function membersOf(
  { clientFor, cache }: SlackPeopleOptions,
  workspace: Workspace,
  channel: string,
  mustContain: string | undefined,
): Promise<string[]> {
  const cached = await cache.members(workspace, channel, MEMBERS_MAX_AGE_SECONDS);
  if (cached && (mustContain === undefined || cached.includes(mustContain))) return cached;
  const started = performance.now();
  const members: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await clientFor(workspace).conversations.members({
      channel,
      limit: PAGE_SIZE,
      ...(cursor ? { cursor } : {}),
    });
    members.push(...(page.members ?? []));
    cursor = page.response_metadata?.next_cursor || undefined;
  } while (cursor);
  await cache.putMembers(workspace, channel, members, performance.now() - started);
  return members;
}

async function factsOf(
  options: SlackPeopleOptions,
  workspace: Workspace,
  userIds: readonly string[],
): Promise<Map<string, UserFacts>> {
  const known = await options.cache.users(workspace, userIds, USERS_MAX_AGE_SECONDS);
  const missing = userIds.filter((userId) => !known.has(userId));
  if (missing.length === 0) return known;
  const started = performance.now();
  const read =
    missing.length > LIST_ABOVE ? await listUsers(options, workspace, new Set(missing)) : new Map<string, UserFacts>();
  for (const userId of missing) {
    if (!read.has(userId)) read.set(userId, await readUser(options, workspace, userId));
  }
  await options.cache.putUsers(workspace, read, performance.now() - started);
  await linkUsers(options, workspace, read);
  return new Map([...known, ...read]);
}

async function listUsers(
  { clientFor }: SlackPeopleOptions,
  workspace: Workspace,
  wanted: ReadonlySet<string>,
): Promise<Map<string, UserFacts>> {
  const found = new Map<string, UserFacts>();
  let cursor: string | undefined;
  do {
    const page = await clientFor(workspace).users.list({ limit: PAGE_SIZE, ...(cursor ? { cursor } : {}) });
    for (const user of page.members ?? []) {
      if (user.id && wanted.has(user.id)) found.set(user.id, toFacts(workspace, user));
    }
    cursor = page.response_metadata?.next_cursor || undefined;
  } while (cursor && found.size < wanted.size);
  return found;
}

async function readUser({ clientFor }: SlackPeopleOptions, workspace: Workspace, userId: string): Promise<UserFacts> {
  try {
    const { user } = await clientFor(workspace).users.info({ user: userId });
    return user ? toFacts(workspace, user) : STRANGER;
  } catch (error) {
    const code = slackErrorCode(error);
    if (code === 'user_not_found' || code === 'user_not_visible') return STRANGER;
    throw error;
  }
}

/** The parts of a user object that say who somebody is. */
export interface SlackUser {
  readonly id?: string;
  readonly team_id?: string;
  readonly deleted?: boolean;
  readonly is_bot?: boolean;
  readonly is_stranger?: boolean;
  readonly is_restricted?: boolean;
  readonly is_ultra_restricted?: boolean;
  readonly is_email_confirmed?: boolean;
  readonly profile?: { readonly email?: string };
}

/** What a user object of Slack says. Only an address that the workspace confirmed counts. */
export function toFacts({ teamId }: Pick<Workspace, 'teamId'>, user: SlackUser): UserFacts {
  if (user.is_stranger === true || user.team_id !== teamId) return STRANGER;
  if (user.deleted === true) return { kind: 'deactivated', email: null };
  // Slackbot is a bot in all but the flag.
  if (user.is_bot === true || user.id === 'USLACKBOT') return { kind: 'app', email: null };
  const email = user.is_email_confirmed === true && user.profile?.email ? user.profile.email.toLowerCase() : null;
  return { kind: user.is_restricted || user.is_ultra_restricted ? 'guest' : 'member', email };
}

// Also removes the link of whoever is no longer a member with a confirmed address.
async function linkUsers(
  { people }: SlackPeopleOptions,
  workspace: Workspace,
  users: ReadonlyMap<string, UserFacts>,
): Promise<void> {
  const links = [...users].map(([userId, { kind, email }]) => ({
    principal: userPrincipal(workspace, userId),
    email: kind === 'member' ? email : null,
  }));
  await people.link(workspace.tenantId, links);
}

const FIND_UP_TO = 3; // people looked up one by one; more are taken from the list of all

async function toMembers(
  { people }: SlackPeopleOptions,
  workspace: Workspace,
  users: ReadonlyMap<string, UserFacts>,
): Promise<AudienceMember[]> {
  const emails = [...users.values()].flatMap(({ kind, email }) => (kind === 'member' && email ? [email] : []));
  const known = new Set<string>();
  if (emails.length > FIND_UP_TO) {
    for (const person of await people.list(workspace.tenantId)) known.add(person.email);
  } else {
    for (const email of emails) if (await people.find(workspace.tenantId, email)) known.add(email);
  }
  return [...users].flatMap(([userId, facts]) => {
    const member = toMember(userPrincipal(workspace, userId), facts, known);
    return member === null ? [] : [member];
  });
}

function toMember(own: string, { kind, email }: UserFacts, known: ReadonlySet<string>): AudienceMember | null {
  switch (kind) {
    case 'app':
      return null;
    case 'stranger':
    case 'deactivated':
      return { principals: [] };
    case 'guest':
      // What was given to the guest by name, and nothing that members hold.
      return { principals: email ? [`verbatim:user:${email}`, own] : [own] };
    case 'member':
      return email && known.has(email) ? { person: email } : { principals: ['verbatim:everyone', own] };
  }
}
