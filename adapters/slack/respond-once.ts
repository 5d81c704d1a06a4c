// Replies through a response URL: seen by one person, and as often as Slack allows.
import type { RespondFn } from '@slack/bolt';
import type { Logger } from '../../retrieval/ports.ts';
import type { Outgoing } from '../inbox.ts';
import { FAILURE_TEXT } from '../wording.ts';
import type { Workspace } from './ports.ts';
import type { SlackMessage } from './render-reply.ts';

export interface RespondParts {
  readonly outgoing: Outgoing;
  readonly logger: Logger;
}

// A response URL takes five messages; a reply of more parts than that is as good as a document.
const MAX_RESPONSES = 5;

/** Sends each message that no earlier try has sent. `key` is unique to what is said. */
export async function respondOnce(
  { outgoing, logger }: RespondParts,
  { tenantId }: Workspace,
  { key, respond }: { readonly key: string; readonly respond: RespondFn },
  messages: readonly SlackMessage[],
): Promise<void> {
  for (const [part, message] of messages.slice(0, MAX_RESPONSES).entries()) {
    if (typeof (await outgoing.begin(tenantId, key, part)) === 'object') continue;
    await respondInSomeForm(respond, message, logger);
    await outgoing.complete(tenantId, key, part, 'ephemeral');
  }
}

// A response URL says only that it refused: plainer forms are tried, and the last refusal makes the event be tried again.
async function respondInSomeForm(respond: RespondFn, { text, blocks }: SlackMessage, logger: Logger): Promise<void> {
  const forms = [{ text, blocks }, { text }, { text: FAILURE_TEXT }];
  for (const [index, form] of forms.entries()) {
    try {
      return void (await respond({ response_type: 'ephemeral', ...form }));
    } catch (error) {
      if (index === forms.length - 1 || !isRefusal(error)) throw error;
      logger.error({ err: error, form: index }, 'Slack refused a message; it is said more plainly');
    }
  }
}

function isRefusal(error: unknown): boolean {
  const { code, statusCode = 0 } = error as { code?: string; statusCode?: number };
  return code === 'slack_bolt_respond_error' && statusCode >= 400 && statusCode < 500 && statusCode !== 429;
}
