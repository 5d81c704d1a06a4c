// The words of the product. Every other file of the core speaks in these types and in no platform's.

/** How sensitive a document is; ascending. A level above `internal` asks its readers for a role that clears it. */
export const ACCESS_LEVELS = ['public', 'internal', 'confidential', 'restricted'] as const;
export type AccessLevel = (typeof ACCESS_LEVELS)[number];

/** Roles of a tenant's people, ascending: each clears what the ones before it clear. */
export const ROLES = ['intern', 'analyst', 'manager', 'exec', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** A namespaced holder of rights, such as `verbatim:group:finance` or `confluence:user:5b10…`. */
export type Principal = string;

/**
 * One of the people who will see an answer. A `person` is looked up in the directory, with all identities and groups;
 * `principals` stands for people known only by what they hold (an unlinked member: `verbatim:everyone`; a stranger: none).
 */
export type AudienceMember = { readonly person: string } | { readonly principals: readonly Principal[] };

/** Everyone who will see the answer, the asker included. An empty audience may read nothing. */
export type Audience = readonly AudienceMember[];

/** A question as the adapters hand it over: no platform's types. */
export interface Question {
  readonly tenantId: string;
  /** The asker's e-mail in the directory, or a platform's id for someone without a verified link. */
  readonly asker: string;
  readonly audience: Audience;
  readonly text: string;
  readonly threadId?: string;
}

/**
 * What the asker's audience may read, computed once for a question and required by both searches.
 * Only `retrieval/visible-acls.ts` makes one.
 */
export interface VisibleTo {
  readonly tenantId: string;
  /** Interned ACLs visible to every member of the audience; ascending. */
  readonly aclIds: readonly number[];
  /** Access levels that the visible ACLs' documents can have: the partitions that are searched. */
  readonly levels: readonly AccessLevel[];
}

/** A stretch of a document's text, `text === document.text.slice(start, end)`, offsets in UTF-16 code units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A chunk found by a search, with what is needed to quote it. */
export interface Chunk extends Span {
  readonly chunkId: string;
  readonly documentId: string;
  readonly documentVersion: number;
  readonly sourceId: string;
  readonly uri: string;
  readonly title: string;
  readonly headingPath: readonly string[];
  /** 1-based page of a paged format, else null. */
  readonly page: number | null;
  readonly text: string;
  /** The parent section that the prompt gets; contains `start..end`. */
  readonly section: Span;
}

/** What each signal added to a score; the values sum to the score. */
export interface Contributions {
  readonly lexical: number;
  readonly vector: number;
  readonly rerank?: number;
}

/** A chunk with its place in the ranking. */
export interface RankedChunk extends Chunk {
  /** 1-based. */
  readonly rank: number;
  readonly score: number;
  readonly contributions: Contributions;
}

/** A quote that occurs in its chunk; offsets are into the document's text. */
export interface Citation extends Span {
  readonly documentId: string;
  readonly documentVersion: number;
  readonly uri: string;
  readonly title: string;
  readonly headingPath: readonly string[];
  /** 1-based page on which the quoted passage begins; absent for formats without pages. */
  readonly page?: number;
  readonly chunkId: string;
  readonly quote: string;
}

/** Why there is no answer. None of them says whether a hidden document exists. */
export const REFUSALS = ['no_evidence', 'audience_limited', 'stale_source', 'model_unavailable'] as const;
export type Refusal = (typeof REFUSALS)[number];

/** How old what is known of a cited source is, in seconds, at the time of the answer. */
export interface SourceFreshness {
  readonly source: string;
  readonly contentAgeSeconds: number;
  readonly permissionAgeSeconds: number;
}

/** Shares in 0…1. `faithfulness`: of what is said, quoted; `coverage`: of what is asked, quoted; `overall`: harmonic mean. */
export interface Confidence {
  readonly faithfulness: number;
  readonly coverage: number;
  readonly overall: number;
}

/** A part that failed or was late and was done without. What people are told of each is in the adapters. */
export type Degradation =
  | 'lexical_search_timeout'
  | 'lexical_search_failed'
  | 'vector_search_timeout'
  | 'vector_search_failed'
  | 'vector_search_unavailable'
  | 'rerank_failed'
  | 'rerank_fallback'
  | 'rewrite_failed'
  | 'model_failed'
  | 'quotes_rejected'
  | 'quotes_unrelated'
  | 'not_quoted';

/** What is given back for every question. A refusal has no citations. */
export interface Answer {
  readonly answerId: string;
  readonly status: 'answered' | 'refused';
  readonly refusal: Refusal | null;
  readonly text: string;
  readonly citations: readonly Citation[];
  readonly sources: readonly SourceFreshness[];
  readonly confidence: Confidence | null;
  readonly degraded: readonly Degradation[];
  readonly timingsMs: Readonly<Record<string, number>>;
  /** In US dollars; null where a model with a price was asked and its provider did not count. */
  readonly costUsd: number | null;
}
