// Messages go out once each, in order, also when the instance that began to send them is gone or an answer of Slack was lost.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../retrieval/ports.ts';
import type { Outgoing } from '../inbox.ts';
import { FAILURE_TEXT } from '../wording.ts';
import type { Workspace } from './ports.ts';
import type { SlackMessage } from './render-reply.ts';
import { type ClientFor, NOT_THERE, refusalCode, type SlackClient, TOKEN_REFUSALS } from './slack-client.ts';

export interface PosterOptions {
  readonly clientFor: ClientFor;
  readonly outgoing: Outgoing;
  readonly logger: Logger;
}

/** Where the messages go and what they are of. */
export interface Target {
  readonly workspace: Workspace;
  readonly channel: string;
  readonly thread: string | null;
  /** Unique to what is said: the event, and the answer where there is one. */
  readonly eventKey: string;
}

const METADATA_TYPE = 'verbatim_reply';

/** Posts all messages; `posted` is called with the timestamp of each as soon as it stands. @returns the timestamps, in order. */
export type PostMessages = (
  target: Target,
  messages: readonly SlackMessage[],
  posted?: (ts: string) => Promise<void> | undefined,
) => Promise<string[]>;

/** Makes `PostMessages`. */
export function createPoster(options: PosterOptions): PostMessages {
  return async (target, messages, posted) => {
    const timestamps: string[] = [];
    for (const [part, message] of messages.entries()) {
      const ts = await postOnce(options, target, part, message);
      await posted?.(ts);
      timestamps.push(ts);
    }
    return timestamps;
  };
}

async function postOnce(
  { clientFor, outgoing, logger }: PosterOptions,
  target: Target,
  part: number,
  message: SlackMessage,
): Promise<string> {
  const { workspace, eventKey } = target;
  const client = clientFor(workspace);
  const key = `${eventKey}#${part}`;
  // Without the database a message is better sent twice than never: somebody waits for it.
  const begun = await outgoing.begin(workspace.tenantId, eventKey, part).catch((error: unknown) => {
    logger.warn({ eventKey, err: error }, 'that a message goes out could not be stored');
    return 'new' as const;
  });
  if (typeof begun === 'object') return begun.message;
  const earlier = begun === 'unknown' ? await findPosted(client, target, key, logger) : null;
  const ts = earlier ?? (await postSurely({ client, target, key, message, logger }));
  await outgoing.complete(workspace.tenantId, eventKey, part, ts).catch((error: unknown) => {
    logger.warn({ eventKey, err: error }, 'that a message went out could not be stored');
  });
  return ts;
}

interface Post {
  readonly client: SlackClient;
  readonly target: Target;
  readonly key: string;
  readonly message: SlackMessage;
  readonly logger: Logger;
}

const TRIES = 3; // within seconds; then the event is tried again
const PAUSE_MS = 500;

// Until it stands. An answer of Slack that was lost says nothing of the message: the conversation is looked through first.
async function postSurely(post: Post): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await postInSomeForm(post);
    } catch (error) {
      if (refusalCode(error) !== null || attempt === TRIES) throw error;
      const { client, target, key, logger } = post;
      logger.warn({ eventKey: target.eventKey, attempt, err: error }, 'whether a message was posted is not known');
      await sleep(PAUSE_MS * attempt);
      const earlier = await findPosted(client, target, key, logger);
      if (earlier !== null) return earlier;
    }
  }
}

// What Slack refuses to show is said as plain text, and when that is refused, too, that it could not be said: nobody is left
// without a word. Where the bot may not speak at all, no form helps.
async function postInSomeForm({ client, target, key, message: { text, blocks }, logger }: Post): Promise<string> {
  const { channel, thread, eventKey } = target;
  const forms = [{ text, blocks }, { text, mrkdwn: false }, { text: FAILURE_TEXT }];
  for (const [index, form] of forms.entries()) {
    try {
      const result = await client.chat.postMessage({
        channel,
        ...form,
        ...(thread === null ? {} : { thread_ts: thread }),
        unfurl_links: false,
        unfurl_media: false,
        metadata: { event_type: METADATA_TYPE, event_payload: { key } },
      });
      return result.ts ?? '';
    } catch (error) {
      const code = refusalCode(error);
      if (code === null || !isAboutContent(code) || index === forms.length - 1) throw error;
      logger.error({ eventKey, code, form: index }, 'Slack refused a message; it is said more plainly');
    }
  }
  throw new TypeError('there is no form to post');
}

// docs.slack.dev, errors of chat.postMessage that are not about what is said. Any other, also an unknown one, may be.
const NOT_ABOUT_CONTENT = new Set([
  ...NOT_THERE,
  ...TOKEN_REFUSALS,
  'as_user_not_supported',
  'ekm_access_denied',
  'enterprise_is_restricted',
  'messages_tab_disabled',
  'no_permission',
  'org_login_required',
  'restricted_action',
  'restricted_action_non_threadable_channel',
  'restricted_action_read_only_channel',
  'restricted_action_thread_locked',
  'restricted_action_thread_only_channel',
  'team_access_not_granted',
  'two_factor_setup_required',
]);

/** Whether said in another way it may be accepted. */
function isAboutContent(code: string): boolean {
  return !NOT_ABOUT_CONTENT.has(code);
}

// An instance died between sending and noting it, or an answer was lost. The conversation itself knows; where it may not be
// read, the message is sent again, since a second answer is a nuisance and silence a failure.
async function findPosted(client: SlackClient, target: Target, key: string, logger: Logger): Promise<string | null> {
  const { channel, thread } = target;
  const common = { channel, limit: 200, include_all_metadata: true };
  try {
    let cursor: string | undefined;
    do {
      const next = cursor ? { cursor } : {};
      const page =
        thread === null
          ? await client.conversations.history({ ...common, ...next })
          : await client.conversations.replies({ ...common, ...next, ts: thread });
      for (const message of page.messages ?? []) {
        const { metadata } = message as { metadata?: { event_type?: string; event_payload?: { key?: string } } };
        if (metadata?.event_type === METADATA_TYPE && metadata.event_payload?.key === key) return message.ts ?? null;
      }
      // Of a conversation only the newest messages: what is looked for was sent a moment ago.
      cursor = thread === null ? undefined : page.response_metadata?.next_cursor || undefined;
    } while (cursor);
  } catch (error) {
    if (refusalCode(error) === null) throw error;
    logger.warn(
      { eventKey: target.eventKey, err: error },
      'a conversation could not be looked through for an earlier answer',
    );
  }
  return null;
}
