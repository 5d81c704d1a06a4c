import { randomUUID } from 'node:crypto';
import type { AuditCall } from '../adapters/ports.ts';
import type { Database, Query } from '../retrieval/ports.ts';

/** One thing that somebody did. Never content of documents. */
export interface AuditEntry {
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly details?: object;
}

/** Adds to the audit log, in the transaction of what was done. The database lets it only grow. */
export async function audit(query: Query, tenantId: string, entry: AuditEntry): Promise<void> {
  await query(
    'insert into audit_log (tenant_id, audit_id, actor, action, target, details) values ($1, $2, $3, $4, $5, $6::jsonb)',
    [tenantId, randomUUID(), entry.actor, entry.action, entry.target, JSON.stringify(entry.details ?? {})],
  );
}

/** Adds what was called, by itself: calls that were refused have no transaction of their own. */
export function createAuditCall({ database }: { readonly database: Database }): AuditCall {
  return ({ tenantId, ...entry }) => database.transaction((query) => audit(query, tenantId, entry));
}
