// A question asked in Slack, from the message to the posted reply.
import { VerbatimError } from '../../retrieval/errors.ts';
import type { Audience } from '../../retrieval/model.ts';
import type { Logger } from '../../retrieval/ports.ts';
import type { Place } from '../ports.ts';
import {
  audienceOf,
  type Claim,
  type HandleQuestion,
  isSameAudience,
  type PeopleOfPlace,
  type Stage,
} from '../question.ts';
import { plainReply, type Reply } from '../reply.ts';
import { PRIVATE_OFFER_TEXT } from '../wording.ts';
import type { Workspace } from './ports.ts';
import type { PostMessages } from './post-messages.ts';
import { ACTIONS, renderNotice, renderReply } from './render-reply.ts';
import type { ClientFor } from './slack-client.ts';
import type { SlackPeople } from './slack-people.ts';

export interface QuestionFlowOptions {
  readonly handleQuestion: HandleQuestion;
  readonly slackPeople: SlackPeople;
  readonly post: PostMessages;
  readonly clientFor: ClientFor;
  readonly seenBy: SeenBy;
  readonly logger: Logger;
}

/**
 * Notes who sees a conversation where answers stand; what they may not read there is taken back. `recheck`: also where the
 * people are those of before.
 */
export type SeenBy = (
  workspace: Workspace,
  channel: string,
  audience: Audience,
  options: { readonly recheck: boolean },
) => Promise<void>;

/** A question in a conversation. */
export interface SlackQuestion {
  readonly workspace: Workspace;
  readonly eventKey: string;
  readonly channel: string;
  /** The thread that is answered in. */
  readonly thread: string;
  /** The message that asks; null where there is none to react to. */
  readonly message: string | null;
  readonly user: string;
  /** The user's own workspace, where the event names it. */
  readonly userTeam?: string;
  readonly text: string;
  readonly hasAttachments: boolean;
  /** A conversation of the asker and the app alone. */
  readonly direct: boolean;
}

/** Answers a question in its thread. */
export type AnswerInThread = (question: SlackQuestion, claim: Claim) => Promise<void>;

/** What a waiting person reads after the app's name. */
export const STATUS_TEXTS: Readonly<Record<Stage, string>> = {
  permissions: 'is checking who will see the answer…',
  search: 'is searching the documents…',
  context: 'is reading what it found…',
  model: 'is writing the answer…',
  recheck: 'is checking each quote…',
  store: 'is checking each quote…',
};

/** Makes `AnswerInThread`. */
export function createQuestionFlow(options: QuestionFlowOptions): AnswerInThread {
  return async (question, claim) => {
    const { workspace, eventKey, channel, thread, user, direct } = question;
    const status = showProgress(options, question);
    const post = async (reply: Reply, posted?: (place: Place) => Promise<void>): Promise<void> => {
      const messages = renderReply(reply, { feedback: true, postable: false });
      await status.end();
      const target = { workspace, channel, thread, eventKey: saidKey(eventKey, reply) };
      await options.post(target, messages, (message) => posted?.(toPlace(workspace, channel, thread, message)));
    };
    try {
      const people = await whoSeesIt();
      if (people === null) return;
      let present = people;
      const reply = await options.handleQuestion(
        {
          tenantId: workspace.tenantId,
          eventKey,
          ...people,
          text: question.text,
          hasAttachments: question.hasAttachments,
          threadId: threadIdOf(workspace, channel, thread),
          private: direct,
        },
        {
          post,
          onStage: status.show,
          claim,
          peopleNow: async () => {
            present = await readPeople(options, question);
            return present;
          },
        },
      );
      if (reply === null || reply.answerId === null) return;
      if (!direct) await noteWhoSeesIt(options, question, present);
      if (reply.offerPrivate) await offerPrivately(options, question, reply.answerId, user);
    } finally {
      await status.end();
    }

    async function whoSeesIt(): Promise<PeopleOfPlace | null> {
      try {
        return await readPeople(options, question);
      } catch (error) {
        if (error instanceof AppAsksError) return null;
        // Who will see the answer is not known: nothing may be said but that it went wrong.
        options.logger.error({ eventKey, err: error }, 'the audience of a question could not be established');
        await post(plainReply('failure'));
        return null;
      }
    }
  };
}

/** What tells the parts of a reply from those of another one to the same event, which a change of rights can bring about. */
export function saidKey(eventKey: string, { answerId }: Reply): string {
  return answerId === null ? eventKey : `${eventKey}/${answerId}`;
}

/** An app of the workspace, which is not answered. */
class AppAsksError extends VerbatimError {
  constructor() {
    super('slack_app_asks', 'an app of the workspace asked');
  }
}

async function readPeople(
  { slackPeople }: QuestionFlowOptions,
  { workspace, channel, user, userTeam, direct }: SlackQuestion,
): Promise<PeopleOfPlace> {
  const asker = await slackPeople.asker(workspace, user, userTeam);
  if (asker === null) throw new AppAsksError();
  return { asker, members: direct ? [] : await slackPeople.audience(workspace, channel, user) };
}

// Who came between the last look and the message sees it as well. The answer stands; their joining is an event of its own,
// which takes the message back if this look does not succeed.
async function noteWhoSeesIt(
  options: QuestionFlowOptions,
  question: SlackQuestion,
  madeFor: PeopleOfPlace,
): Promise<void> {
  const { workspace, channel, user, eventKey } = question;
  const audience = (people: PeopleOfPlace) => audienceOf({ ...people, private: false });
  try {
    const now = audience({ ...madeFor, members: await options.slackPeople.audience(workspace, channel, user) });
    await options.seenBy(workspace, channel, now, { recheck: !isSameAudience(now, audience(madeFor)) });
  } catch (error) {
    options.logger.warn({ eventKey, err: error }, 'who sees an answer could not be noted');
  }
}

/** Where a message is, as the core keeps it. */
export function toPlace({ teamId }: Workspace, conversation: string, thread: string, message: string): Place {
  return { platform: 'slack', workspace: teamId, conversation, thread, message };
}

/** The context of follow-ups: one for each thread. */
export function threadIdOf({ teamId }: Workspace, channel: string, thread: string): string {
  return `slack:${teamId}/${channel}/${thread}`;
}

interface Progress {
  show(stage: Stage): void;
  /** Nothing more is shown; resolves when what is on its way has arrived. A status that came after the answer would stay. */
  end(): Promise<void>;
}

const STATUS_PAUSE_MS = 1_000; // a person reads no faster, and each is a call

// A status under the thread, which ends with the reply; an app without that feature puts a reaction on the question.
function showProgress(
  { clientFor, logger }: QuestionFlowOptions,
  { workspace, channel, thread, message }: SlackQuestion,
): Progress {
  const client = clientFor(workspace);
  let last: Promise<unknown> = Promise.resolve();
  let shownAt = Number.NEGATIVE_INFINITY;
  let state: 'status' | 'reaction' | 'ended' = 'status';
  const react = async (error: unknown) => {
    logger.debug({ err: error }, 'a status could not be shown');
    if (state !== 'status' || message === null) return;
    state = 'reaction';
    await client.reactions.add({ channel, timestamp: message, name: 'eyes' }).catch(() => undefined);
  };
  const show = (stage: Stage) => {
    const now = performance.now();
    if (state !== 'status' || now - shownAt < STATUS_PAUSE_MS) return;
    shownAt = now;
    const status = STATUS_TEXTS[stage];
    const set = () => client.assistant.threads.setStatus({ channel_id: channel, thread_ts: thread, status });
    last = last.then(() => (state === 'status' ? set() : undefined)).catch(react);
  };
  show('permissions');
  return {
    show,
    async end() {
      await last;
      const reacted = state === 'reaction';
      state = 'ended';
      if (reacted && message !== null) {
        await client.reactions.remove({ channel, timestamp: message, name: 'eyes' }).catch(() => undefined);
      }
    },
  };
}

// The answer stands; a hint that cannot be shown is only logged.
async function offerPrivately(
  { clientFor, logger }: QuestionFlowOptions,
  { workspace, channel, thread, eventKey }: SlackQuestion,
  answerId: string,
  user: string,
): Promise<void> {
  const notice = renderNotice(PRIVATE_OFFER_TEXT, [
    { id: ACTIONS.askPrivately, label: 'Answer me privately', value: answerId },
  ]);
  try {
    await clientFor(workspace).chat.postEphemeral({ channel, user, thread_ts: thread, ...notice });
  } catch (error) {
    logger.warn({ eventKey, err: error }, 'a private answer could not be offered');
  }
}
