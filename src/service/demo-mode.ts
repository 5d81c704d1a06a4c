import { isIP } from 'node:net';
import type { Database } from '../../retrieval/ports.ts';

/** Whether people may pick who they are: nobody but the invented company's people is in the tenant. */
export interface DemoMode {
  isOn(): boolean;
  refresh(): Promise<void>;
  stop(): void;
}

// A directory that is imported while the service runs ends it soon.
const REFRESH_MS = 5_000;

/** Only for the embedded database on a loopback address; anywhere else it is off for good. */
export function createDemoMode(
  database: Database,
  { tenantId, host, databaseUrl }: { tenantId: string; host: string; databaseUrl: string | null },
): DemoMode {
  const possible = databaseUrl === null && isLoopback(host);
  let on = false;
  const refresh = async () => {
    if (!possible) return;
    try {
      on = await database.transaction(async (query) => {
        const rows = await query<{ demo: boolean | null }>(
          `select bool_and(directory = 'demo') as demo from people where tenant_id = $1`,
          [tenantId],
        );
        return rows[0]?.demo === true;
      });
    } catch {
      // Not known is not allowed.
      on = false;
    }
  };
  const timer = setInterval(() => void refresh(), REFRESH_MS);
  timer.unref();
  return { isOn: () => on, refresh, stop: () => clearInterval(timer) };
}

/** Whether only this machine reaches the address. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}
