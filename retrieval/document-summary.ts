// What is known of a document besides its content.
import type { AccessLevel } from './model.ts';

export const DOCUMENT_STATES = ['pending', 'live', 'quarantined', 'failed', 'deleted'] as const;
export type DocumentState = (typeof DOCUMENT_STATES)[number];

/** A document without its content. */
export interface DocumentSummary {
  readonly documentId: string;
  readonly title: string;
  readonly uri: string;
  readonly state: DocumentState;
  readonly version: number;
  readonly mediaType: string;
  readonly accessLevel: AccessLevel;
  readonly department: string | null;
  /** The ACL: layers joined by "and", principals of a layer by "or". For admins and editors only. */
  readonly readers: string;
  /** Names of the groups in `readers`, by principal. */
  readonly groupNames: Readonly<Record<string, string>>;
  readonly chunks: number;
  readonly failure: { readonly code: string; readonly reason: string } | null;
  readonly createdBy: string;
  readonly tookEffectAt: Date | null;
}
