// What a document is and who may therefore read it: the tagger's reading and the admin's word, applied to the stored version.
import type { Query } from '../retrieval/ports.ts';
import { type AclRequest, requestedAcl } from './acl.ts';
import { setAcl } from './document-acl.ts';
import { tagDocument } from './tagger.ts';

/** The parts of a submission that are applied together with its content, as they are stored. */
export interface StoredSubmission {
  readonly acl: AclRequest;
  readonly title: string | null;
  readonly effectiveFrom: string | null;
  readonly effectiveTo: string | null;
}

/** Reads the stored text of the live version again for its department, level and dates, and sets its ACL by them. */
export async function applyClassification(query: Query, tenantId: string, documentId: string): Promise<void> {
  const rows = await query<{
    uri: string;
    title: string;
    text: string | null;
    properties: Record<string, string> | null;
    submission: StoredSubmission;
  }>(
    `select d.uri, d.title, v.text, v.properties, v.submission from documents d
       join document_versions v on v.tenant_id = d.tenant_id and v.document_id = d.document_id and v.version = d.version
       where d.tenant_id = $1 and d.document_id = $2`,
    [tenantId, documentId],
  );
  const row = rows[0];
  if (!row) return;
  const tags = classify({ ...row, text: row.text ?? '', properties: row.properties ?? {} });
  const aclId = await requestedAcl(query, tenantId, row.submission.acl, tags.accessLevel);
  await query(
    `update documents set title = coalesce($3, title), department = $4, classification = $5,
         effective_from = $6, effective_to = $7 where tenant_id = $1 and document_id = $2`,
    [tenantId, documentId, row.submission.title, tags.department, tags.reasons, tags.effectiveFrom, tags.effectiveTo],
  );
  await setAcl(query, tenantId, documentId, aclId);
}

/** What a document is: the tagger's reading, with the admin's level and dates where given, never below a floor. */
export function classify(document: {
  uri: string;
  title: string;
  text: string;
  properties: Readonly<Record<string, string>>;
  submission: StoredSubmission;
}): Omit<ReturnType<typeof tagDocument>, 'reasons'> & { reasons: string[] } {
  const { submission } = document;
  const level = submission.acl.level;
  const properties = level === null ? document.properties : { ...document.properties, access_level: level };
  const tags = tagDocument({ ...document, properties });
  return {
    ...tags,
    reasons: [...tags.reasons],
    effectiveFrom: submission.effectiveFrom ? new Date(submission.effectiveFrom) : tags.effectiveFrom,
    effectiveTo: submission.effectiveTo ? new Date(submission.effectiveTo) : tags.effectiveTo,
  };
}
