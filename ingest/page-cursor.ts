// Where the next page of a list begins: the time and the id of the last row of this one.
import { UsageError } from '../retrieval/errors.ts';

/** The time as the server writes it: a JavaScript date would lose its microseconds, and with them rows of a page. */
export interface PagePosition {
  readonly time: string;
  readonly id: string;
}

const TIME =
  /^([1-9]\d{3}-\d\d-\d\d) ([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?[+-](?:0\d|1[0-5])(?::[0-5]\d){0,2}$/;

/** The position as a text for addresses. */
export function writePageCursor({ time, id }: PagePosition): string {
  return Buffer.from(JSON.stringify([time, id])).toString('base64url');
}

/** @throws UsageError for what `writePageCursor` did not write: anybody can send anything. */
export function readPageCursor(cursor: string): PagePosition {
  try {
    const [time, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[];
    if (typeof time === 'string' && isTime(time) && typeof id === 'string' && /^[\w-]+$/.test(id)) return { time, id };
  } catch {
    // Not JSON, or no list: said below, like everything else that is none.
  }
  throw new UsageError('there is no such page of the list; begin at the first one, without a cursor');
}

// The server refuses the thirtieth of February, which JavaScript takes for the second of March.
function isTime(time: string): boolean {
  const day = TIME.exec(time)?.[1];
  return day !== undefined && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day) === true;
}
