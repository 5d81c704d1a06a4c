import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailableError } from '../../retrieval/errors.ts';
import { APP_ROLE, READER_ROLE } from './connection.ts';
import type { DatabaseClient } from './pool.ts';
import { StatementError } from './statement-error.ts';

// Roles belong to the whole cluster: another database's migration may create them at the same moment.
const RACES = new Set(['23505', '42710', 'XX000']); // unique_violation, duplicate_object, "tuple concurrently updated"
const ATTEMPTS = 10;
const PAUSE_MS = 50;

/**
 * Makes sure that both roles exist and that the connection's user may take them on.
 * @throws DatabaseUnavailableError with the SQL for an administrator, when the user may not do it.
 */
export async function ensureRoles(database: DatabaseClient): Promise<void> {
  for (const role of [READER_ROLE, APP_ROLE]) {
    for (let attempt = 1; ; attempt++) {
      try {
        await ensureRole(database, role);
        break;
      } catch (error) {
        if (error instanceof StatementError && error.sqlState === '42501') throw await missingRights(database, error);
        const race = error instanceof StatementError && RACES.has(error.sqlState);
        if (!race || attempt === ATTEMPTS) throw error;
        await sleep(PAUSE_MS * attempt);
      }
    }
  }
}

async function ensureRole(database: DatabaseClient, role: string): Promise<void> {
  await database.owner(async (query) => {
    const [state] = await query<{ exists: boolean; version: number }>(
      `select exists (select from pg_roles where rolname = $1) as exists,
        current_setting('server_version_num')::int as version`,
      [role],
    );
    if (!state?.exists) await query(`create role ${role} nologin noinherit`);
    // From 16 on, membership and the right to `set role` are granted apart; who creates a role gets only its admin option.
    const separate = (state?.version ?? 0) >= 160_000;
    const [right] = await query<{ held: boolean }>(`select pg_has_role(current_user, $1, $2) as held`, [
      role,
      separate ? 'SET' : 'MEMBER',
    ]);
    if (right?.held) return;
    await query(`grant ${role} to current_user${separate ? ' with inherit false, set true' : ''}`);
  });
}

async function missingRights(database: DatabaseClient, cause: unknown): Promise<DatabaseUnavailableError> {
  const [session] = await database.owner((query) =>
    query<{ user: string }>('select quote_ident(current_user) as user'),
  );
  const user = session?.user ?? 'current_user';
  return new DatabaseUnavailableError(
    `the database user ${user} may not create the roles it needs; let an administrator run: ` +
      [READER_ROLE, APP_ROLE].map((role) => `create role ${role} nologin; grant ${role} to ${user};`).join(' ') +
      ' (leave out "create role" where the role exists)',
    { cause },
  );
}
