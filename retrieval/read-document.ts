// The text of a document for somebody who wants to see a quote where it stands.
import { checkpoint } from './checkpoint.ts';
import type { Audience } from './model.ts';
import type { Database } from './ports.ts';

/** The live text of a document, offsets in UTF-16 code units. */
export interface DocumentText {
  readonly documentId: string;
  readonly title: string;
  readonly uri: string;
  readonly version: number;
  readonly text: string;
  /** In order; `path` ends with the heading itself. */
  readonly headings: readonly { readonly start: number; readonly path: readonly string[] }[];
  readonly tookEffectAt: Date | null;
  readonly source: string;
}

interface Row extends Omit<DocumentText, 'headings'> {
  blocks: readonly HeadingBlock[] | null;
}

interface HeadingBlock {
  readonly kind: string;
  readonly start: number;
  readonly level?: number;
  readonly heading?: string;
}

/**
 * The live text, when the checkpoint says that the whole audience may be shown it now; else null, as for a document that
 * does not exist. The checkpoint comes after the text is read, so that nothing is given that was revoked in between.
 */
export async function readDocument(
  database: Database,
  tenantId: string,
  audience: Audience,
  documentId: string,
): Promise<DocumentText | null> {
  const rows = await database.transaction((query) =>
    query<Row>(
      `select d.document_id as "documentId", d.title, d.uri, d.version, v.text, v.blocks,
           d.took_effect_at as "tookEffectAt", d.source_id as source
         from documents d
         join document_versions v on v.tenant_id = d.tenant_id and v.document_id = d.document_id and v.version = d.version
         where d.tenant_id = $1 and d.document_id = $2 and d.state = 'live' and v.text is not null`,
      [tenantId, documentId],
    ),
  );
  const row = rows[0];
  if (!row) return null;
  const { passed } = await checkpoint(database, tenantId, audience, [{ documentId, documentVersion: row.version }]);
  if (passed.length === 0) return null;
  const { blocks, ...document } = row;
  return { ...document, headings: headingPaths(blocks ?? []) };
}

function headingPaths(blocks: readonly HeadingBlock[]): DocumentText['headings'] {
  const open: { level: number; heading: string }[] = [];
  return blocks.flatMap(({ kind, start, level = 1, heading = '' }) => {
    if (kind !== 'heading') return [];
    while (open.length > 0 && (open.at(-1)?.level ?? 0) >= level) open.pop();
    open.push({ level, heading });
    return [{ start, path: open.map((each) => each.heading) }];
  });
}
