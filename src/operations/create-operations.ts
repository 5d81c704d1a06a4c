import type { Answers, Documents, FeedbackStore, People } from '../../adapters/ports.ts';
import type { Outbox } from '../../ingest/ports.ts';
import type { Database } from '../../retrieval/ports.ts';
import { createAnswers } from './answers.ts';
import { createDocuments } from './documents.ts';
import { createFeedbackStore } from './feedback.ts';
import { createPeople } from './people.ts';

/** What every adapter needs of the product besides asking. */
export interface Operations {
  readonly people: People;
  readonly answers: Answers;
  readonly feedback: FeedbackStore;
  readonly documents: Documents;
}

/** The parts of the product that the operations rest on. */
export interface OperationsParts {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly queue: { wake(queueName: string): void };
  readonly config: { readonly largeAudiencePeople: number };
}

/** The adapters' ports over the product's database. */
export function createOperations(parts: OperationsParts): Operations {
  return {
    people: createPeople(parts),
    answers: createAnswers(parts),
    feedback: createFeedbackStore(parts),
    documents: createDocuments(parts),
  };
}
