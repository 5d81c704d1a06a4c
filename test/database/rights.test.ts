// What the database itself refuses, whatever a statement of ours forgets.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { VisibleTo } from '../../retrieval/model.ts';
import { visibleAcls } from '../../retrieval/visible-acls.ts';
import { acl, createCorpus } from '../helpers/corpus.ts';
import { type TestDatabase, testDatabase } from '../helpers/database.ts';

let opened: TestDatabase;
beforeAll(async () => {
  opened = await testDatabase();
  await createCorpus(opened.database).add('open.md', 'The otter plays.');
  await createCorpus(opened.database).add('closed.md', 'The walrus sleeps.', {
    acl: acl({ allow: ['verbatim:group:x'] }),
  });
  await createCorpus(opened.database, { tenantId: 'other' }).add('other.md', 'The seal swims.');
  await opened.database.transaction(async (query) => {
    await query(
      `insert into audit_log (tenant_id, audit_id, actor, action, target) values ('acme', '1', 'a', 'b', 'c')`,
    );
    await query(
      `insert into question_log (tenant_id, answer_id, asker, audience_size, question, status, retrieved,
           dropped_by_permission, cited, unknown_citations, degraded, timings_ms, cost_usd)
         values ('acme', '1', 'a', 1, 'q', 'refused', 0, 0, 0, 0, '{}', '{}', 0)`,
    );
  });
});
afterAll(() => opened.close());

const members = [{ principals: ['verbatim:everyone'] }];

describe('the application cannot change its logs', () => {
  test.each([
    ['update question_log', `update question_log set question = 'x'`],
    ['delete from question_log', 'delete from question_log'],
    ['truncate question_log', 'truncate question_log'],
    ['update audit_log', `update audit_log set actor = 'x'`],
    ['delete from audit_log', 'delete from audit_log'],
    ['truncate audit_log', 'truncate audit_log'],
  ])('%s', async (_, sql) => {
    await expect(opened.database.transaction((query) => query(sql))).rejects.toThrow(/permission denied/);
  });

  test('but it can read them', async () => {
    const counted = await opened.database.transaction((query) =>
      query(
        `select (select count(*)::int from question_log) as questions, (select count(*)::int from audit_log) as entries`,
      ),
    );
    expect(counted).toEqual([{ questions: 1, entries: 1 }]);
  });
});

describe('the audit log only grows', () => {
  test.each([
    ['an update', `update audit_log set actor = 'x'`],
    ['an update of nothing', `update audit_log set actor = 'x' where false`],
    ['a deletion', 'delete from audit_log'],
    ['a truncation', 'truncate audit_log'],
  ])('%s by the owner of the tables is refused', async (_, sql) => {
    await expect(opened.database.owner((query) => query(sql))).rejects.toThrow(/the audit log only grows/);
  });

  test('unless a migration means it', async () => {
    const left = opened.database.owner(async (query) => {
      await query('alter table audit_log disable trigger audit_log_only_grows');
      await query(`delete from audit_log where audit_id = 'none'`);
      return query('select audit_id from audit_log');
    });
    expect(await left).toEqual([{ audit_id: '1' }]);
    await opened.database.owner((query) => query('alter table audit_log enable trigger audit_log_only_grows'));
  });
});

const LEVELS = '{public,internal,confidential,restricted}';
const VECTOR = JSON.stringify(Array(16).fill(0.25));

describe.each([
  {
    name: 'lexical',
    from: `match_chunks($1, '${LEVELS}', $2::int[], 'otter | walrus | seal'::tsquery, '{1:1}/268435456'::sparsevec, 10)`,
  },
  {
    name: 'vector',
    from: `nearest_chunks($1, '${LEVELS}', $2::int[], (select name from embedders), '${VECTOR}', 10, 1000, 0.1, 40)`,
  },
])('the $name search, which runs as the owner', ({ from }) => {
  const match = (tenantId: string, aclIds: readonly number[], settings: VisibleTo) =>
    opened.database.read(settings, (query) =>
      query<{ document_id: string }>(`select document_id from ${from}`, [tenantId, aclIds]),
    );
  const all = Array.from({ length: 20 }, (_, index) => index);

  test('gives what the settings hold, whatever it is asked for', async () => {
    const settings = await opened.database.transaction((query) => visibleAcls(query, 'acme', members));
    expect(await match('acme', all, settings)).toHaveLength(1);
    expect(await match('acme', settings.aclIds, settings)).toHaveLength(1);
    expect(await match('acme', [], settings)).toEqual([]);
  });

  test('gives nothing of another tenant, and nothing without settings', async () => {
    const settings = await opened.database.transaction((query) => visibleAcls(query, 'acme', members));
    expect(await match('other', all, settings)).toEqual([]);
    expect(await match('acme', all, { tenantId: 'acme', aclIds: [], levels: [] })).toEqual([]);
  });

  test('is not for the application role', async () => {
    const asked = opened.database.transaction((query) => query(`select document_id from ${from}`, ['acme', all]));
    await expect(asked).rejects.toThrow(/permission denied for function/);
  });
});

describe('the retrieval role', () => {
  test.each(['documents', 'chunks', 'chunk_embeddings'])(
    'sees of %s only what is visible, without any filter',
    async (table) => {
      const visibleTo = await opened.database.transaction((query) => visibleAcls(query, 'acme', members));
      const all = await opened.database.owner((query) =>
        query<{ n: number }>(`select count(*)::int as n from ${table}`),
      );
      const seen = await opened.database.read(visibleTo, (query) =>
        query<{ n: number }>(`select count(*)::int as n from ${table}`),
      );
      expect([all[0]?.n, seen[0]?.n]).toEqual([3, 1]);
    },
  );

  test.each(['documents', 'chunks', 'chunk_embeddings'])(
    'sees nothing of %s when nothing is visible',
    async (table) => {
      const nobody = { tenantId: 'acme', aclIds: [], levels: [] };
      const seen = await opened.database.read(nobody, (query) => query(`select 1 as one from ${table}`));
      expect(seen).toEqual([]);
    },
  );

  test.each([
    ['people', 'select 1 from people'],
    ['memberships', 'select 1 from memberships'],
    ['originals', 'select 1 from document_versions'],
    ['answers', 'select 1 from answers'],
    ['logs', 'select 1 from question_log'],
    ['rules', 'select 1 from acl_layer_principals'],
  ])('cannot read %s', async (_, sql) => {
    const visibleTo = await opened.database.transaction((query) => visibleAcls(query, 'acme', members));
    await expect(opened.database.read(visibleTo, (query) => query(sql))).rejects.toThrow(/permission denied/);
  });

  test.each([
    ['write chunks', `update chunks set text = 'x'`],
    ['delete documents', 'delete from documents'],
    [
      'insert documents',
      `insert into documents (tenant_id, document_id, source_id, uri, state, access_level) values ('a', 'b', 'c', 'd', 'live', 'public')`,
    ],
  ])('cannot %s', async (_, sql) => {
    const visibleTo = await opened.database.transaction((query) => visibleAcls(query, 'acme', members));
    await expect(opened.database.read(visibleTo, (query) => query(sql))).rejects.toThrow(
      /permission denied|read-only transaction/,
    );
  });
});
