// What the pages need beyond what all adapters share: figures for admins, the roster, and whether a quote may still be shown.
import type { Audience, Citation, Contributions, Refusal } from '../../retrieval/model.ts';
import type { DropStage } from '../../retrieval/search.ts';
import type { Feedback } from '../ports.ts';

/** What the questions of one day came to. Milliseconds are null on a day without questions. */
export interface DayFigures {
  /** Such as `2026-11-30`, UTC. */
  readonly day: string;
  readonly answered: number;
  readonly refused: Readonly<Partial<Record<Refusal, number>>>;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
  readonly costUsd: number;
}

export interface Overview {
  /** One entry a day, oldest first, without gaps; the last is today. */
  readonly days: readonly DayFigures[];
  /** The same over all days; `day` is the first one. */
  readonly total: DayFigures;
  /** Opinions that hold. `notAllowedToSee`: of `down`, those of people who say that somebody saw what they should not. */
  readonly feedback: { readonly up: number; readonly down: number; readonly notAllowedToSee: number };
  readonly documentsByState: Readonly<Record<string, number>>;
  readonly queues: Readonly<
    Record<string, { readonly queued: number; readonly active: number; readonly failed: number }>
  >;
  /** Latest first, a few. */
  readonly failures: readonly {
    readonly documentId: string;
    readonly title: string;
    readonly uri: string;
    readonly reason: string;
  }[];
  /** Posted answers whose evidence went and that still show it. */
  readonly retractions: { readonly pending: number; readonly failed: number };
}

/** A candidate of a search. */
export interface LoggedCandidate {
  readonly documentId: string;
  /** Empty when the document is gone. */
  readonly title: string;
  readonly headingPath: readonly string[];
  readonly score: number;
  readonly contributions: Contributions;
  readonly dropped: DropStage | null;
  /** The layer that the audience fails. */
  readonly layer: string | null;
}

/** What somebody said of an answer. */
export interface LoggedOpinion extends Omit<Feedback, 'answerId'> {
  readonly givenAt: Date;
}

/** One line of the log of questions. */
export interface LoggedQuestion {
  readonly answerId: string;
  readonly askedAt: Date;
  readonly asker: string;
  readonly question: string;
  readonly audienceSize: number;
  readonly status: 'answered' | 'refused';
  readonly refusal: Refusal | null;
  readonly route: string;
  readonly model: string;
  readonly cached: boolean;
  readonly retrieved: number;
  readonly droppedByPermission: number;
  readonly cited: number;
  readonly unknownCitations: number;
  readonly degraded: readonly string[];
  readonly timingsMs: Readonly<Record<string, number>>;
  /** Null: not known. */
  readonly costUsd: number | null;
  /** 0…1; null for a refusal. */
  readonly confidence: number | null;
  /** Best first, as many as were asked for; none once the trace has expired. */
  readonly candidates: readonly LoggedCandidate[];
  /** Oldest first; without those that were withdrawn. */
  readonly opinions: readonly LoggedOpinion[];
}

export const QUESTION_KINDS = [
  'answered',
  'refused',
  'permission_drops',
  'zero_confidence',
  'degraded',
  'complaint',
  'not_allowed_to_see',
] as const;
export type QuestionKind = (typeof QUESTION_KINDS)[number];

/** What admins see of what the product did. The caller has checked the role. */
export interface Insights {
  /** The last `days` days with today. */
  overview(tenantId: string, days: number): Promise<Overview>;
  /** Latest first. `search` is looked for in the question and the asker. */
  questions(
    tenantId: string,
    filter: {
      readonly search?: string;
      readonly kind?: QuestionKind;
      readonly cursor?: string;
      readonly limit: number;
    },
    candidates: number,
  ): Promise<{ readonly questions: readonly LoggedQuestion[]; readonly nextCursor: string | null }>;
  /** With all its candidates. */
  question(tenantId: string, answerId: string): Promise<LoggedQuestion | null>;
  /** Answers, and messages that show them, that quote a document. */
  quotedIn(tenantId: string, documentId: string): Promise<{ readonly answers: number; readonly messages: number }>;
}

/** Where a person belongs; for lists of people. */
export interface RosterEntry {
  /** Null: none of the named departments. */
  readonly department: string | null;
  /** Names of all groups, inherited ones included. */
  readonly groups: readonly string[];
}

/** By e-mail. */
export type Roster = (tenantId: string) => Promise<ReadonlyMap<string, RosterEntry>>;

/**
 * Whether a quote given earlier may be shown to an audience now. `changed`: the document has a newer version; `superseded`: it is
 * no longer in effect; `withheld`: deleted, quarantined, out of reach, or older than promised.
 */
export type QuoteState = 'current' | 'changed' | 'superseded' | 'withheld';

/** One state a citation, in order; checked at this moment. */
export type CheckQuotes = (
  tenantId: string,
  audience: Audience,
  citations: readonly Citation[],
) => Promise<readonly QuoteState[]>;

/** Questions that a person may want to begin with. */
export type Suggestions = (tenantId: string, email: string) => Promise<readonly string[]>;
