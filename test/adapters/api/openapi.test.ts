// Every operation of the document is called, and what it answers is held to the document.
import SwaggerParser from '@apidevtools/swagger-parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPENAPI_DOCUMENT } from '../../../adapters/api/openapi.ts';
import { type ApiClient, type ApiResponse, addLiveDocument, createApiClient } from '../../helpers/api-client.ts';
import { type TestService, testService } from '../../helpers/service.ts';

let started: TestService;
let call: ApiClient;
let admin: string;
let documentId: string;
let answerId: string;
beforeAll(async () => {
  started = await testService();
  call = createApiClient(started.url);
  await started.givePassword('eve', 'correct horse');
  admin = await started.tokenOf('eve');
  documentId = await addLiveDocument(call, admin, { title: 'Sea', text: 'The walrus sleeps on the ice at noon.' });
  answerId = (await call('POST', '/v1/answers', { token: admin, body: { question: 'Where does the walrus sleep?' } }))
    .body.answerId;
});
afterAll(() => started?.close());

type Operation = {
  responses: Record<string, { content?: Record<string, { schema: object }>; headers?: Record<string, object> }>;
  requestBody?: { content: Record<string, unknown> };
};
const paths = OPENAPI_DOCUMENT.paths as unknown as Record<string, Record<string, Operation>>;
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

const ajv = new Ajv2020({ strictTypes: false, allErrors: true });
ajv.addKeyword('components');
addFormats.default(ajv);
ajv.addSchema({ $id: 'openapi', components: OPENAPI_DOCUMENT.components });

function expectAsDescribed(operation: Operation, response: ApiResponse): void {
  const described = operation.responses[response.status];
  expect(described, `status ${response.status} is described`).toBeDefined();
  for (const header of Object.keys(described?.headers ?? {})) expect(response.headers.get(header)).not.toBeNull();
  const mediaType = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
  if (!described?.content) {
    expect(response.body).toBe('');
    return;
  }
  const schema = described.content[mediaType]?.schema;
  expect(schema, `${mediaType} is described`).toBeDefined();
  const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')));
  expect(validate(response.body), JSON.stringify(validate.errors)).toBe(true);
}

/** A valid body of each operation that takes one. */
const BODIES: Readonly<Record<string, () => object>> = {
  'POST /v1/auth/token': () => ({ user: 'eve@x.example', password: 'correct horse' }),
  'POST /v1/documents': () => ({ title: 'Note', text: 'A note.', allow: ['verbatim:everyone'], level: 'internal' }),
  'POST /v1/answers': () => ({
    question: 'Where does the walrus sleep?',
    audience: ['eve@x.example'],
    include_debug: true,
  }),
  'POST /v1/feedback': () => ({ answerId, verdict: 'down', reason: 'outdated', comment: 'It moved.' }),
};

// What does not apply to an operation is no test of it, rather than one that is skipped.
const testIf = (applies: boolean) => (name: string, run: () => Promise<void>) => {
  if (applies) test(name, run);
};

function addressOf(path: string): string {
  return path.replace('{id}', path.includes('answers') ? answerId : documentId);
}

test('the document is valid OpenAPI 3.1 and is what the service gives out', async () => {
  const copy = structuredClone(OPENAPI_DOCUMENT) as never;
  await expect(SwaggerParser.validate(copy)).resolves.toMatchObject({ openapi: '3.1.0' });
  const served = await call('GET', '/openapi.json');
  expect(served.status).toBe(200);
  expect(served.body).toEqual(JSON.parse(JSON.stringify(OPENAPI_DOCUMENT)));
});

// Deleting comes last: the others need the document.
const inOrder = operations.toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));

describe.each(inOrder)('$method $path', ({ path, method, operation }) => {
  const name = `${method} ${path}`;
  const isApi = path.startsWith('/v1');

  testIf(isApi && path !== '/v1/auth/token')('without a token gives 401', async () => {
    const response = await call(method, addressOf(path), BODIES[name] ? { body: BODIES[name]() } : {});
    expect(response.status).toBe(401);
    expectAsDescribed(operation, response);
  });

  testIf(isApi && path.includes('{id}'))('of what is not there gives 404', async () => {
    const response = await call(method, path.replace('{id}', 'none'), { token: admin });
    expect(response.status).toBe(404);
    expectAsDescribed(operation, response);
  });

  testIf(operation.requestBody !== undefined)(
    'with an empty body, an unknown field or another type gives 4xx',
    async () => {
      const faulty = [
        [{ body: {} }, 400],
        [{ body: [] }, 400],
        [{ body: '' }, 400],
        [{ body: '{"a":' }, 400],
        [{ body: { ...BODIES[name]?.(), surplus: 1 } }, 400],
        [{ body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415],
        [{ body: '{}', headers: { 'content-encoding': 'gzip' } }, 415],
        [{ body: `{"a":"${'x'.repeat(13_000_000)}"}` }, 413],
      ] as const;
      for (const [request, status] of faulty) {
        const response = await call(method, path, { token: admin, ...request });
        expect(response.status, JSON.stringify(request).slice(0, 80)).toBe(status);
        expectAsDescribed(operation, response);
      }
    },
  );

  test('with what it asks for gives what it describes', async () => {
    const response = await call(method, addressOf(path), {
      token: admin,
      ...(BODIES[name] ? { body: BODIES[name]() } : {}),
    });
    expect(response.status).toBeLessThan(300);
    expectAsDescribed(operation, response);
  });

  test('another method gives 405 with what is allowed', async () => {
    const response = await call('PATCH', addressOf(path), { token: admin });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')?.split(', ')).toContain(method);
  });
});
