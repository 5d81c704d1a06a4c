import type { AnswerStage } from '../../retrieval/answer-question.ts';
import type { Answer, Question } from '../../retrieval/model.ts';
import type { Logger } from '../../retrieval/ports.ts';
import type { Answers, AuditCall, Documents, FeedbackStore, Sessions } from '../ports.ts';
import type { CheckQuotes, IdempotencyStore, MayIngest, ReadTrace } from './ports.ts';

/** What the API is made of. Nothing here reaches a database but through a port. */
export interface ApiDependencies {
  /** The tenant whose people sign in with a password here. */
  readonly tenantId: string;
  /** A question whose `signal` is aborted before its turn comes is not begun. */
  readonly ask: (
    question: Question,
    options: { readonly onStage: (stage: AnswerStage) => void; readonly signal: AbortSignal },
  ) => Promise<Answer>;
  readonly answers: Pick<Answers, 'find'>;
  readonly feedback: Pick<FeedbackStore, 'give'>;
  readonly documents: Pick<Documents, 'submit' | 'find' | 'list' | 'forget'>;
  readonly sessions: Pick<Sessions, 'issue' | 'read' | 'withPassword'>;
  readonly checkQuotes: CheckQuotes;
  readonly readTrace: ReadTrace;
  readonly mayIngest: MayIngest;
  readonly idempotency: IdempotencyStore;
  readonly audit: AuditCall;
  /** Requests of one person a minute. */
  readonly ratePerMinute: number;
  /** A new unguessable id. */
  readonly newId: () => string;
  readonly logger: Logger;
}
