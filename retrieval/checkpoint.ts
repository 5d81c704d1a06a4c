import type { Audience } from './model.ts';
import type { Database } from './ports.ts';

/** Why the checkpoint dropped a candidate. */
export type CheckpointDrop = 'permission' | 'state' | 'version' | 'not_in_effect' | 'stale_source';

/** What is true of a document now. */
export interface CheckedDocument {
  readonly sourceId: string;
  readonly contentAgeSeconds: number;
  readonly permissionAgeSeconds: number;
}

export interface Checkpoint<Item> {
  readonly passed: Item[];
  /** `layer` names the node that the audience fails: for admins' eyes only. */
  readonly dropped: { readonly item: Item; readonly reason: CheckpointDrop; readonly layer: string | null }[];
  readonly documents: ReadonlyMap<string, CheckedDocument>;
}

interface Row {
  document_id: string;
  version: number;
  state: string;
  allowed: boolean;
  failed_layer: string | null;
  in_effect: boolean;
  source_id: string;
  stale: boolean;
  content_age_seconds: number;
  permission_age_seconds: number;
}

/** What is true of documents now, and for the audience. */
export type DocumentStates = ReadonlyMap<string, Row>;

/** Asks, in another way than the search and by nothing that it computed, which documents may be shown to the audience now. */
export async function readDocumentStates(
  database: Database,
  tenantId: string,
  audience: Audience,
  documentIds: readonly string[],
): Promise<DocumentStates> {
  if (documentIds.length === 0) return new Map();
  const rows = await database.transaction(
    (query) =>
      query<Row>('select * from checkpoint_documents($1, $2::jsonb, $3::text[])', [
        tenantId,
        JSON.stringify(audience),
        [...new Set(documentIds)],
      ]),
    { readOnly: true, oneStatement: true },
  );
  return new Map(rows.map((row) => [row.document_id, row]));
}

/** Holds candidates against what is true of their documents. A document that is not found is dropped. */
export function applyCheckpoint<Item extends { readonly documentId: string; readonly documentVersion: number }>(
  states: DocumentStates,
  candidates: readonly Item[],
): Checkpoint<Item> {
  const passed: Item[] = [];
  const dropped: Checkpoint<Item>['dropped'] = [];
  for (const item of candidates) {
    const row = states.get(item.documentId);
    const reason = dropReason(row, item.documentVersion);
    if (reason) dropped.push({ item, reason, layer: row?.failed_layer ?? null });
    else passed.push(item);
  }
  const documents = new Map([...states].map(([documentId, row]) => [documentId, checkedDocument(row)]));
  return { passed, dropped, documents };
}

/** Both: asks whether each candidate may be shown to the audience now, and drops what may not. */
export async function checkpoint<Item extends { readonly documentId: string; readonly documentVersion: number }>(
  database: Database,
  tenantId: string,
  audience: Audience,
  candidates: readonly Item[],
): Promise<Checkpoint<Item>> {
  const documentIds = candidates.map((candidate) => candidate.documentId);
  return applyCheckpoint(await readDocumentStates(database, tenantId, audience, documentIds), candidates);
}

function dropReason(row: Row | undefined, version: number): CheckpointDrop | null {
  if (!row?.allowed) return 'permission';
  if (row.state !== 'live') return 'state';
  if (row.version !== version) return 'version';
  if (!row.in_effect) return 'not_in_effect';
  return row.stale ? 'stale_source' : null;
}

function checkedDocument(row: Row): CheckedDocument {
  return {
    sourceId: row.source_id,
    contentAgeSeconds: row.content_age_seconds,
    permissionAgeSeconds: row.permission_age_seconds,
  };
}
