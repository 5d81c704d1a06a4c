// The events that take posted answers back, and what becomes of them.
import { FinalEventError, type HeldEvent, TryLaterError } from '../../adapters/inbox.ts';
import type { RetractPayload } from '../../adapters/slack/create-slack-adapter.ts';
import type { RetractionTarget } from '../../retrieval/retraction.ts';
import type { Retractions } from '../chat/retractions.ts';

/** The event that edits a message. */
export function retractionEvent(target: RetractionTarget) {
  const { tenantId, workspace, conversation, message, answerId } = target;
  const retract = { teamId: workspace, channel: conversation, message, answerId };
  return {
    tenantId,
    eventKey: `slack:${workspace}/retract/${conversation}/${message}/${answerId}`,
    // One after another in a workspace: editing is rate-limited by it.
    lane: `slack:${workspace}/retract`,
    position: message,
    payload: { retract } satisfies RetractPayload,
  };
}

const UNKNOWN_PAUSE_SECONDS = 60; // such as a database that is away

/** Works on one, and notes how it went where admins see it. What is not final is tried again, however often it takes. */
export async function workOnRetraction(
  run: (event: HeldEvent) => Promise<void>,
  retractions: Pick<Retractions, 'end' | 'postpone'>,
  event: HeldEvent,
): Promise<void> {
  const { retract } = event.payload as RetractPayload;
  const { teamId: workspace, channel: conversation, message, answerId } = retract;
  const target = { tenantId: event.tenantId, platform: 'slack', workspace, conversation, message, answerId };
  try {
    const error = await run(event).then(
      () => null,
      (thrown: unknown) => {
        if (thrown instanceof FinalEventError) return thrown.code;
        throw thrown;
      },
    );
    await retractions.end(target, error);
  } catch (error) {
    const known = error instanceof TryLaterError;
    await retractions.postpone(target, known ? error.code : 'unreachable').catch(() => undefined);
    if (known) throw error;
    const pause = { pauseSeconds: UNKNOWN_PAUSE_SECONDS, cause: error };
    throw new TryLaterError('unreachable', 'an answer could not be taken back yet', pause);
  }
}
