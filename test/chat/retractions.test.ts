import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createInbox } from '../../src/chat/inbox.ts';
import { createRetractions, type Retractions } from '../../src/chat/retractions.ts';
import { acl, createCorpus } from '../helpers/corpus.ts';
import { type TestDatabase, testDatabase } from '../helpers/database.ts';
import { importPeople } from '../helpers/operations.ts';
import { createTestLogger } from '../helpers/test-logger.ts';

let opened: TestDatabase;
let retractions: Retractions;
let documentId: string;

beforeAll(async () => {
  opened = await testDatabase();
  const { database } = opened;
  const { logger } = createTestLogger();
  retractions = createRetractions({
    database,
    logger,
    inbox: createInbox({ database, logger, concurrency: 1 }),
    eventFor: {
      slack: ({ tenantId, message }) => {
        return { tenantId, eventKey: `retract ${message}`, lane: 'slack:retract', position: message, payload: {} };
      },
    },
  });
});
afterAll(() => opened.close());
beforeEach(async () => {
  await opened.reset();
  await importPeople(opened.database, 'acme');
  documentId = await createCorpus(opened.database).add('sea.md', '# Sea\n\nThe walrus sleeps on the ice.', {
    acl: acl({ allow: ['verbatim:user:ann@x.example'], level: 'public' }),
  });
});

const run = (sql: string, values: readonly unknown[] = []) => opened.database.owner((query) => query(sql, values));

/** An answer to Ann that quotes the document, made so long ago and standing in Slack. */
async function posted(madeSecondsAgo = 0): Promise<void> {
  await run(
    `insert into answers (tenant_id, answer_id, asker, audience, question, body, visible_acl_ids, index_version, asked_at)
       select 'acme', 'a1', 'ann@x.example', '[{"person": "ann@x.example"}]', 'What sleeps?', '{"text": "The walrus."}', '{1}',
         index_version, now() - $1 * interval '1 second' from tenants where tenant_id = 'acme'`,
    [madeSecondsAgo],
  );
  await run(`insert into answer_citations values ('acme', 'a1', 1, $1, 1, $1 || ':1:0')`, [documentId]);
  await run(
    `insert into posted_answers (tenant_id, platform, workspace, conversation, thread, message, answer_id)
       values ('acme', 'slack', 'T1', 'C1', '1.0', '1.1', 'a1')`,
  );
}

const takenBack = async () =>
  run(`select a.body ->> 'text' as text, p.retraction, exists (select 1 from chat_events) as "toBeEdited"
    from answers a join posted_answers p on p.answer_id = a.answer_id`);
const STANDS = [{ text: 'The walrus.', retraction: null, toBeEdited: false }];
const GOES = [{ text: '', retraction: 'pending', toBeEdited: true }];

// In seconds from now; nothing else is changed, so the version of the index stays.
const ENDS = {
  'the right to read it': `update acl_layer_principals set expires_at = now() + $1 * interval '1 second'`,
  'its time of being in effect': `update documents set effective_to = now() + $1 * interval '1 second'`,
} as const;

describe.each(Object.entries(ENDS))('when %s ends by time alone', (_, endsIn) => {
  test('an answer that quotes the document is taken back, and not before', async () => {
    await run(endsIn, [3_600]);
    await posted();
    await retractions.sweep();
    await retractions.sweep();
    expect(await takenBack()).toEqual(STANDS);
    // The last look was two hours ago, and the end came between.
    await run(`update retraction_progress set checked_at = now() - interval '2 hours'`);
    await run(`update posted_answers set posted_at = now() - interval '3 hours'`);
    await run(endsIn, [-3_600]);
    await retractions.sweep();
    expect(await takenBack()).toEqual(GOES);
  });

  test('an answer that was made before and posted after the look at it is taken back, too', async () => {
    await run(endsIn, [-5]);
    await retractions.sweep();
    await posted(10);
    await retractions.sweep();
    expect(await takenBack()).toEqual(GOES);
  });
});

test('an answer stands while nothing it depends on has ended', async () => {
  await posted();
  await run(
    `insert into acl_layer_principals values ('acme', 999, 'verbatim:user:bob@x.example', now() - interval '1 second')`,
  );
  await retractions.sweep();
  await run(`update retraction_progress set checked_at = now() - interval '2 hours'`);
  await retractions.sweep();
  expect(await takenBack()).toEqual(STANDS);
});
