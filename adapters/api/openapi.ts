// The API as an OpenAPI 3.1 document. The router is made from it: what is not here does not exist.
import { DOCUMENT_STATES } from '../ports.ts';
import { SCHEMAS, type Schema } from './openapi-schemas.ts';

/** A parameter in the path, the query or a header. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
}

/** The names of the operations. */
export type OperationId =
  | 'createToken'
  | 'createDocument'
  | 'listDocuments'
  | 'getDocument'
  | 'deleteDocument'
  | 'createAnswer'
  | 'getAnswer'
  | 'createFeedback';

/** One call. */
export interface Operation {
  readonly operationId: OperationId;
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required: true;
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  readonly responses: Readonly<Record<string, unknown>>;
}

export const METHODS = ['get', 'post', 'delete'] as const;
export type Method = (typeof METHODS)[number];

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

function json(description: string, schema: string, headers?: object): object {
  return { description, ...(headers ? { headers } : {}), content: { 'application/json': { schema: ref(schema) } } };
}

const PROBLEMS: Readonly<Record<string, string>> = {
  400: 'The request is not valid; nothing was stored',
  401: 'No valid token',
  403: 'Not for this role',
  404: 'Nothing of that id that you may see',
  409: 'A request with the same Idempotency-Key is running',
  413: 'The body is too large',
  415: 'The body is of another type',
  421: 'The Host header is not a name of this service',
  422: 'The Idempotency-Key was used for another request',
  429: 'Too many requests; see Retry-After',
  503: 'The service ends or cannot reach its database; see Retry-After',
};

function problems(...statuses: readonly number[]): object {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: PROBLEMS[status],
        ...(status === 429 || status === 503
          ? { headers: { 'Retry-After': { description: 'Seconds', schema: { type: 'integer' } } } }
          : {}),
        content: { 'application/problem+json': { schema: ref('Problem') } },
      },
    ]),
  );
}

const EVERY_CALL = [400, 401, 421, 429, 503];
const CREATING = [409, 413, 415, 422];

const IDEMPOTENCY_KEY: Parameter = {
  name: 'idempotency-key',
  in: 'header',
  required: false,
  description: 'The same key with the same request within a day does not do it again',
  schema: { type: 'string', pattern: '^[\\x21-\\x7E]{1,200}$' },
};

const idOf = (what: string): Parameter => ({
  name: 'id',
  in: 'path',
  required: true,
  description: `The id of the ${what}`,
  schema: { type: 'string', pattern: '^[A-Za-z0-9-]{1,100}$' },
});

const token: Operation = {
  operationId: 'createToken',
  summary: 'Sign in with a password',
  description: 'The token holds for 8 hours. What its person may do is read from the directory at each call.',
  security: [],
  requestBody: { required: true, content: { 'application/json': { schema: ref('Credentials') } } },
  responses: { 200: json('A token', 'Token'), ...problems(400, 401, 413, 415, 421, 429, 503) },
};

const createDocument: Operation = {
  operationId: 'createDocument',
  summary: 'Add or replace a document',
  description:
    'For admins and editors. The document is indexed in the background and quoted once it is `live`. A file in a form names the type by its file name.',
  parameters: [IDEMPOTENCY_KEY],
  requestBody: {
    required: true,
    content: {
      'application/json': { schema: ref('NewDocument') },
      'multipart/form-data': { schema: ref('NewDocumentFile') },
    },
  },
  responses: {
    202: json('Accepted', 'DocumentReceipt', {
      Location: { description: 'The document', schema: { type: 'string' } },
    }),
    ...problems(...EVERY_CALL, 403, ...CREATING),
  },
};

const listDocuments: Operation = {
  operationId: 'listDocuments',
  summary: 'List documents, newest first',
  description: 'Admins see all, editors those that they added. Deleted ones only with `state=deleted`.',
  parameters: [
    {
      name: 'state',
      in: 'query',
      required: false,
      description: 'Only these',
      schema: { type: 'string', enum: DOCUMENT_STATES },
    },
    {
      name: 'limit',
      in: 'query',
      required: false,
      description: 'How many',
      schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
    },
    {
      name: 'cursor',
      in: 'query',
      required: false,
      description: '`nextCursor` of the page before',
      schema: { type: 'string', minLength: 1, maxLength: 500 },
    },
  ],
  responses: { 200: json('A page', 'DocumentPage'), ...problems(...EVERY_CALL, 403) },
};

const getDocument: Operation = {
  operationId: 'getDocument',
  summary: 'What became of a document',
  description: 'For admins, and editors who added it.',
  parameters: [idOf('document')],
  responses: { 200: json('The document, without its content', 'Document'), ...problems(...EVERY_CALL, 403, 404) },
};

const deleteDocument: Operation = {
  operationId: 'deleteDocument',
  summary: 'Forget a document',
  description:
    'For admins. When it answers, chunks, vectors, cached answers and the quotes of stored answers are gone; a tombstone without content remains.',
  parameters: [idOf('document')],
  responses: { 204: { description: 'Gone' }, ...problems(...EVERY_CALL, 403, 404) },
};

const createAnswer: Operation = {
  operationId: 'createAnswer',
  summary: 'Ask',
  description:
    'A refusal is an answer too. With `Accept: text/event-stream` the events are `stage` with `{"stage"}` for each step, then `answer`, or `problem`; text comes only when its quotes are checked.',
  parameters: [IDEMPOTENCY_KEY],
  requestBody: { required: true, content: { 'application/json': { schema: ref('NewQuestion') } } },
  responses: {
    200: {
      description: 'An answer or a refusal',
      content: { 'application/json': { schema: ref('Answer') }, 'text/event-stream': { schema: { type: 'string' } } },
    },
    ...problems(...EVERY_CALL, 403, ...CREATING),
  },
};

const getAnswer: Operation = {
  operationId: 'getAnswer',
  summary: 'An answer again',
  description: 'For its asker and for admins. Its quotes are checked anew for its audience and for who reads it now.',
  parameters: [idOf('answer')],
  responses: { 200: json('The answer', 'StoredAnswer'), ...problems(...EVERY_CALL, 404) },
};

const createFeedback: Operation = {
  operationId: 'createFeedback',
  summary: 'Say what you think of an answer',
  description: 'For those who saw it. A later opinion replaces the one before.',
  parameters: [IDEMPOTENCY_KEY],
  requestBody: { required: true, content: { 'application/json': { schema: ref('NewFeedback') } } },
  responses: { 201: json('Noted', 'Feedback'), ...problems(...EVERY_CALL, 404, ...CREATING) },
};

/** The calls below `/v1`, by path and method. */
export const API_PATHS: Readonly<Record<string, Readonly<Partial<Record<Method, Operation>>>>> = {
  '/v1/auth/token': { post: token },
  '/v1/documents': { post: createDocument, get: listDocuments },
  '/v1/documents/{id}': { get: getDocument, delete: deleteDocument },
  '/v1/answers': { post: createAnswer },
  '/v1/answers/{id}': { get: getAnswer },
  '/v1/feedback': { post: createFeedback },
};

const OPERATIONS_PATHS = {
  '/health': {
    get: {
      operationId: 'getHealth',
      summary: 'Whether the process is alive',
      security: [],
      responses: { 200: json('Alive', 'Health') },
    },
  },
  '/ready': {
    get: {
      operationId: 'getReadiness',
      summary: 'Whether questions can be answered: database, migrations, workers',
      security: [],
      responses: { 200: json('Ready', 'Readiness'), 503: json('Not ready', 'Readiness') },
    },
  },
  '/metrics': {
    get: {
      operationId: 'getMetrics',
      summary: 'Figures for Prometheus',
      security: [],
      responses: { 200: { description: 'Figures', content: { 'text/plain': { schema: { type: 'string' } } } } },
    },
  },
};

/** The document that is served at `/openapi.json`. */
export const OPENAPI_DOCUMENT = {
  openapi: '3.1.0',
  info: {
    title: 'Verbatim',
    version: '1.0.0',
    summary: 'Answers with verbatim quotes from documents that everyone who sees the answer may read, or refuses.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: '/' }],
  security: [{ bearer: [] }],
  paths: { ...API_PATHS, ...OPERATIONS_PATHS },
  components: {
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    schemas: SCHEMAS,
  },
} as const;
