import type { AnswerQuestion } from '../../retrieval/answer-question.ts';
import type { Clock, Logger } from '../../retrieval/ports.ts';
import type { Answers, AuditCall, Documents, FeedbackStore, People, Sessions } from '../ports.ts';
import type { CheckQuotes, Insights, Roster, Suggestions } from './ports.ts';

/** What the pages are made of. Nothing here reaches a database but through a port. */
export interface WebDependencies {
  /** The tenant whose people sign in here. */
  readonly tenantId: string;
  readonly ask: AnswerQuestion;
  readonly people: People;
  readonly answers: Answers;
  readonly feedback: FeedbackStore;
  readonly documents: Documents;
  readonly sessions: Sessions;
  readonly insights: Insights;
  readonly roster: Roster;
  readonly checkQuotes: CheckQuotes;
  readonly suggestions: Suggestions;
  readonly audit: AuditCall;
  /** Changes whenever something is added, forgotten, quarantined or read by others: an open page then looks again. */
  readonly indexVersion: (tenantId: string) => Promise<number>;
  /** Where people reach the pages, when a proxy stands before them. */
  readonly publicUrl: string | null;
  readonly clock: Clock;
  /** A new unguessable id. */
  readonly newId: () => string;
  readonly logger: Logger;
  /** Questions of one person a minute. */
  readonly asksPerMinute: number;
}
