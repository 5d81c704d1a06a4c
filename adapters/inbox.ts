// Events of chat platforms between being received and having ended. Implemented over the database in src/chat.
import { VerbatimError } from '../retrieval/errors.ts';
import type { Claim } from './question.ts';

/** What a platform sent, as it is kept until it has ended. */
export interface ChatEvent {
  readonly tenantId: string;
  /** The platform's own id; the same again is not worked on again. */
  readonly eventKey: string;
  /** Events of one lane are worked on one after another; usually a conversation. Begins with the platform's name. */
  readonly lane: string;
  /** Orders the events of a lane as text. */
  readonly position: string;
  readonly payload: object;
}

/** What a request makes invalid of what was read from the platform. */
export interface Invalidation {
  readonly platform: string;
  readonly workspace: string;
  readonly conversation?: string;
  readonly userId?: string;
}

/** `replayed`: the same signed request was seen before. */
export type Received = 'stored' | 'duplicate' | 'replayed';

/** What is noted of a request beside the event, in the same transaction. */
export interface Noted {
  /** Of a signed request: the same again is refused. */
  readonly signature: string | null;
  readonly invalidates: Invalidation | null;
}

export interface Inbox {
  /** Stores the event: when this resolves, no crash loses it. */
  receive(event: ChatEvent, noted: Noted): Promise<Received>;
  /** Notes a request that leaves nothing to be done later. Never `duplicate`. */
  note(tenantId: string, noted: Noted): Promise<Received>;
}

/** Thrown by what works on an event: whatever refused it refuses it each time, so it is not tried again. */
export class FinalEventError extends VerbatimError {}

/** Thrown by what works on an event: it is tried again after a pause, for as long as it takes. */
export class TryLaterError extends VerbatimError {
  readonly pauseSeconds: number;
  constructor(code: string, message: string, { pauseSeconds, cause }: { pauseSeconds: number; cause?: unknown }) {
    super(code, message, { cause });
    this.pauseSeconds = pauseSeconds;
  }
}

/** The claim on an event whose turn has come. */
export interface HeldClaim extends Claim {
  /** Somebody may try it again: after `pauseSeconds` as often as it takes, or else a few times with growing pauses. */
  giveBack(pauseSeconds?: number): Promise<void>;
  /** The event has failed for good. */
  giveUp(): Promise<void>;
}

/** An event whose turn has come, held by this instance. */
export interface HeldEvent extends ChatEvent {
  readonly claim: HeldClaim;
  /** 1 for the first try. */
  readonly attempt: number;
}

/** What went out for an event, so that nothing goes out twice. */
export interface Outgoing {
  /**
   * Notes that a part is about to be sent. @returns the message when the part is out, `unknown` when an earlier try may have
   * sent it, `new` otherwise.
   */
  begin(tenantId: string, eventKey: string, part: number): Promise<{ message: string } | 'unknown' | 'new'>;
  complete(tenantId: string, eventKey: string, part: number, message: string): Promise<void>;
}
