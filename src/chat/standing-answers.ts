// Messages that still show an answer which was taken back, for whoever can do something about it.
import { counted } from '../../retrieval/counted.ts';
import type { Query } from '../../retrieval/ports.ts';

/** Those with the same fault. */
export interface Standing {
  /** `pending`: it is tried again. */
  readonly state: 'pending' | 'failed';
  /** Null: it was not tried yet. */
  readonly error: string | null;
  readonly count: number;
  /** Some of them, as conversation and message. */
  readonly places: readonly string[];
}

const PLACES = 3;

/** Reads them, those that need somebody first. */
export async function readStanding(query: Query, tenantId: string): Promise<Standing[]> {
  return query<Standing>(
    `select retraction as state, retraction_error as error, count(*)::int as count,
         (array_agg(conversation || '/' || message order by posted_at, message))[1:$2] as places
       from posted_answers where tenant_id = $1 and retraction in ('pending', 'failed')
       group by retraction, retraction_error order by retraction, count(*) desc, retraction_error`,
    [tenantId, PLACES],
  );
}

const INVITE = 'invite the bot into the channel again: then it is tried at once';
const REINSTALL = 'install the app again, or set its new token: then it is tried at once';
const WHAT_TO_DO: Readonly<Record<string, string>> = {
  not_in_channel: INVITE,
  channel_not_found: INVITE,
  is_archived: 'it is tried every day; unarchive the channel, or delete the message',
  slack_not_installed: REINSTALL,
  account_inactive: REINSTALL,
  invalid_auth: REINSTALL,
  token_revoked: REINSTALL,
};

/** One line of a status. */
export function standingLine({ state, error, count, places }: Standing): string {
  const some = `${places.join(', ')}${count > places.length ? ', …' : ''}`;
  const what = `${counted(count, 'message')} with an answer that was taken back still to be changed (${some})`;
  if (error === null) return `retracting ${what}`;
  const otherwise =
    state === 'failed' ? 'it cannot be changed by the bot; delete it by hand' : 'it is tried again by itself';
  return `retracting ${what}: ${error}; ${WHAT_TO_DO[error] ?? otherwise}`;
}
