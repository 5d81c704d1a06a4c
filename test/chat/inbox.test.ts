import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { HeldEvent } from '../../adapters/inbox.ts';
import { type ChatInbox, createInbox } from '../../src/chat/inbox.ts';
import { type TestDatabase, testDatabase } from '../helpers/database.ts';
import { createTestLogger } from '../helpers/test-logger.ts';

let opened: TestDatabase;
let inbox: ChatInbox;

beforeAll(async () => {
  opened = await testDatabase();
});
afterAll(() => opened.close());
beforeEach(async () => {
  await opened.reset();
  inbox = createInbox({ database: opened.database, logger: createTestLogger().logger, concurrency: 1 });
});
afterEach(() => inbox.stop(5_000));

const event = (lane: string, position: number) => ({
  tenantId: 'acme',
  eventKey: `${lane}/${position}`,
  lane: `slack:${lane}`,
  position: String(position),
  payload: { position },
});
const NOTHING = { signature: null, invalidates: null };
const receive = (lane: string, position: number, signature: string | null = null) =>
  inbox.receive(event(lane, position), { ...NOTHING, signature });

/** The keys of so many events, in the order in which they were worked on. */
function worked(count: number, handle: (event: HeldEvent) => Promise<void> = async () => undefined): Promise<string[]> {
  const keys: string[] = [];
  return new Promise((resolve) => {
    inbox.start({
      slack: async (held) => {
        keys.push(held.eventKey);
        if (keys.length === count) resolve(keys);
        await handle(held);
      },
    });
  });
}

test('a lane is worked on in the order of its positions, and lanes take turns', async () => {
  for (const position of [3, 1, 2, 4]) await receive('busy', position);
  for (const lane of ['quiet', 'still']) await receive(lane, 1);
  expect(await worked(6)).toEqual(['busy/1', 'quiet/1', 'still/1', 'busy/2', 'busy/3', 'busy/4']);
});

test('an event that fails is tried again before the next of its lane, and others go on', async () => {
  await receive('a', 1);
  await receive('a', 2);
  await receive('b', 1);
  const failing = async ({ eventKey, attempt }: HeldEvent) => {
    if (eventKey === 'a/1' && attempt === 1) throw new Error('not yet');
  };
  expect(await worked(4, failing)).toEqual(['a/1', 'b/1', 'a/1', 'a/2']);
});

test('what comes together is stored once each, and a signed request is taken once', async () => {
  const received = await Promise.all([
    receive('a', 1, 'first'),
    receive('a', 1, 'second'),
    receive('a', 2, 'second'),
    receive('a', 3, 'third'),
    inbox.note('acme', { ...NOTHING, signature: 'third' }),
    inbox.note('acme', { ...NOTHING, signature: 'fourth' }),
  ]);
  expect(received).toEqual(['stored', 'duplicate', 'replayed', 'stored', 'replayed', 'stored']);
  expect(await receive('a', 1)).toBe('duplicate');
  const rows = await opened.database.owner((query) => query('select event_key from chat_events order by 1'));
  expect(rows).toEqual([{ event_key: 'a/1' }, { event_key: 'a/3' }]);
});

test('a request that only says who is where makes that invalid and leaves nothing to be done', async () => {
  const place = { platform: 'slack', workspace: 'T1' };
  await inbox.note('acme', { signature: 's', invalidates: { ...place, conversation: 'C1' } });
  await inbox.note('acme', { signature: 't', invalidates: { ...place, userId: 'U1' } });
  const rows = await opened.database.owner((query) =>
    query(`select (select count(*)::int from chat_events) as events,
      (select string_agg(conversation, ',') from chat_members where invalidated_at > '-infinity') as conversations,
      (select string_agg(user_id, ',') from chat_users where invalidated_at > '-infinity') as users`),
  );
  expect(rows).toEqual([{ events: 0, conversations: 'C1', users: 'U1' }]);
});
