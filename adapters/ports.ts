// What every adapter (HTTP API, chat page, Slack, Teams) needs of the product. Implemented once in src/; an adapter only
// translates between these and its platform.

import type { DocumentState, DocumentSummary } from '../retrieval/document-summary.ts';
import type { AccessLevel, Answer, Audience, Principal, Role } from '../retrieval/model.ts';
import type { DocumentText } from '../retrieval/read-document.ts';

export { DOCUMENT_STATES, type DocumentState, type DocumentSummary } from '../retrieval/document-summary.ts';

/** A person of the directory. Only active people act. */
export interface Person {
  readonly tenantId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly guest: boolean;
  readonly active: boolean;
}

/** The directory and the channels of the chat page. */
export interface People {
  /** Null for someone unknown. */
  find(tenantId: string, email: string): Promise<Person | null>;
  list(tenantId: string): Promise<Person[]>;
  /** The person behind a verified identity of a platform, such as `slack:user:T1/U1`; null without one. */
  linked(tenantId: string, principal: Principal): Promise<Person | null>;
  /** Stores verified identities (principal to e-mail), or removes them (null). */
  link(tenantId: string, links: readonly { principal: Principal; email: string | null }[]): Promise<void>;
  /** Channels that the person is a member of, with all members' e-mails (groups expanded). */
  channels(tenantId: string, email: string): Promise<Channel[]>;
  /** The asker alone may read more than this audience: by rights only, whatever the documents say. */
  seesMoreAlone(tenantId: string, email: string, audience: Audience): Promise<boolean>;
}

export interface Channel {
  readonly channelId: string;
  readonly name: string;
  readonly purpose: string;
  readonly members: readonly string[];
}

/** Who is at the other end of a request, from a signed token. */
export interface Sessions {
  /** True: people pick who they are (the demo company, on loopback); no passwords. */
  readonly demo: boolean;
  /** A token for the person, signed and short-lived (8 h). */
  issue(person: Person): Promise<string>;
  /** The active person of a valid token; null for an expired, forged or unknown one, or a person who has left since. */
  read(token: string): Promise<Person | null>;
  /**
   * Null for a wrong password and for an unknown person alike, after the same time. `network` is where the try comes from.
   * @throws TooManyTriesError when there were too many, on whatever page or instance.
   */
  withPassword(tenantId: string, email: string, password: string, network: string): Promise<Person | null>;
  /** Ends the session of a token, everywhere. Whatever is no valid token is none already. */
  end(token: string): Promise<void>;
}

/** A message that holds an answer, or a part of one, on a platform. */
export interface Place {
  readonly platform: 'web' | 'slack' | 'teams';
  /** The platform's workspace or tenant; empty on the chat page. */
  readonly workspace: string;
  readonly conversation: string;
  readonly thread: string;
  readonly message: string;
}

/** An answer as it is stored: with its question, and emptied when its evidence went. */
export interface StoredAnswer {
  readonly answer: Answer;
  readonly tenantId: string;
  readonly question: string;
  readonly asker: string;
  readonly audience: Audience;
  readonly threadId: string | null;
  readonly askedAt: Date;
  readonly indexVersion: number;
  readonly retractedAt: Date | null;
}

/**
 * Whether an answer may be shown to others: `not_now` when what it quotes is not there as it was (in quarantine, replaced, no
 * longer in effect, older than promised), `gone` when the answer itself is not.
 */
export type Showing = 'may_be_shown' | 'not_for_all' | 'not_now' | 'gone';

/** Answers after they were given. */
export interface Answers {
  find(tenantId: string, answerId: string): Promise<StoredAnswer | null>;
  /** Latest first. */
  ofAsker(tenantId: string, asker: string, limit: number): Promise<StoredAnswer[]>;
  /** Answers posted in a conversation, oldest first. */
  inConversation(
    tenantId: string,
    place: Pick<Place, 'platform' | 'workspace' | 'conversation'>,
    limit: number,
  ): Promise<(StoredAnswer & { readonly place: Place })[]>;
  recordPosted(tenantId: string, answerId: string, places: readonly Place[]): Promise<void>;
  /** The answer whose message this is, with the thread that it stands in. */
  atPlace(tenantId: string, place: Omit<Place, 'thread'>): Promise<(StoredAnswer & { readonly place: Place }) | null>;
}

/** What was wrong with an answer. */
export const FEEDBACK_REASONS = [
  'wrong',
  'outdated',
  'incomplete',
  'should_have_refused',
  'should_have_answered',
  'not_allowed_to_see',
] as const;
export type FeedbackReason = (typeof FEEDBACK_REASONS)[number];

/** One person's opinion of an answer; a later one replaces it. */
export interface Feedback {
  readonly answerId: string;
  readonly givenBy: string;
  readonly verdict: 'up' | 'down';
  readonly reason: FeedbackReason | null;
  readonly comment: string;
  readonly platform: Place['platform'] | 'api';
}

export interface FeedbackStore {
  /** @returns false when there is no such answer. */
  give(tenantId: string, feedback: Feedback): Promise<boolean>;
  /** @returns false when there was nothing to withdraw. */
  withdraw(tenantId: string, answerId: string, givenBy: string): Promise<boolean>;
  find(tenantId: string, answerId: string, givenBy: string): Promise<Feedback | null>;
  /** What a person said of each of several answers, by answer; those that the person said nothing of are missing. */
  ofAnswers(tenantId: string, answerIds: readonly string[], givenBy: string): Promise<ReadonlyMap<string, Feedback>>;
}

/** Who may read a new document; the rules of `verbatim ingest`. */
export interface Readers {
  /** One layer: any of these. Empty together with `require`: admins only. */
  readonly allow: readonly Principal[];
  /** One more layer each. */
  readonly require: readonly Principal[];
  /** Null: derived from the content. */
  readonly level: AccessLevel | null;
}

export interface NewDocument {
  readonly title?: string;
  /** Default: a new one. The same again replaces the document. */
  readonly uri?: string;
  /** Whose document of this URI is replaced: anybody's (for admins), or only the actor's own. */
  readonly replaces: 'any' | 'own';
  readonly fileName: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  /** Null: as it is; for a new document admins only. */
  readonly readers: Readers | null;
}

/** What forgetting removed; counts are rows. */
export interface ForgetReceipt {
  readonly documentId: string;
  readonly uri: string;
  readonly title: string;
  readonly versions: number;
  readonly chunks: number;
  readonly vectors: number;
  readonly answers: number;
  /** Posted messages that are being edited. */
  readonly postedAnswers: number;
}

export interface DocumentPage {
  readonly documents: readonly DocumentSummary[];
  /** For the next page; null on the last. */
  readonly nextCursor: string | null;
}

/** Documents as admins and editors handle them. The caller has checked the role; each change is audited with its actor. */
export interface Documents {
  submit(tenantId: string, actor: string, document: NewDocument): Promise<DocumentSummary>;
  find(tenantId: string, documentId: string): Promise<DocumentSummary | null>;
  list(
    tenantId: string,
    filter: {
      readonly state?: DocumentState;
      readonly search?: string;
      /** Only what this person submitted. */
      readonly createdBy?: string;
      readonly cursor?: string;
      readonly limit: number;
    },
  ): Promise<DocumentPage>;
  /** Null when there is no such document. When it resolves, nothing of the document is left but a tombstone. */
  forget(tenantId: string, actor: string, documentId: string): Promise<ForgetReceipt | null>;
  /** Takes a live document out of answers at once, or puts it back without indexing it anew. False: nothing to do. */
  quarantine(tenantId: string, actor: string, documentId: string): Promise<boolean>;
  release(tenantId: string, actor: string, documentId: string): Promise<boolean>;
  /** The live text, when `audience` may read the document now; else null, as for one that does not exist. */
  read(tenantId: string, audience: Audience, documentId: string): Promise<DocumentText | null>;
}

/** One call, for the audit log. Never content. */
export interface AuditedCall {
  readonly tenantId: string;
  readonly actor: string;
  /** Such as `api.createDocument` or `web.ask`. */
  readonly action: string;
  /** What was called, or what it made. */
  readonly target: string;
  readonly details: { readonly status: number; readonly requestId: string };
}

/** Adds to the log that only grows. */
export type AuditCall = (call: AuditedCall) => Promise<void>;
