// Events of chat platforms between being received and having ended. Implemented over the database in src/chat.
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

/** An event whose turn has come, held by this instance. */
export interface HeldEvent extends ChatEvent {
  readonly claim: Claim;
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
