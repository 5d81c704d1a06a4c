// The API as programs of employees, editors and admins meet it.
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiClient, type ApiRequest, addLiveDocument, createApiClient } from '../../helpers/api-client.ts';
import { type TestService, testService } from '../../helpers/service.ts';

let started: TestService;
let call: ApiClient;
let tokens: Record<'ann' | 'bob' | 'eve' | 'gus', string>;
let foreigner: string;
beforeAll(async () => {
  started = await testService({ environment: { VERBATIM_EDITORS: 'verbatim:user:ann@x.example' } });
  call = createApiClient(started.url);
  const [ann, bob, eve, gus] = (await Promise.all(
    ['ann', 'bob', 'eve', 'gus'].map((name) => started.tokenOf(name)),
  )) as [string, string, string, string];
  tokens = { ann, bob, eve, gus };
  foreigner = await started.tokenOf('eve', 'other');
  await addLiveDocument(call, tokens.eve, {
    title: 'Sea',
    text: 'The walrus sleeps on the ice at noon.',
    allow: ['verbatim:everyone'],
    level: 'internal',
  });
  await addLiveDocument(call, tokens.eve, {
    title: 'Budget',
    text: 'The submarine costs nine million crowns.',
    allow: ['verbatim:user:ann@x.example', 'verbatim:user:eve@x.example'],
    level: 'internal',
  });
});
afterAll(() => started?.close());

const WALRUS = 'Where does the walrus sleep?';
const SUBMARINE = 'What does the submarine cost?';
const ask = async (token: string, question: string, rest: object = {}) => {
  const response = await call('POST', '/v1/answers', { token, body: { question, ...rest } });
  expect(response.status, JSON.stringify(response.body)).toBe(200);
  return response.body;
};
const rows = <Row extends object>(sql: string, values: unknown[] = []) =>
  started.product.database.owner((query) => query<Row>(sql, values));
const countOf = async (table: string) =>
  (await rows<{ count: number }>(`select count(*)::int as count from ${table}`))[0]?.count;

describe('answers', () => {
  test('quote what everyone who sees them may read, and refuse what one of them may not', async () => {
    const answer = await ask(tokens.ann, SUBMARINE);
    expect(answer).toMatchObject({ status: 'answered', refusal: null });
    expect(answer.citations[0]).toMatchObject({ title: 'Budget', quote: expect.stringContaining('nine million') });
    expect(await ask(tokens.ann, SUBMARINE, { audience: ['Eve@x.example'] })).toMatchObject({ status: 'answered' });
    for (const refused of [
      await ask(tokens.bob, SUBMARINE),
      await ask(tokens.gus, WALRUS),
      await ask(tokens.ann, SUBMARINE, { audience: ['bob@x.example'] }),
      await ask(tokens.ann, WALRUS, { audience: ['stranger@x.example'] }),
      await ask(tokens.ann, 'Who was the first emperor of Rome?'),
      await ask(foreigner, WALRUS),
    ]) {
      expect(refused).toMatchObject({ status: 'refused', citations: [], confidence: null });
      expect(refused.text).toMatch(/^I found nothing/);
    }
  });

  test('are for their asker and admins, who see no more of them than they may read', async () => {
    const { answerId } = await ask(tokens.ann, SUBMARINE);
    const read = (token: string) => call('GET', `/v1/answers/${answerId}`, { token });
    expect((await read(tokens.ann)).body).toMatchObject({
      question: SUBMARINE,
      asker: 'ann@x.example',
      withheld: false,
      citations: [{ title: 'Budget' }],
    });
    expect((await read(tokens.eve)).body).toMatchObject({ withheld: false, citations: [{ title: 'Budget' }] });
    for (const token of [tokens.bob, tokens.gus, foreigner]) expect((await read(token)).status).toBe(404);

    const own = await addLiveDocument(call, tokens.eve, {
      title: 'Diary',
      text: 'The otter dances in the moonlight.',
      allow: ['verbatim:user:ann@x.example'],
      level: 'internal',
    });
    const diary = await ask(tokens.ann, 'Where does the otter dance?');
    expect(diary.citations[0].documentId).toBe(own);
    const asAdmin = await call('GET', `/v1/answers/${diary.answerId}`, { token: tokens.eve });
    expect(asAdmin.body).toMatchObject({
      ...{ withheld: true, status: 'withdrawn', retractedAt: null },
      citations: [],
      question: 'Where does the otter dance?',
    });
    expect(JSON.stringify(asAdmin.body)).not.toMatch(/moonlight/);
  });

  test('lose their quotes when the document goes or its readers change', async () => {
    const body = {
      title: 'Pond',
      text: 'The heron hunts in the pond.',
      uri: 'pond',
      allow: ['verbatim:everyone'],
      level: 'internal',
    };
    const id = await addLiveDocument(call, tokens.eve, body);
    const { answerId } = await ask(tokens.bob, 'Where does the heron hunt?');
    const read = async () => (await call('GET', `/v1/answers/${answerId}`, { token: tokens.bob })).body;
    expect(await read()).toMatchObject({ withheld: false });
    await call('POST', '/v1/documents', { token: tokens.eve, body: { ...body, allow: ['verbatim:role:admin'] } });
    expect(await read()).toMatchObject({ withheld: true, citations: [] });
    expect(await ask(tokens.bob, 'Where does the heron hunt?')).toMatchObject({ status: 'refused' });
    await call('POST', '/v1/documents', { token: tokens.eve, body });
    expect(await read()).toMatchObject({ withheld: false, status: 'answered', retractedAt: null });
    await started.service.parts.documents.quarantine('acme', 'eve@x.example', id);
    expect(await read()).toMatchObject({ withheld: true, status: 'withdrawn' });
    await started.service.parts.documents.release('acme', 'eve@x.example', id);
    expect((await call('DELETE', `/v1/documents/${id}`, { token: tokens.eve })).status).toBe(204);
    expect(await read()).toMatchObject({ withheld: true, status: 'withdrawn', citations: [], confidence: null });
    expect(Date.parse((await read()).retractedAt)).toBeLessThanOrEqual(Date.now());
    expect(JSON.stringify(await read())).not.toMatch(/pond\./);
    expect(await rows('select 1 from chunks where document_id = $1', [id])).toEqual([]);
  });

  test('explain themselves to admins only', async () => {
    const answer = await ask(tokens.eve, WALRUS, { include_debug: true });
    const quoted = answer.debug.candidates.find((each: { dropped: string | null }) => each.dropped === null);
    expect(quoted).toMatchObject({ rank: 1, contributions: { lexical: expect.any(Number) } });
    const sum = Object.values(quoted.contributions as Record<string, number>).reduce((a, b) => a + b, 0);
    expect(sum).toBeCloseTo(quoted.score);
    expect(await ask(tokens.bob, WALRUS, { include_debug: false })).not.toHaveProperty('debug');
    const denied = await call('POST', '/v1/answers', {
      token: tokens.bob,
      body: { question: WALRUS, include_debug: true },
    });
    expect(denied.status).toBe(403);
  });

  test('follow up in a thread of the same person, and of no other', async () => {
    const first = await ask(tokens.ann, SUBMARINE);
    const threadId = first.threadId;
    await ask(tokens.ann, 'And in which currency?', { threadId });
    await ask(tokens.eve, 'And in which currency?', { threadId });
    const threads = await rows<{ thread_id: string }>(
      "select distinct thread_id from answers where thread_id like '%' || $1 order by 1",
      [threadId],
    );
    expect(threads).toHaveLength(2);
  });

  test('come as events: the stages, then the answer and nothing before it', async () => {
    const { body, headers } = await call('POST', '/v1/answers', {
      token: tokens.bob,
      body: { question: 'Where does the walrus sleep at noon?' },
      headers: { accept: 'text/event-stream' },
    });
    expect(headers.get('content-type')).toMatch('text/event-stream');
    const events = (body as string)
      .split('\n\n')
      .filter((event) => event.startsWith('event:'))
      .map((event) => /^event: (\w+)\ndata: (.*)$/.exec(event)?.slice(1) as [string, string]);
    expect(events.map(([name]) => name)).toEqual([...events.slice(1).map(() => 'stage'), 'answer']);
    expect(events.slice(0, -1).map(([, data]) => JSON.parse(data).stage)).toContain('search');
    expect(events.slice(0, -1).join()).not.toMatch(/noon/);
    expect(JSON.parse(events.at(-1)?.[1] ?? '')).toMatchObject({ status: 'answered' });
  });
});

describe('documents', () => {
  const submit = (token: string, rest: Partial<ApiRequest> = {}) =>
    call('POST', '/v1/documents', { token, body: { title: 'Note', text: 'A note.' }, ...rest });

  test('are added by admins and editors, listed by who added them, and forgotten by admins', async () => {
    const mine = (await submit(tokens.ann, { body: { title: 'Mine', text: 'A note of Ann.' } })).body.id;
    const theirs = (await submit(tokens.eve, { body: { title: 'Theirs', text: 'A note of Eve.' } })).body.id;
    for (const token of [tokens.bob, tokens.gus]) {
      expect((await submit(token)).status).toBe(403);
      expect((await call('GET', '/v1/documents', { token })).status).toBe(403);
      expect((await call('GET', `/v1/documents/${mine}`, { token })).status).toBe(403);
    }
    const listed = async (token: string) =>
      (await call('GET', '/v1/documents?limit=100', { token })).body.documents.map((each: { id: string }) => each.id);
    expect(await listed(tokens.ann)).toEqual([mine]);
    expect(await listed(tokens.eve)).toEqual(expect.arrayContaining([mine, theirs]));
    expect(await listed(foreigner)).toEqual([]);
    expect((await call('GET', `/v1/documents/${mine}`, { token: tokens.ann })).status).toBe(200);
    expect((await call('GET', `/v1/documents/${theirs}`, { token: tokens.ann })).status).toBe(404);
    expect((await call('GET', `/v1/documents/${theirs}`, { token: foreigner })).status).toBe(404);
    expect((await call('DELETE', `/v1/documents/${mine}`, { token: tokens.ann })).status).toBe(403);
    expect((await call('DELETE', `/v1/documents/${mine}`, { token: foreigner })).status).toBe(404);
    expect((await call('DELETE', `/v1/documents/${mine}`, { token: tokens.eve })).status).toBe(204);
    expect((await call('DELETE', `/v1/documents/${mine}`, { token: tokens.eve })).status).toBe(404);
    expect((await call('GET', `/v1/documents/${mine}`, { token: tokens.ann })).status).toBe(404);
  });

  test('come as files too, with the same fields', async () => {
    const form = new FormData();
    form.set('file', new File(['# Moor\n\nThe bittern booms.\n'], 'moor.md', { type: 'text/markdown' }));
    form.set('title', 'Moorland');
    form.append('allow', 'verbatim:user:bob@x.example');
    form.append('allow', 'verbatim:user:eve@x.example');
    form.set('require', 'verbatim:everyone');
    form.set('level', 'internal');
    const accepted = await submit(tokens.eve, { body: form });
    expect(accepted.status, JSON.stringify(accepted.body)).toBe(202);
    expect(accepted.headers.get('location')).toBe(`/v1/documents/${accepted.body.id}`);
    await expect
      .poll(async () => (await call('GET', `/v1/documents/${accepted.body.id}`, { token: tokens.eve })).body, {
        timeout: 60_000,
      })
      .toMatchObject({ state: 'live', title: 'Moorland', mediaType: 'text/markdown', accessLevel: 'internal' });
    expect((await ask(tokens.bob, 'What does the bittern do?')).status).toBe('answered');
    expect((await ask(tokens.ann, 'What does the bittern do?')).status).toBe('refused');
  });

  test('without readers are for admins only', async () => {
    await addLiveDocument(call, tokens.eve, { title: 'Lake', text: 'The grebe dives deep.' });
    expect((await ask(tokens.eve, 'What does the grebe do?')).status).toBe('answered');
    expect((await ask(tokens.ann, 'What does the grebe do?')).status).toBe('refused');
  });

  test('are paged', async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await call('GET', `/v1/documents?limit=2${cursor ? `&cursor=${cursor}` : ''}`, {
        token: tokens.eve,
      });
      seen.push(...page.body.documents.map((each: { id: string }) => each.id));
      cursor = page.body.nextCursor;
    } while (cursor);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBe(
      (await rows("select 1 from documents where tenant_id = 'acme' and state <> 'deleted'")).length,
    );
  });
});

describe('feedback', () => {
  test('is given by who saw the answer', async () => {
    const { answerId } = await ask(tokens.ann, WALRUS, { audience: ['bob@x.example'] });
    const give = (token: string, rest: object = {}) =>
      call('POST', '/v1/feedback', { token, body: { answerId, verdict: 'down', reason: 'wrong', ...rest } });
    for (const token of [tokens.ann, tokens.bob, tokens.eve]) expect((await give(token)).status).toBe(201);
    expect((await give(tokens.gus)).status).toBe(404);
    expect((await give(foreigner)).status).toBe(404);
    expect((await give(tokens.ann, { verdict: 'up' })).status).toBe(400);
    const given = await rows('select given_by from feedback where answer_id = $1 order by given_by', [answerId]);
    expect(given.map((row) => Object.values(row)[0])).toEqual(['ann@x.example', 'bob@x.example', 'eve@x.example']);
  });
});

describe('a repeated request with its key', () => {
  const headers = (key: string) => ({ 'idempotency-key': key });

  test('does not add a document twice', async () => {
    const before = await countOf('document_versions');
    const send = (text: string, token = tokens.eve) =>
      call('POST', '/v1/documents', { token, body: { title: 'Once', text }, headers: headers('k-1') });
    const first = await send('Only once.');
    const again = await send('Only once.');
    expect(again.body.id).toBe(first.body.id);
    expect(again.status).toBe(202);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await send('Something else.')).status).toBe(422);
    expect((await send('Of another person.', tokens.ann)).status).toBe(202);
    expect(await countOf('document_versions')).toBe((before ?? 0) + 2);
  });

  test('gives the same answer, checked anew', async () => {
    const id = await addLiveDocument(call, tokens.eve, { title: 'Cliff', text: 'The puffin nests in burrows.' });
    const send = () =>
      call('POST', '/v1/answers', {
        token: tokens.eve,
        body: { question: 'Where does the puffin nest?' },
        headers: headers('k-2'),
      });
    const first = await send();
    expect(first.body.citations).toHaveLength(1);
    expect((await send()).body).toEqual(first.body);
    await call('DELETE', `/v1/documents/${id}`, { token: tokens.eve });
    const after = await send();
    expect(after.body).toMatchObject({ answerId: first.body.answerId, citations: [] });
    expect(JSON.stringify(after.body)).not.toMatch(/burrows/);
    expect(JSON.stringify(await rows('select * from idempotency_keys'))).not.toMatch(/burrows/);
  });

  test('waits for the first, and may be tried again when that failed', async () => {
    const before = await countOf('answers');
    const send = () =>
      call('POST', '/v1/answers', { token: tokens.bob, body: { question: WALRUS }, headers: headers('k-3') });
    const statuses = (await Promise.all([send(), send(), send()])).map(({ status }) => status);
    expect(statuses).toContain(200);
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true);
    expect(await countOf('answers')).toBe((before ?? 0) + 1);
    const fails = () =>
      call('POST', '/v1/documents', {
        token: tokens.eve,
        body: { title: 'x', text: 'x', allow: ['nobody'] },
        headers: headers('k-4'),
      });
    expect((await fails()).status).toBe(400);
    expect((await fails()).status).toBe(400);
  });
});

describe('bad input', () => {
  const large = 'x'.repeat(1_000_000);
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const form = (name: string, fields: Record<string, string> = {}) => {
    const made = new FormData();
    for (const [field, value] of Object.entries(fields)) made.append(field, value);
    made.set('file', new File(['x'], name));
    return made;
  };
  const textForm = (fields: Record<string, string>) => {
    const made = new FormData();
    for (const [field, value] of Object.entries(fields)) made.append(field, value);
    return made;
  };
  const twice = (made: FormData, name: string, value: string | File) => {
    if (typeof value === 'string') for (const each of [value, value]) made.append(name, each);
    else made.append(name, value);
    return made;
  };
  const fileAs = (name: string) => {
    const made = form('a.md');
    made.set(name, new File(['x'], 'b.md'));
    return made;
  };
  const manyFields = (count: number) => {
    const made = new FormData();
    for (let index = 0; index < count; index++) made.append('allow', 'verbatim:everyone');
    made.set('file', new File(['x'], 'a.md'));
    return made;
  };
  /** A form with a field name that no honest client sends, before its file. */
  const rawField = (name: string) => ({
    body: `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nverbatim:everyone\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\nx\r\n--b--\r\n`,
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  });
  /** A form with a file name that no honest client sends. */
  const rawForm = (name: string) => ({
    body: `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\nx\r\n--b--\r\n`,
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  });
  const cases: readonly (readonly [string, string, () => ApiRequest, number])[] = [
    ['malformed JSON', '/v1/answers', () => ({ body: '{"question": ' }), 400],
    ['a question of another type', '/v1/answers', () => ({ body: { question: 7 } }), 400],
    ['an empty question', '/v1/answers', () => ({ body: { question: '' } }), 400],
    ['a blank question', '/v1/answers', () => ({ body: { question: ' \n ' } }), 400],
    ['an unknown field', '/v1/answers', () => ({ body: { question: WALRUS, tenantId: 'other' } }), 400],
    ['a prototype', '/v1/answers', () => ({ body: `{"question":"x","__proto__":{"a":1}}` }), 400],
    [
      'an audience of another type',
      '/v1/answers',
      () => ({ body: { question: WALRUS, audience: 'bob@x.example' } }),
      400,
    ],
    ['an audience of no e-mails', '/v1/answers', () => ({ body: { question: WALRUS, audience: ['bob'] } }), 400],
    ['a question that is too long', '/v1/answers', () => ({ body: { question: 'x'.repeat(4_001) } }), 400],
    ['a question of a megabyte', '/v1/answers', () => ({ body: { question: large } }), 413],
    ['invalid UTF-8', '/v1/answers', () => ({ body: Buffer.from('7b227175657374696f6e223a22ff227d', 'hex') }), 400],
    ['a control character', '/v1/answers', () => ({ body: { question: 'walrus\u0007' } }), 400],
    ['a null character', '/v1/documents', () => ({ body: { title: 'x', text: 'a\u0000b' } }), 400],
    ['half a surrogate pair', '/v1/answers', () => ({ body: '{"question":"\\ud800 walrus"}' }), 400],
    ['a thread of another alphabet', '/v1/answers', () => ({ body: { question: WALRUS, threadId: '../x' } }), 400],
    ['a title of two lines', '/v1/documents', () => ({ body: { title: 'a\nb', text: 'x' } }), 400],
    ['a principal that is none', '/v1/documents', () => ({ body: { title: 'a', text: 'x', allow: ['all'] } }), 400],
    ['a level that is none', '/v1/documents', () => ({ body: { title: 'a', text: 'x', level: 'secret' } }), 400],
    [
      'a form without a file',
      '/v1/documents',
      () => ({
        body: (() => {
          const made = new FormData();
          made.set('title', 'x');
          return made;
        })(),
      }),
      400,
    ],
    ['a form with an unknown field', '/v1/documents', () => ({ body: form('a.md', { owner: 'x' }) }), 400],
    ['a form with nested fields', '/v1/documents', () => ({ body: form('a.md', { 'allow[a]': 'x' }) }), 400],
    [
      'a form that is cut off',
      '/v1/documents',
      () => ({
        ...rawForm('a.md'),
        body: '--b\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\nx',
      }),
      400,
    ],
    ...['allow[90000000]', 'allow[]', 'allow[a][b]', 'file[x]', '__proto__', 'constructor', 'a.b', 'Title', ''].map(
      (name) => [`a form with the field ${JSON.stringify(name)}`, '/v1/documents', () => rawField(name), 400] as const,
    ),
    ['a form whose title comes twice', '/v1/documents', () => ({ body: twice(form('a.md'), 'title', 'x') }), 400],
    ['a form whose file is a text', '/v1/documents', () => ({ body: textForm({ title: 'x', file: 'a text' }) }), 400],
    ['a form whose file has no name', '/v1/documents', () => rawForm(''), 400],
    ['a form whose title is a file', '/v1/documents', () => ({ body: fileAs('title') }), 400],
    [
      'a form of two files',
      '/v1/documents',
      () => ({ body: twice(form('a.md'), 'file', new File(['y'], 'b.md')) }),
      400,
    ],
    ['a form of 301 fields', '/v1/documents', () => ({ body: manyFields(301) }), 400],
    ['an empty form', '/v1/documents', () => ({ ...rawForm('a.md'), body: '--b--\r\n' }), 400],
    [
      'a form without a boundary',
      '/v1/documents',
      () => ({ ...rawForm('a.md'), headers: { 'content-type': 'multipart/form-data' } }),
      400,
    ],
    ['JSON of a million levels', '/v1/documents', () => ({ body: '['.repeat(1_000_000) }), 400],
    [
      'JSON of millions of values',
      '/v1/documents',
      () => ({ body: `{"title":"x","text":"x","allow":[${'0,'.repeat(4_000_000)}0]}` }),
      400,
    ],
    ['JSON of many unknown fields', '/v1/documents', () => ({ body: `{${'"a":1,'.repeat(200_000)}"b":1}` }), 400],
    [
      'JSON in another encoding',
      '/v1/answers',
      () => ({
        body: Buffer.from(JSON.stringify({ question: WALRUS }), 'utf16le'),
        headers: { 'content-type': 'application/json; charset=utf-16' },
      }),
      415,
    ],
    ['a file name with a path', '/v1/documents', () => rawForm('../../etc/passwd'), 400],
    ['a file name with a Windows path', '/v1/documents', () => rawForm('..\\\\..\\\\boot.ini'), 400],
    ['a file name that is a folder', '/v1/documents', () => rawForm('..'), 400],
    ['a file name of control characters', '/v1/documents', () => rawForm('a\u0001.md'), 400],
    ['a feedback of another kind', '/v1/feedback', () => ({ body: { answerId: 'x', verdict: 'sideways' } }), 400],
    [
      'a key that is none',
      '/v1/answers',
      () => ({ body: { question: WALRUS }, headers: { 'idempotency-key': 'a b' } }),
      400,
    ],
    ['no token', '/v1/answers', () => ({ token: undefined, body: { question: WALRUS } }), 401],
    ['a token that is none', '/v1/answers', () => ({ token: 'x.y.z', body: { question: WALRUS } }), 401],
    [
      'an unsigned token',
      '/v1/answers',
      () => ({
        token: `${encode({ alg: 'none' })}.${encode({ sub: 'eve@x.example', tenant: 'acme', role: 'admin', exp: 9_999_999_999 })}.`,
        body: { question: WALRUS },
      }),
      401,
    ],
    [
      'a forged token',
      '/v1/answers',
      () => {
        const body = `${encode({ alg: 'HS256' })}.${encode({ sub: 'eve@x.example', tenant: 'acme', exp: 9_999_999_999 })}`;
        return {
          token: `${body}.${createHmac('sha256', 'secret').update(body).digest('base64url')}`,
          body: { question: WALRUS },
        };
      },
      401,
    ],
  ];
  const TABLES = ['answers', 'question_log', 'documents', 'document_versions', 'feedback', 'idempotency_keys'];

  test.each(cases)('%s', async (_, path, request, status) => {
    const before = await Promise.all(TABLES.map(countOf));
    const response = await call('POST', path, { token: tokens.eve, ...request() });
    expect(response.status, JSON.stringify(response.body)).toBe(status);
    expect(response.headers.get('content-type')).toMatch('application/problem+json');
    expect(response.body).toMatchObject({ status, type: expect.stringMatching(/^urn:/), title: expect.any(String) });
    expect(response.body.requestId).toBe(response.headers.get('x-request-id'));
    expect(JSON.stringify(response.body)).not.toMatch(/node_modules|\.ts:\d|\\n/);
    expect(await Promise.all(TABLES.map(countOf))).toEqual(before);
  });

  test.each(['"x"', '5', 'null', 'true', '[]'])('%s is JSON, but no object', async (body) => {
    const response = await call('POST', '/v1/answers', { token: tokens.eve, body });
    expect(response).toMatchObject({ status: 400, body: { errors: [{ at: '', message: 'must be object' }] } });
  });

  test('a fault names its place as a JSON pointer', async () => {
    const faultsOf = async (body: object) =>
      (await call('POST', '/v1/answers', { token: tokens.eve, body })).body.errors as { at: string }[];
    expect(await faultsOf({})).toMatchObject([{ at: '' }]);
    expect(await faultsOf({ question: 'x', extra: 1 })).toMatchObject([{ at: '' }]);
    expect(await faultsOf({ question: 'x', audience: ['bob'] })).toMatchObject([{ at: '/audience/0' }]);
  });

  test.each([
    ['just', 51],
    ['much', 60],
  ])('a file that is %s too large is refused, and the service goes on', async (_, mebibytes) => {
    const made = new FormData();
    made.set('file', new File([Buffer.alloc(mebibytes * 2 ** 20)], 'a.md'));
    const refused = await call('POST', '/v1/documents', { token: tokens.eve, body: made }).catch(() => null);
    // A client may be cut off before it has sent all.
    if (refused) expect(refused).toMatchObject({ status: 413, body: { type: 'urn:verbatim:problem:too-large' } });
    expect((await call('GET', '/health')).status).toBe(200);
  });

  test('a form that is refused does not hold up others', async () => {
    const start = performance.now();
    const refused = await Promise.all(
      Array.from({ length: 20 }, () =>
        call('POST', '/v1/documents', { token: tokens.eve, ...rawField('allow[99999999]') }),
      ),
    );
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 400));
    // One of them took ten seconds and all memory where such names were read as nesting.
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  test.each([
    ['GET', '/v1/documents?state=gone', 400],
    ['GET', '/v1/documents?limit=0', 400],
    ['GET', '/v1/documents?limit=1e9', 400],
    ['GET', '/v1/documents?cursor=x', 400],
    ['GET', '/v1/documents?owner=x', 400],
    ['GET', '/v1/documents?state=live&state=failed', 400],
    ['GET', '/v1/documents/%E0%A4%A', 400],
    ['GET', '/v1/documents/%2e%2e%2f', 400],
    ['GET', "/v1/answers/'%20or%201=1", 400],
    ['GET', '/v1/documents/', 404],
    ['GET', '/V1/documents', 404],
    ['GET', '/v1/nothing', 404],
    ['GET', '/nothing', 404],
    ['GET', '/etc/passwd', 404],
    ['PUT', '/v1/documents', 405],
    ['POST', '/health', 405],
  ])('%s %s gives %i', async (method, path, status) => {
    const response = await call(method, path, { token: tokens.eve });
    expect(response.status, JSON.stringify(response.body)).toBe(status);
    expect(response.headers.get('content-type')).toMatch('application/problem+json');
  });

  test('markup in questions and documents stays text', async () => {
    const id = await addLiveDocument(call, tokens.eve, {
      title: '<script>alert(1)</script>',
      text: 'The <b>stoat</b> hides <script>alert(2)</script> in the hedge.',
    });
    const answer = await ask(tokens.eve, 'Where does the <b>stoat</b> hide?');
    expect(answer.citations[0]).toMatchObject({ documentId: id, title: '<script>alert(1)</script>' });
    const read = await call('GET', `/v1/answers/${answer.answerId}`, { token: tokens.eve });
    expect(read.headers.get('content-type')).toMatch(/^application\/json/);
    expect(read.headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('every response', () => {
  test('has its headers', async () => {
    const { headers } = await call('GET', '/health');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each([
    ['req-12345678', true],
    ['short', false],
    ['has blanks and "quotes"', false],
    ['x'.repeat(129), false],
  ])('keeps the request id %j: %s', async (given, kept) => {
    const { headers } = await call('GET', '/health', { headers: { 'x-request-id': given } });
    expect(headers.get('x-request-id') === given).toBe(kept);
  });
});

test('every call of a person is in the audit log, with its outcome and without content', async () => {
  const since = (await rows<{ now: Date }>('select now() as now'))[0]?.now;
  await ask(tokens.bob, WALRUS);
  await call('GET', '/v1/answers/none', { token: tokens.bob });
  await call('POST', '/v1/documents', { token: tokens.bob, body: {} });
  const log = await rows<{ actor: string; action: string; details: { status: number } }>(
    "select actor, action, target, details from audit_log where at >= $1 and action like 'api.%' order by at",
    [since],
  );
  expect(log.map(({ actor, action, details }) => [actor, action, details.status])).toEqual([
    ['bob@x.example', 'api.createAnswer', 200],
    ['bob@x.example', 'api.getAnswer', 404],
    ['bob@x.example', 'api.createDocument', 403],
  ]);
  expect(JSON.stringify(log)).not.toMatch(/walrus/i);
  await expect(started.product.database.transaction((query) => query('delete from audit_log'))).rejects.toThrow();
});
