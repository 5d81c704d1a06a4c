import type { Chunk, VisibleTo } from './model.ts';
import type { Query } from './ports.ts';

/** Chunks of live documents by id, as the audience may read them; ids that are not visible (any more) are missing. */
export async function loadChunks(
  query: Query,
  visibleTo: VisibleTo,
  chunkIds: readonly string[],
): Promise<Map<string, Chunk>> {
  const rows = await query<Omit<Chunk, 'section'> & { sectionStart: number; sectionEnd: number }>(
    `select chunk_id as "chunkId", document_id as "documentId", version as "documentVersion", source_id as "sourceId",
         uri, title, heading_path as "headingPath", page, text, start_offset as start, end_offset as "end",
         section_start as "sectionStart", section_end as "sectionEnd"
       from load_chunks($1, $2::text[], $3::int[], $4::text[])`,
    [visibleTo.tenantId, visibleTo.levels, visibleTo.aclIds, chunkIds],
  );
  return new Map(
    rows.map(({ sectionStart, sectionEnd, ...chunk }) => [
      chunk.chunkId,
      { ...chunk, section: { start: sectionStart, end: sectionEnd } },
    ]),
  );
}

/**
 * The text of each chunk's parent section, put together from the section's chunks by their offsets, so that the retrieval
 * role need not be able to read whole documents.
 */
export async function loadSections(
  query: Query,
  visibleTo: VisibleTo,
  chunks: readonly Chunk[],
): Promise<Map<string, string>> {
  const wanted = chunks.map(({ chunkId, documentId, section }) => ({ chunkId, documentId, ...section }));
  const rows = await query<{ for: string; start: number; end: number; text: string }>(
    `select w."chunkId" as "for", c.start_offset as start, c.end_offset as "end", c.text
       from jsonb_to_recordset($4::jsonb) as w("chunkId" text, "documentId" text, start int, "end" int)
       join chunks c on c.tenant_id = $1 and c.document_id = w."documentId"
         and c.start_offset >= w.start and c.end_offset <= w."end"
       where c.tenant_id = $1 and c.access_level = any($2::text[]) and c.acl_id = any($3::int[])
       order by w."chunkId", c.start_offset`,
    [visibleTo.tenantId, visibleTo.levels, visibleTo.aclIds, JSON.stringify(wanted)],
  );
  const sections = new Map<string, { text: string; end: number }>();
  for (const row of rows) {
    const section = sections.get(row.for) ?? { text: '', end: row.start };
    if (row.start > section.end) section.text += '\n\n';
    section.text += row.text.slice(Math.max(0, section.end - row.start));
    section.end = Math.max(section.end, row.end);
    sections.set(row.for, section);
  }
  return new Map(chunks.map((chunk) => [chunk.chunkId, sections.get(chunk.chunkId)?.text ?? chunk.text]));
}
