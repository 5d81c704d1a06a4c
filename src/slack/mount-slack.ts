// Puts Slack together for the service: its endpoints, its inbox, and what runs in the background.
import { createHmac } from 'node:crypto';
import { createAdminCommands } from '../../adapters/admin-command.ts';
import type { Answers, Documents, FeedbackStore, People } from '../../adapters/ports.ts';
import { createQuestionHandler } from '../../adapters/question.ts';
import {
  createSlackAdapter,
  type SlackAdapter,
  type SlackAdapterOptions,
} from '../../adapters/slack/create-slack-adapter.ts';
import type { Workspace, Workspaces } from '../../adapters/slack/ports.ts';
import { authenticate } from '../../adapters/slack/slack-client.ts';
import type { HttpHandler } from '../../adapters/slack/slack-http.ts';
import { EVENTS_PATH, INSTALL_PATH, OAUTH_REDIRECT_PATH } from '../../adapters/slack/slack-paths.ts';
import { type AnswerQuestion, MAX_QUESTION_CHARACTERS } from '../../retrieval/answer-question.ts';
import type { Audience } from '../../retrieval/model.ts';
import { holdsAnswers, noteAudience } from '../../retrieval/place-audience.ts';
import { createAdminTools } from '../chat/admin-tools.ts';
import { type ChatInbox, createInbox } from '../chat/inbox.ts';
import { mayShow, ownsThread } from '../chat/posted.ts';
import { createRetractions, type Retractions } from '../chat/retractions.ts';
import { ConfigError, type SlackConfig } from '../config.ts';
import { every } from '../every.ts';
import type { Product } from '../product.ts';
import { createSlackCache, createUsergroups } from './slack-cache.ts';
import { retractionEvent, workOnRetraction } from './work-on-retraction.ts';
import { createWorkspaces, reinstate } from './workspaces.ts';

/** What Slack is made of. */
export interface SlackParts {
  readonly product: Product;
  /** Answers a question and counts it. */
  readonly ask: AnswerQuestion;
  readonly people: People;
  readonly answers: Answers;
  readonly documents: Documents;
  readonly feedback: FeedbackStore;
}

/** Slack in the service. */
export interface MountedSlack {
  /** Paths and their handler, which reads the bodies itself. */
  readonly endpoints: readonly { readonly path: string; readonly handler: HttpHandler }[];
  /** How Socket Mode is; empty without it. */
  connections(): Readonly<Record<string, string>>;
  /** Takes nothing new and lets what has begun end. */
  stop(): Promise<void>;
  /** For tests: looks for answers to take back now. */
  readonly retractions: Retractions;
}

const CONVERSATIONS_AT_ONCE = 4; // conversations; the model and the search are waited for, the embedder has two cores at best
const REFRESH_MS = 3_600_000;

/**
 * Connects Slack, of which something is set (`isSlackSet`).
 * @throws ConfigError when what is set does not suffice; SlackUnreachableError when the token is refused.
 */
export async function mountSlack(parts: SlackParts): Promise<MountedSlack> {
  const { product } = parts;
  const { config, database, logger } = product;
  checkSettings(config.slack);
  const inbox = createInbox({ database, logger, concurrency: CONVERSATIONS_AT_ONCE });
  const retractions = createRetractions({ database, inbox, logger, eventFor: { slack: retractionEvent } });
  const adapter = await createAdapter(parts, inbox, retractions);
  inbox.start({
    slack: (event) =>
      'retract' in event.payload
        ? workOnRetraction(adapter.handleEvent, retractions, event)
        : adapter.handleEvent(event),
  });
  retractions.start();
  await adapter.start();
  const refresh = every(REFRESH_MS, adapter.refreshUsergroups, logger, 'the usergroups of Slack could not be read');
  const { handler } = adapter;
  const paths = config.slack.clientId === null ? [EVENTS_PATH] : [EVENTS_PATH, INSTALL_PATH, OAUTH_REDIRECT_PATH];
  return {
    endpoints: handler === null ? [] : paths.map((path) => ({ path, handler })),
    retractions,
    connections() {
      const connection = adapter.connection();
      return connection === null ? {} : { slack: connection };
    },
    async stop() {
      clearInterval(refresh);
      retractions.stop();
      await adapter.stop();
      await inbox.stop(config.drainSeconds * 1_000);
    },
  };
}

async function createAdapter(parts: SlackParts, inbox: ChatInbox, retractions: Retractions): Promise<SlackAdapter> {
  const { product, people, answers, documents, feedback, ask } = parts;
  const { config, database, logger } = product;
  const { slack } = config;
  const tools = createAdminTools(product, config.admins);
  const tryRetractionsAgain: SlackAdapterOptions['tryRetractionsAgain'] = ({ tenantId, teamId }, conversation) =>
    retractions.tryAgain({ tenantId, platform: 'slack', workspace: teamId, conversation });
  const mayShowNow = (tenantId: string, answerId: string, audience: Audience) =>
    mayShow(database, tenantId, answerId, audience);
  const configured =
    slack.botToken === null
      ? null
      : {
          ...(await authenticate({ botToken: slack.botToken, apiUrl: slack.apiUrl, logger })),
          tenantId: config.tenantId,
        };
  // Slack accepts its token, so the app is installed there, whatever it was before.
  if (configured) {
    await reinstate(database, configured.teamId);
    await tryRetractionsAgain(configured, null);
  }
  const oauth =
    slack.clientId === null || slack.clientSecret === null
      ? null
      : { clientId: slack.clientId, clientSecret: slack.clientSecret, stateSecret: stateSecretOf(slack) };
  return createSlackAdapter({
    signingSecret: slack.signingSecret,
    appToken: slack.appToken,
    apiUrl: slack.apiUrl,
    oauth,
    followUps: slack.followUps,
    workspaces: openWorkspaces(product, configured, (workspace) => tryRetractionsAgain(workspace, null)),
    inbox,
    outgoing: inbox,
    tryRetractionsAgain,
    cache: createSlackCache(database),
    usergroups: createUsergroups(database),
    people,
    answers,
    documents,
    feedback,
    handleQuestion: createQuestionHandler({
      ask,
      people,
      answers,
      mayShow: async (...given) => (await mayShowNow(...given)) === 'may_be_shown',
      deliveries: inbox,
      maxQuestionCharacters: MAX_QUESTION_CHARACTERS,
      publicUrl: config.publicUrl,
      logger,
    }),
    admin: createAdminCommands({ documents, answers, tools, logger, waitMs: INDEX_WAIT_MS }),
    home: { answers, tools, sources: (tenantId) => readSources(product, tenantId) },
    publicUrl: config.publicUrl,
    ...placesOf(product),
    mayShow: mayShowNow,
    logger,
    clock: Date.now,
  });
}

// Whatever could not be done in a workspace without the app can be done when it is installed again.
function openWorkspaces(
  { config: { slack }, database, logger }: Product,
  configured: Workspace | null,
  installed: (workspace: Workspace) => Promise<void>,
): Workspaces {
  const key = slack.encryptionKey === null ? null : Buffer.from(slack.encryptionKey, 'base64');
  const workspaces = createWorkspaces({ database, logger, configured, tenants: slack.workspaces, key });
  return {
    ...workspaces,
    async install(installation) {
      await workspaces.install(installation);
      const workspace = await workspaces.find(installation.teamId);
      if (workspace) await installed(workspace);
    },
  };
}

// What is asked and noted of the conversations in which answers stand.
function placesOf({ database, logger }: Product): Pick<SlackAdapterOptions, 'ownsThread' | 'holdsAnswers' | 'seenBy'> {
  return {
    ownsThread: (workspace, channel, thread) =>
      ownsThread(database, workspace.tenantId, { ...placeOf(workspace, channel), thread }),
    holdsAnswers: (workspace, channel) =>
      database.transaction((query) => holdsAnswers(query, placeOf(workspace, channel))),
    async seenBy(workspace, channel, audience, options) {
      const marked = await database.transaction((query) =>
        noteAudience(query, placeOf(workspace, channel), audience, options),
      );
      if (marked > 0) logger.info({ marked }, 'messages are taken back from those who joined their conversation');
    },
  };
}

function placeOf({ tenantId, teamId }: Workspace, conversation: string) {
  return { tenantId, platform: 'slack' as const, workspace: teamId, conversation };
}

// One that all instances have, made from the key but not the key.
function stateSecretOf({ encryptionKey }: SlackConfig): string | null {
  return encryptionKey === null ? null : createHmac('sha256', encryptionKey).update('slack oauth state').digest('hex');
}

const INDEX_WAIT_MS = 60_000; // most documents are searchable by their words within seconds

async function readSources({ database }: Product, tenantId: string) {
  return database.transaction((query) =>
    query<{ name: string; contentAgeSeconds: number | null }>(
      `select s.source_id as name,
           extract(epoch from now() - coalesce(s.content_checked_at, max(d.took_effect_at)))::int as "contentAgeSeconds"
         from sources s left join documents d on d.tenant_id = $1 and d.source_id = s.source_id and d.state = 'live'
         where s.tenant_id = $1 group by s.source_id, s.content_checked_at order by s.source_id`,
      [tenantId],
    ),
  );
}

function checkSettings(slack: SlackConfig): void {
  const { botToken, signingSecret, appToken, clientId } = slack;
  const faults = [
    ...(botToken === null && clientId === null
      ? [need('SLACK_BOT_TOKEN', 'copy it from "OAuth & Permissions" of the app')]
      : []),
    ...(signingSecret === null && appToken === null
      ? [
          need(
            'SLACK_SIGNING_SECRET',
            'copy it from "Basic Information" of the app, or set SLACK_APP_TOKEN to use Socket Mode',
          ),
        ]
      : []),
    ...(clientId !== null && slack.clientSecret === null
      ? [need('SLACK_CLIENT_SECRET', 'it belongs to SLACK_CLIENT_ID')]
      : []),
    ...(clientId !== null && slack.encryptionKey === null
      ? [
          need(
            'VERBATIM_ENCRYPTION_KEY',
            'the tokens of installed workspaces are encrypted with it; make one with openssl rand -base64 32',
          ),
        ]
      : []),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
}

function need(variable: string, advice: string) {
  return { variable, given: null, message: `${variable} is not set, and Slack needs it; ${advice}` };
}
