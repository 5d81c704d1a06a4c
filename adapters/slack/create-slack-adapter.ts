// Slack: requests come in through HTTP or Socket Mode, wait in the inbox, and are worked on here in turn.
import { App, type Receiver, type ReceiverEvent } from '@slack/bolt';
import type { Audience } from '../../retrieval/model.ts';
import type { Clock, Logger } from '../../retrieval/ports.ts';
import type { AdminCommands } from '../admin-command.ts';
import { FinalEventError, type HeldEvent, type Inbox, type Outgoing } from '../inbox.ts';
import type { Answers, Documents, FeedbackStore, People, Showing } from '../ports.ts';
import type { HandleQuestion } from '../question.ts';
import { plainReply } from '../reply.ts';
import type { HomeContent } from './app-home.ts';
import { addEventListeners } from './event-listeners.ts';
import { addInteractions } from './interactions.ts';
import { handleInternal, type InternalPayload } from './internal-events.ts';
import type { SlackCache, Usergroups, Workspace, Workspaces } from './ports.ts';
import { createPoster } from './post-messages.ts';
import { renderReply } from './render-reply.ts';
import { type ClientFor, clientOptions, createClients, refusalCode, sdkLogger } from './slack-client.ts';
import { createSlackFeedback } from './slack-feedback.ts';
import { createHttpHandler, type HttpHandler } from './slack-http.ts';
import { createIntake, type EventBody, type IntakeOptions, workspaceOf } from './slack-intake.ts';
import { createOauthOptions, type OauthSettings } from './slack-oauth.ts';
import { createSlackPeople, type SlackPeople } from './slack-people.ts';
import { createQuestionFlow, type SeenBy } from './slack-questions.ts';
import { createSocketMode } from './socket-mode.ts';
import { notInstalled, takeBack } from './take-back.ts';

export interface SlackAdapterOptions {
  /** Null: no HTTP, Socket Mode only. */
  readonly signingSecret: string | null;
  /** Null: no Socket Mode. */
  readonly appToken: string | null;
  readonly apiUrl: string | null;
  readonly oauth: OauthSettings | null;
  readonly followUps: boolean;
  readonly workspaces: Workspaces;
  readonly inbox: Inbox;
  readonly outgoing: Outgoing;
  /** The bot is back in a channel, or in its workspace (null): answers that could not be taken back there can be now. */
  readonly tryRetractionsAgain: (workspace: Workspace, channel: string | null) => Promise<void>;
  readonly cache: SlackCache;
  readonly usergroups: Usergroups;
  readonly people: People;
  readonly answers: Answers;
  readonly documents: Documents;
  readonly feedback: FeedbackStore;
  readonly handleQuestion: HandleQuestion;
  readonly admin: AdminCommands;
  readonly home: HomeContent;
  readonly publicUrl: string | null;
  /** An answer of the bot stands in this thread. */
  readonly ownsThread: (workspace: Workspace, channel: string, thread: string) => Promise<boolean>;
  /** Messages with answers stand in the conversation. */
  readonly holdsAnswers: (workspace: Workspace, channel: string) => Promise<boolean>;
  readonly seenBy: SeenBy;
  /** Whether everyone of the audience may be shown the answer now. */
  readonly mayShow: (tenantId: string, answerId: string, audience: Audience) => Promise<Showing>;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Slack as the service uses it. */
export interface SlackAdapter {
  /** For the paths /slack/events, /slack/install and /slack/oauth_redirect, before anything reads the body; null without HTTP. */
  readonly handler: HttpHandler | null;
  /** Opens the Socket Mode connection where there is one, and reads the usergroups. */
  start(): Promise<void>;
  /** Takes no further requests. */
  stop(): Promise<void>;
  /** How Socket Mode is doing, in words; null without it. */
  connection(): string | null;
  /** Works on an event of the inbox whose lane begins with `slack:`. @throws FinalEventError, TryLaterError, or anything else */
  handleEvent(event: HeldEvent): Promise<void>;
  /** Reads the usergroups of all workspaces again. */
  refreshUsergroups(): Promise<void>;
}

/** The payload of an event that takes a posted answer back. */
export interface RetractPayload {
  readonly retract: {
    readonly teamId: string;
    readonly channel: string;
    readonly message: string;
    readonly answerId: string;
  };
}

/** Makes the adapter. Nothing is connected before `start`. */
export function createSlackAdapter(options: SlackAdapterOptions): SlackAdapter {
  const logger = sdkLogger(options.logger);
  const clientFor = createClients({ apiUrl: options.apiUrl, logger });
  const slackPeople = createSlackPeople({ ...options, clientFor });
  const post = createPoster({ ...options, clientFor });
  const parts = {
    ...options,
    clientFor,
    slackPeople,
    post,
    answerInThread: createQuestionFlow({ ...options, clientFor, slackPeople, post }),
    slackFeedback: createSlackFeedback({ ...options, clientFor, slackPeople }),
  };
  const app = createApp(options, logger);
  addEventListeners(app, parts);
  addInteractions(app, parts);

  let stopping = false;
  const intake = createIntake({
    ...options,
    processNow: (event) => answerAtOnce(app, event),
    apologise: createApology({ ...options, clientFor }),
  });
  const { appToken } = options;
  const sdk = { ...options, logger, ours: options.logger };
  const socket = appToken === null ? null : createSocketMode({ ...sdk, appToken, intake });
  const refreshUsergroups = async () => {
    for (const workspace of await options.workspaces.list()) {
      await parts.slackPeople.refreshUsergroups(workspace).catch((error: unknown) => {
        const { teamId } = workspace;
        options.logger.warn({ teamId, err: error }, 'the usergroups of a workspace could not be read');
      });
    }
  };
  return {
    handler: createHandler(),
    async start() {
      if (socket) await socket.start();
      await refreshUsergroups().catch((error: unknown) => {
        options.logger.warn({ err: error }, 'the usergroups of Slack could not be read');
      });
    },
    async stop() {
      stopping = true;
      if (socket) await socket.stop();
    },
    connection: () => socket?.state() ?? null,
    handleEvent: (event) => handle(event).catch(refuse),
    refreshUsergroups,
  };

  function createHandler(): HttpHandler | null {
    const { signingSecret, oauth, clock } = options;
    if (signingSecret === null) return null;
    const installer =
      oauth === null
        ? {}
        : createOauthOptions(oauth, { ...options, onInstalled: (teamId) => greet(options, slackPeople, teamId) });
    return createHttpHandler({ signingSecret, intake, oauth: installer, logger, clock, isStopping: () => stopping });
  }

  async function handle(event: HeldEvent): Promise<void> {
    const payload = event.payload as EventBody & Partial<RetractPayload & InternalPayload>;
    const teamId = payload.retract?.teamId ?? payload.internal?.teamId ?? workspaceOf(payload) ?? '';
    const workspace = await options.workspaces.find(teamId);
    if (workspace === null) {
      options.logger.warn({ eventKey: event.eventKey }, 'an event of a workspace that uninstalled the app was dropped');
      if (payload.retract) throw notInstalled();
    } else if (payload.retract) {
      await takeBack(clientFor(workspace), { ...payload.retract, attempt: event.attempt });
    } else if (payload.internal) await handleInternal(parts, workspace, { internal: payload.internal }, event);
    else await app.processEvent({ body: payload, ack: async () => undefined, customProperties: { held: event } });
  }
}

function createApology({ clientFor, logger }: { clientFor: ClientFor; logger: Logger }): IntakeOptions['apologise'] {
  return async (workspace, { channel, thread }) => {
    const [message] = renderReply(plainReply('failure'), { feedback: false, postable: false });
    if (!message) return false;
    try {
      await clientFor(workspace).chat.postMessage({ channel, thread_ts: thread, unfurl_links: false, ...message });
      return true;
    } catch (error) {
      logger.error({ err: error }, 'not even that a question failed could be said');
      return false;
    }
  };
}

// Who is in which usergroup is known from the first question on. The refresh of every hour comes by anyway.
async function greet(
  { workspaces, logger }: SlackAdapterOptions,
  slackPeople: SlackPeople,
  teamId: string,
): Promise<void> {
  try {
    const workspace = await workspaces.find(teamId);
    if (workspace !== null) await slackPeople.refreshUsergroups(workspace);
  } catch (error) {
    logger.warn({ teamId, err: error }, 'the usergroups of a new workspace could not be read');
  }
}

// What nobody listens for is acknowledged as well: Slack would show an error after three seconds.
async function answerAtOnce(app: App, event: ReceiverEvent): Promise<void> {
  let acknowledged = false;
  const ack: ReceiverEvent['ack'] = async (response) => {
    acknowledged = true;
    await event.ack(response);
  };
  await app.processEvent({ ...event, ack });
  if (!acknowledged) await event.ack();
}

// What listeners get is found by ourselves: the workspace, and the claim on the event.
function createApp({ workspaces, apiUrl }: SlackAdapterOptions, logger: ReturnType<typeof sdkLogger>): App {
  const receiver: Receiver = { init: () => undefined, start: async () => undefined, stop: async () => undefined };
  return new App({
    receiver,
    logger,
    convoStore: false,
    clientOptions: clientOptions({ apiUrl, logger }),
    authorize: async ({ teamId }) => {
      const workspace = teamId === undefined ? null : await workspaces.find(teamId);
      if (workspace === null) throw new Error('the app is not installed there');
      const { botToken, botId, botUserId } = workspace;
      return { botToken, botId, botUserId, workspace };
    },
  });
}

// What Slack refuses for good is not tried again: nothing else gets done in the meantime, and nothing comes of it.
function refuse(error: unknown): never {
  const code = refusalCode(error);
  if (code === null) throw error;
  throw new FinalEventError(code, 'Slack refuses what an event needs', { cause: error });
}
