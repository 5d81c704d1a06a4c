// Messages go out once each, in order, also when the instance that began to send them is gone.
import type { Logger } from '../../retrieval/ports.ts';
import type { Outgoing } from '../inbox.ts';
import type { Workspace } from './ports.ts';
import type { SlackMessage } from './render-reply.ts';
import type { ClientFor, SlackClient } from './slack-client.ts';

export interface PosterOptions {
  readonly clientFor: ClientFor;
  readonly outgoing: Outgoing;
  readonly logger: Logger;
}

/** Where the messages go and which event they answer. */
export interface Target {
  readonly workspace: Workspace;
  readonly channel: string;
  readonly thread: string | null;
  readonly eventKey: string;
}

const METADATA_TYPE = 'verbatim_reply';

/** Posts all messages. @returns their timestamps, in order. */
export type PostMessages = (target: Target, messages: readonly SlackMessage[]) => Promise<string[]>;

/** Makes `PostMessages`. */
export function createPoster(options: PosterOptions): PostMessages {
  return async (target, messages) => {
    const posted: string[] = [];
    for (const [part, message] of messages.entries()) posted.push(await postOnce(options, target, part, message));
    return posted;
  };
}

async function postOnce(
  { clientFor, outgoing, logger }: PosterOptions,
  target: Target,
  part: number,
  { text, blocks }: SlackMessage,
): Promise<string> {
  const { workspace, channel, thread, eventKey } = target;
  const client = clientFor(workspace);
  const key = `${eventKey}#${part}`;
  // Without the database a message is better sent twice than never: somebody waits for it.
  const begun = await outgoing.begin(workspace.tenantId, eventKey, part).catch((error: unknown) => {
    logger.warn({ eventKey, err: error }, 'that a message goes out could not be stored');
    return 'new' as const;
  });
  if (typeof begun === 'object') return begun.message;
  const earlier = begun === 'unknown' ? await findPosted(client, target, key, logger) : null;
  const ts = earlier ?? (await send());
  await outgoing.complete(workspace.tenantId, eventKey, part, ts).catch((error: unknown) => {
    logger.warn({ eventKey, err: error }, 'that a message went out could not be stored');
  });
  return ts;

  async function send(): Promise<string> {
    const result = await client.chat.postMessage({
      channel,
      text,
      blocks,
      ...(thread === null ? {} : { thread_ts: thread }),
      unfurl_links: false,
      unfurl_media: false,
      metadata: { event_type: METADATA_TYPE, event_payload: { key } },
    });
    return result.ts ?? '';
  }
}

// An instance died between sending and noting it. The thread itself knows; where it may not be read, the message is sent
// again, since a second answer is a nuisance and silence a failure.
async function findPosted(client: SlackClient, target: Target, key: string, logger: Logger): Promise<string | null> {
  const { channel, thread } = target;
  if (thread === null) return null;
  try {
    let cursor: string | undefined;
    do {
      const page = await client.conversations.replies({
        channel,
        ts: thread,
        limit: 200,
        include_all_metadata: true,
        ...(cursor ? { cursor } : {}),
      });
      for (const message of page.messages ?? []) {
        const { metadata } = message as { metadata?: { event_type?: string; event_payload?: { key?: string } } };
        if (metadata?.event_type === METADATA_TYPE && metadata.event_payload?.key === key) return message.ts ?? null;
      }
      cursor = page.response_metadata?.next_cursor || undefined;
    } while (cursor);
  } catch (error) {
    logger.warn(
      { eventKey: target.eventKey, err: error },
      'a thread could not be looked through for an earlier answer',
    );
  }
  return null;
}
