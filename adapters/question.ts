// What every platform does with a question: once an event, always with a visible end, with the place's own audience.
import { UsageError } from '../retrieval/errors.ts';
import type { Answer, Audience, AudienceMember, Question } from '../retrieval/model.ts';
import type { Logger } from '../retrieval/ports.ts';
import { TryLaterError } from './inbox.ts';
import type { Answers, People, Place } from './ports.ts';
import { plainReply, type Reply, toReply } from './reply.ts';
import { EMPTY_QUESTION_TEXT, FAILURE_TEXT, NO_TEXT_QUESTION_TEXT, questionTooLongText } from './wording.ts';

/** The question's author: a person of the directory, or an id of the platform without a verified link. */
export interface Asker {
  /** The e-mail, or such as `slack:user:T1/U1`. */
  readonly id: string;
  readonly member: AudienceMember;
}

/** A question as a platform received it. */
export interface IncomingQuestion {
  readonly tenantId: string;
  /** The platform's id of the event: the same again is not answered again. */
  readonly eventKey: string;
  readonly asker: Asker;
  /** Who sees the place now, each as what they are; the asker counts in any case. Not used where `private`. */
  readonly members: Audience;
  readonly text: string;
  /** Something other than text came along, such as an image. */
  readonly hasAttachments?: boolean;
  /** Unique to the thread and the place; earlier questions in it are context. Null: stands alone. */
  readonly threadId: string | null;
  /** Only the asker sees the place. */
  readonly private: boolean;
}

/** Who asks and who sees the place. */
export type PeopleOfPlace = Pick<IncomingQuestion, 'asker' | 'members'>;

/** Which events have ended, shared by all instances. */
export interface Deliveries {
  /** Null when the event has ended, or another instance is at work on it. The claim of a killed instance runs out. */
  claim(tenantId: string, eventKey: string): Promise<Claim | null>;
}

/** One instance's right to answer an event. */
export interface Claim {
  /** What an earlier try answered and could not post; null where there is none. */
  readonly answerId: string | null;
  /** Keeps the answer for whoever tries again: then only the posting is repeated. */
  keep(answerId: string): Promise<void>;
  /** The event has ended; nobody will answer it again. */
  end(): Promise<void>;
  /** Somebody may try it again. */
  giveBack(): Promise<void>;
}

/** The stages that a person who waits is shown. */
export type Stage = 'permissions' | 'search' | 'context' | 'model' | 'recheck' | 'store';

export interface QuestionHandlerOptions {
  readonly ask: (question: Question, options?: { readonly onStage?: (stage: Stage) => void }) => Promise<Answer>;
  readonly people: Pick<People, 'seesMoreAlone'>;
  readonly answers: Pick<Answers, 'recordPosted' | 'find'>;
  /** Whether everyone of the audience may be shown the answer now. */
  readonly mayShow: (tenantId: string, answerId: string, audience: Audience) => Promise<boolean>;
  readonly deliveries: Deliveries;
  /** Longest question in characters, as the core has it. */
  readonly maxQuestionCharacters: number;
  readonly publicUrl: string | null;
  readonly logger: Logger;
}

/** Where and how a reply is shown. */
export interface Delivery {
  /**
   * Shows it, and calls `posted` with each message as soon as it stands, except for what cannot be edited later. What it
   * throws is tried again.
   */
  readonly post: (reply: Reply, posted: (place: Place) => Promise<void>) => Promise<void>;
  readonly onStage?: (stage: Stage) => void;
  /** Who asks and who sees the place at this moment. Looked at again right before the reply is shown. */
  readonly peopleNow?: () => Promise<PeopleOfPlace>;
  /** The caller's claim on the event, where it already holds one and ends it itself. */
  readonly claim?: Claim;
}

/** A try of an event; `triedAgain`: one that fails is not the last. */
interface Attempt extends Delivery {
  readonly claim: Claim;
  readonly triedAgain: boolean;
}

/** Answers one event. @returns what was shown, or null when the event had been answered or is being answered elsewhere. */
export type HandleQuestion = (question: IncomingQuestion, delivery: Delivery) => Promise<Reply | null>;

/** Makes the function that every chat platform calls for a question. */
export function createQuestionHandler(options: QuestionHandlerOptions): HandleQuestion {
  return async (question, delivery) => {
    const claim = delivery.claim ?? (await options.deliveries.claim(question.tenantId, question.eventKey));
    if (claim === null) return null;
    try {
      const triedAgain = delivery.claim !== undefined;
      const reply = await replyToThosePresent(options, question, { ...delivery, claim, triedAgain });
      const { answerId } = reply;
      await delivery.post(reply, async (place) => {
        if (answerId !== null) await record(options, question.tenantId, answerId, place);
      });
      if (!delivery.claim) await claim.end();
      return reply;
    } catch (error) {
      if (!delivery.claim) await claim.giveBack();
      throw error;
    }
  };
}

const ROUNDS = 3; // changes of the people while one answer is made; a place where more happens is in commotion

// Whoever came while the answer was made sees it, too: it is made anew for those who are there now, as often as that changes.
async function replyToThosePresent(
  options: QuestionHandlerOptions,
  question: IncomingQuestion,
  delivery: Attempt,
): Promise<Reply> {
  let asked = question;
  for (let round = 1; round <= ROUNDS; round++) {
    const reply = await replyTo(options, asked, delivery);
    if (!delivery.peopleNow || reply.answerId === null) return reply;
    const present = await lookAgain(options, asked, delivery.peopleNow);
    if (present === null) return plainReply('failure');
    if (isSameAudience(audienceOf(asked), audienceOf(present))) return reply;
    asked = present;
  }
  options.logger.warn({ eventKey: question.eventKey }, 'those who see a place changed again and again');
  return plainReply('failure');
}

async function lookAgain(
  { logger }: QuestionHandlerOptions,
  question: IncomingQuestion,
  peopleNow: () => Promise<PeopleOfPlace>,
): Promise<IncomingQuestion | null> {
  try {
    return { ...question, ...(await peopleNow()) };
  } catch (error) {
    // Who will see the answer is not known: nothing may be said but that it went wrong.
    logger.error(
      { eventKey: question.eventKey, err: error },
      'the audience of a question could not be looked at again',
    );
    return null;
  }
}

/** Whether two audiences are the same people with the same rights, in any order. */
export function isSameAudience(one: Audience, other: Audience): boolean {
  const keys = (audience: Audience) => new Set(audience.map(memberKey));
  const [a, b] = [keys(one), keys(other)];
  return a.size === b.size && [...a].every((key) => b.has(key));
}

/** The people who will see the reply. */
export function audienceOf({
  asker,
  members,
  private: alone,
}: PeopleOfPlace & Pick<IncomingQuestion, 'private'>): Audience {
  if (alone) return [asker.member];
  const unique = new Map([asker.member, ...members].map((member) => [memberKey(member), member]));
  return [...unique.values()];
}

function memberKey(member: AudienceMember): string {
  return 'person' in member
    ? `person ${member.person.toLowerCase()}`
    : `principals ${[...member.principals].sort().join(' ')}`;
}

// Nothing that goes wrong here may end in silence: the log has the cause, the person a sentence.
async function replyTo(options: QuestionHandlerOptions, question: IncomingQuestion, delivery: Attempt): Promise<Reply> {
  const text = question.text.trim();
  if (text === '') return plainReply('hint', question.hasAttachments ? NO_TEXT_QUESTION_TEXT : EMPTY_QUESTION_TEXT);
  const { maxQuestionCharacters } = options;
  if (text.length > maxQuestionCharacters)
    return plainReply('hint', questionTooLongText(text.length, maxQuestionCharacters));
  try {
    const audience = audienceOf(question);
    const kept = await keptAnswer(options, question, { audience, answerId: delivery.claim.answerId });
    const answer = kept ?? (await askAnew(options, question, { audience, text, delivery }));
    const offerPrivate = await offersPrivate(options, question, audience);
    return toReply(answer, { private: question.private, offerPrivate, publicUrl: options.publicUrl });
  } catch (error) {
    // Said by whoever tries again.
    if (delivery.triedAgain && error instanceof TryLaterError) throw error;
    options.logger.error({ eventKey: question.eventKey, err: error }, 'a question could not be answered');
    return plainReply('failure', error instanceof UsageError ? sentence(error.message) : FAILURE_TEXT);
  }
}

async function askAnew(
  { ask, logger }: QuestionHandlerOptions,
  { tenantId, asker, threadId, eventKey }: IncomingQuestion,
  {
    audience,
    text,
    delivery: { claim, onStage },
  }: { audience: Audience; text: string; delivery: Delivery & { readonly claim: Claim } },
): Promise<Answer> {
  const answer = await ask(
    { tenantId, asker: asker.id, audience, text, ...(threadId === null ? {} : { threadId }) },
    onStage ? { onStage } : {},
  );
  // A courtesy to whoever tries again: without it the question is only answered anew.
  await claim.keep(answer.answerId).catch((error: unknown) => {
    logger.warn({ eventKey, err: error }, 'an answer could not be kept for another try');
  });
  return answer;
}

// Rights may have changed since the try that made it: then it is made anew. A refusal holds nothing.
async function keptAnswer(
  { answers, mayShow }: QuestionHandlerOptions,
  { tenantId }: IncomingQuestion,
  { audience, answerId }: { audience: Audience; answerId: string | null },
): Promise<Answer | null> {
  const stored = answerId === null ? null : await answers.find(tenantId, answerId);
  if (stored === null || stored.retractedAt !== null) return null;
  const { answer } = stored;
  return answer.refusal !== null || (await mayShow(tenantId, answer.answerId, audience)) ? answer : null;
}

// By rights alone, never by what documents say. An offer is a courtesy: without it the answer stands.
async function offersPrivate(
  { people, logger }: QuestionHandlerOptions,
  { tenantId, eventKey, asker, private: alone }: IncomingQuestion,
  audience: Audience,
): Promise<boolean> {
  if (alone || !('person' in asker.member)) return false;
  try {
    return await people.seesMoreAlone(tenantId, asker.member.person, audience);
  } catch (error) {
    logger.warn({ eventKey, err: error }, 'whether the asker sees more alone could not be found out');
    return false;
  }
}

// What was posted stays posted: an answer that is not recorded could not be taken back, so this is tried more than once.
async function record(
  { answers, logger }: QuestionHandlerOptions,
  tenantId: string,
  answerId: string,
  place: Place,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await answers.recordPosted(tenantId, answerId, [place]);
    } catch (error) {
      logger.warn({ answerId, attempt, err: error }, 'where an answer was posted could not be stored');
      if (attempt === RECORD_ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, RECORD_PAUSE_MS * attempt));
    }
  }
}

const RECORD_ATTEMPTS = 3;
const RECORD_PAUSE_MS = 200; // a database that fails over answers again within seconds; the event is tried again after that

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
