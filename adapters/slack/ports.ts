// What the Slack adapter needs beside the ports that all adapters share. Implemented in src/slack and src/chat.

/** A workspace that the app is installed in, with what it takes to act there. */
export interface Workspace {
  readonly tenantId: string;
  readonly teamId: string;
  readonly botToken: string;
  readonly botUserId: string;
  readonly botId: string;
}

export interface Workspaces {
  /** Null for an unknown workspace and for one that uninstalled the app. */
  find(teamId: string): Promise<Workspace | null>;
  list(): Promise<Workspace[]>;
  /** Stores what OAuth gave, encrypted. @throws UsageError for a workspace that no tenant is configured for. */
  install(installation: Omit<Workspace, 'tenantId'>): Promise<void>;
  /** The app was uninstalled or its tokens revoked: they are removed and its events dropped from now on. */
  revoke(teamId: string): Promise<void>;
}

/** What is known of a Slack user. `app`: a bot of the workspace itself. */
export interface UserFacts {
  readonly kind: 'member' | 'guest' | 'stranger' | 'app' | 'deactivated';
  /** Confirmed at the workspace; null else. */
  readonly email: string | null;
}

type WorkspaceKey = Pick<Workspace, 'tenantId' | 'teamId'>;

/**
 * What was read from Slack, shared by all instances. Entries older than `maxAgeSeconds` count as missing. What was asked of
 * Slack `ageMs` ago is not stored when an event has made it invalid since.
 */
export interface SlackCache {
  members(workspace: WorkspaceKey, channel: string, maxAgeSeconds: number): Promise<string[] | null>;
  putMembers(workspace: WorkspaceKey, channel: string, userIds: readonly string[], ageMs: number): Promise<void>;
  users(workspace: WorkspaceKey, userIds: readonly string[], maxAgeSeconds: number): Promise<Map<string, UserFacts>>;
  putUsers(workspace: WorkspaceKey, users: ReadonlyMap<string, UserFacts>, ageMs: number): Promise<void>;
}

/** Usergroups as principals `slack:usergroup:…`, replacing what was stated of the workspace before. */
export interface Usergroups {
  replace(
    workspace: WorkspaceKey,
    groups: readonly { readonly id: string; readonly name: string; readonly userIds: readonly string[] }[],
  ): Promise<void>;
}

/** The principal of a Slack user. */
export function userPrincipal({ teamId }: Pick<Workspace, 'teamId'>, userId: string): string {
  return `slack:user:${teamId}/${userId}`;
}
