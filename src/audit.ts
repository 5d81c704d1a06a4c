import { randomUUID } from 'node:crypto';
import type { Query } from '../retrieval/ports.ts';

/** One thing that somebody did. Never content of documents. */
export interface AuditEntry {
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly details?: object;
}

/** Adds to the audit log, which the database lets nobody change, in the transaction of what was done. */
export async function audit(query: Query, tenantId: string, entry: AuditEntry): Promise<void> {
  await query(
    'insert into audit_log (tenant_id, audit_id, actor, action, target, details) values ($1, $2, $3, $4, $5, $6::jsonb)',
    [tenantId, randomUUID(), entry.actor, entry.action, entry.target, JSON.stringify(entry.details ?? {})],
  );
}
