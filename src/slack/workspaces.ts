// The workspaces that Slack is served in: the configured one, and those that installed the app, whose tokens are encrypted.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { userPrincipal, type Workspace, type Workspaces } from '../../adapters/slack/ports.ts';
import { bumpIndexVersion } from '../../ingest/acl.ts';
import { UsageError } from '../../retrieval/errors.ts';
import type { Database, Logger, Query } from '../../retrieval/ports.ts';
import { usergroupDirectory } from './slack-cache.ts';

export interface WorkspacesOptions {
  readonly database: Database;
  readonly logger: Logger;
  /** The workspace of SLACK_BOT_TOKEN; null where only OAuth is used. */
  readonly configured: Workspace | null;
  /** Tenants by the workspaces that may install the app. */
  readonly tenants: ReadonlyMap<string, string>;
  /** 32 bytes; null: nothing can be installed. */
  readonly key: Buffer | null;
}

interface Row {
  workspace: string;
  tenant_id: string;
  sealed: string | null;
  revoked_at: Date | null;
}

// Each event looks its workspace up. Another instance that handled an uninstallation is believed after the first time and
// one look more; events do not wait for that look, unless none succeeds until the second time is over.
const FRESH_MS = 5_000;
const REMEMBER_MS = 30_000;

/** Makes the store. */
export function createWorkspaces(options: WorkspacesOptions): Workspaces {
  const { database, configured, logger } = options;
  const remembered = new Map<string, { workspace: Workspace; readAt: number }>();
  const looking = new Map<string, Promise<Workspace | null>>();
  const read = async (teamId: string): Promise<Workspace | null> => {
    const readAt = Date.now();
    const [row] = await readRows(database, teamId);
    const workspace = resolve(options, teamId, row);
    // Where it is not installed it may be so in the next moment: an event is not dropped by memory.
    if (workspace) remembered.set(teamId, { workspace, readAt });
    else remembered.delete(teamId);
    return workspace;
  };
  // One look for all events that wait for it.
  const look = (teamId: string): Promise<Workspace | null> => {
    const begun = looking.get(teamId) ?? read(teamId).finally(() => looking.delete(teamId));
    looking.set(teamId, begun);
    return begun;
  };
  const find = async (teamId: string): Promise<Workspace | null> => {
    const known = remembered.get(teamId);
    const age = known ? Date.now() - known.readAt : Number.POSITIVE_INFINITY;
    if (!known || age > REMEMBER_MS) return look(teamId);
    if (age > FRESH_MS) {
      look(teamId).catch((error: unknown) => logger.warn({ teamId, err: error }, 'a workspace could not be looked up'));
    }
    return known.workspace;
  };
  // A look that began before the change knows nothing of it.
  const forget = async (teamId: string) => {
    await looking.get(teamId)?.catch(() => undefined);
    remembered.delete(teamId);
  };
  return {
    // With the database away the one configured workspace is still known, so that people can be told.
    async find(teamId) {
      try {
        return await find(teamId);
      } catch (error) {
        if (configured?.teamId === teamId) return configured;
        throw error;
      }
    },
    async list() {
      const installed = (await readRows(database, null)).map((row) => resolve(options, row.workspace, row));
      const own =
        configured && installed.every((workspace) => workspace?.teamId !== configured.teamId)
          ? await find(configured.teamId)
          : null;
      return [...installed, own].filter((workspace) => workspace !== null);
    },
    async install(installation) {
      await install(options, installation);
      await forget(installation.teamId);
    },
    async revoke(teamId) {
      await revoke(options, teamId);
      await forget(teamId);
    },
  };
}

function resolve(
  { configured, key, logger }: WorkspacesOptions,
  teamId: string,
  row: Row | undefined,
): Workspace | null {
  if (row?.revoked_at) return null;
  if (row?.sealed && key) {
    try {
      return {
        ...(JSON.parse(open(key, row.sealed, aad(row))) as Omit<Workspace, 'tenantId' | 'teamId'>),
        teamId,
        tenantId: row.tenant_id,
      };
    } catch (error) {
      logger.error(
        { teamId, err: error },
        'the tokens of a workspace cannot be decrypted; is VERBATIM_ENCRYPTION_KEY another one?',
      );
      return null;
    }
  }
  return configured?.teamId === teamId ? configured : null;
}

async function readRows(database: Database, teamId: string | null): Promise<Row[]> {
  return database.transaction((query) =>
    query<Row>(
      `select workspace, tenant_id, sealed, revoked_at from chat_workspaces
         where platform = 'slack' and ($1::text is null or workspace = $1)`,
      [teamId],
    ),
  );
}

// Whoever may install decides whose e-mails count as verified: only workspaces that were named can.
async function install(
  { database, tenants, key }: WorkspacesOptions,
  installation: Omit<Workspace, 'tenantId'>,
): Promise<void> {
  const { teamId, botToken, botUserId, botId } = installation;
  const tenantId = tenants.get(teamId);
  if (tenantId === undefined) {
    throw new UsageError(
      `the workspace ${teamId} is not served here; its administrator adds it to VERBATIM_SLACK_WORKSPACES`,
    );
  }
  if (key === null) throw new UsageError('VERBATIM_ENCRYPTION_KEY is not set, so no tokens can be stored');
  const row = { workspace: teamId, tenant_id: tenantId };
  const sealed = seal(key, JSON.stringify({ botToken, botUserId, botId }), aad(row));
  await database.transaction(async (query) => {
    await query('insert into tenants (tenant_id) values ($1) on conflict do nothing', [tenantId]);
    const before = await query<{ tenant_id: string }>(
      `select tenant_id from chat_workspaces where platform = 'slack' and workspace = $1 and tenant_id <> $2`,
      [teamId, tenantId],
    );
    for (const { tenant_id: former } of before) await forgetWorkspace(query, former, teamId);
    await query(
      `insert into chat_workspaces (platform, workspace, tenant_id, sealed) values ('slack', $1, $2, $3)
         on conflict (platform, workspace) do update
           set tenant_id = excluded.tenant_id, sealed = excluded.sealed, installed_at = now(), revoked_at = null`,
      [teamId, tenantId, sealed],
    );
  });
}

// The configured workspace gets a row, too: after an uninstallation its events are dropped until it is installed again.
async function revoke({ database, configured, tenants }: WorkspacesOptions, teamId: string): Promise<void> {
  const tenantId = configured?.teamId === teamId ? configured.tenantId : (tenants.get(teamId) ?? '');
  await database.transaction(async (query) => {
    // Whose it was stands in its row.
    const rows = await query<{ tenant_id: string }>(
      `insert into chat_workspaces (platform, workspace, tenant_id, revoked_at) values ('slack', $1, $2, now())
         on conflict (platform, workspace) do update set sealed = null, revoked_at = now() returning tenant_id`,
      [teamId, tenantId],
    );
    for (const { tenant_id: owner } of rows) await forgetWorkspace(query, owner, teamId);
  });
}

// All that was read from a workspace: who is where, who is who, and who is in which usergroup.
async function forgetWorkspace(query: Query, tenantId: string, teamId: string): Promise<void> {
  for (const table of ['chat_members', 'chat_users']) {
    await query(`delete from ${table} where tenant_id = $1 and platform = 'slack' and workspace = $2`, [
      tenantId,
      teamId,
    ]);
  }
  const directory = usergroupDirectory({ teamId });
  await query('delete from groups where tenant_id = $1 and directory = $2', [tenantId, directory]);
  await query('delete from memberships where tenant_id = $1 and directory = $2', [tenantId, directory]);
  await query('delete from identities where tenant_id = $1 and starts_with(principal, $2)', [
    tenantId,
    userPrincipal({ teamId }, ''),
  ]);
  await bumpIndexVersion(query, tenantId);
}

/** Forgets that a workspace uninstalled the app: its token was configured anew. */
export async function reinstate(database: Database, teamId: string): Promise<void> {
  await database.transaction(async (query) => {
    await query(`delete from chat_workspaces where platform = 'slack' and workspace = $1 and sealed is null`, [teamId]);
  });
}

// A row copied over another workspace's does not decrypt.
function aad({ workspace, tenant_id: tenantId }: Pick<Row, 'workspace' | 'tenant_id'>): Buffer {
  return Buffer.from(JSON.stringify(['slack', workspace, tenantId]));
}

const IV_BYTES = 12; // NIST SP 800-38D, 8.2
const TAG_BYTES = 16;
const VERSION = 'v1';

/** AES-256-GCM: `v1.` and base64url of nonce, tag and ciphertext. */
export function seal(key: Buffer, text: string, additional: Buffer): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(additional);
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return `${VERSION}.${Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64url')}`;
}

/** The text that `seal` hid. @throws when the key, the text or the additional data is another. */
export function open(key: Buffer, sealed: string, additional: Buffer): string {
  const [version, body = ''] = sealed.split('.');
  if (version !== VERSION) throw new Error('tokens of an unknown form');
  const bytes = Buffer.from(body, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  }).setAAD(additional);
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
}
