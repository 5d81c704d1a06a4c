// The shapes of the API's requests and responses. Requests are validated by what stands here.
import { MAX_QUESTION_CHARACTERS } from '../../retrieval/answer-question.ts';
import { ACCESS_LEVELS, REFUSALS } from '../../retrieval/model.ts';
import { DOCUMENT_STATES, FEEDBACK_REASONS } from '../ports.ts';

/** A JSON schema of OpenAPI 3.1, which is JSON Schema 2020-12. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

/** Longest text of a document that comes as JSON; files may be larger. */
export const MAX_TEXT_CHARACTERS = 2_000_000;
const MAX_AUDIENCE = 1_000;
const MAX_PRINCIPALS = 100;

// Neither control characters (but tab and line ends) nor halves of surrogate pairs: no keyboard makes them, the database
// cannot store some, and a log or a terminal may obey others.
const TEXT = '^[^\\p{Cs}\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u009F]*$';
// A line has something to see, and nothing that turns the direction of what follows it.
const LINE = '^(?=.*\\S)[^\\p{Cs}\\u0000-\\u001F\\u007F-\\u009F\\u202A-\\u202E\\u2066-\\u2069]*$';

/** An object with these properties and no others; all are required but those named in `optional`. */
function object(properties: Readonly<Record<string, Schema>>, { optional = [] as readonly string[] } = {}): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const nullable = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });
const list = (items: Schema, more: Schema = {}): Schema => ({ type: 'array', items, ...more });
const text = (description: string, more: Schema = {}): Schema => ({ type: 'string', description, ...more });
const number = (description: string, more: Schema = {}): Schema => ({ type: 'number', description, ...more });
const count = (description: string): Schema => ({ type: 'integer', minimum: 0, description });
const time = (description: string): Schema => ({ type: 'string', format: 'date-time', description });
const share = (description: string): Schema => ({ type: 'number', minimum: 0, maximum: 1, description });
const line = (description: string, maxLength: number, more: Schema = {}): Schema =>
  text(description, { pattern: LINE, minLength: 1, maxLength, ...more });

const EMAIL: Schema = line('An e-mail address of the directory', 254, {
  pattern: '^[^\\s@:,\\p{C}]+@[^\\s@:,\\p{C}]+$',
});
const PRINCIPALS: Schema = list(line('A principal, such as `verbatim:group:finance`', 500), {
  maxItems: MAX_PRINCIPALS,
});

const DOCUMENT_FIELDS = {
  title: line('What the document is called', 500),
  uri: line(
    "The document's name in its source, shown under quotes; the same again replaces what you added. Default: a new one",
    1_000,
  ),
  allow: { ...PRINCIPALS, description: 'Who may read it: any of these. Neither `allow` nor `require`: admins only' },
  require: { ...PRINCIPALS, description: 'What a reader must hold as well: each of these' },
  level: {
    type: 'string',
    enum: ACCESS_LEVELS,
    description: 'How sensitive it is. Default: derived from its content',
  },
};

const ANSWER_FIELDS = {
  answerId: text('For feedback and for reading the answer again'),
  status: {
    type: 'string',
    enum: ['answered', 'refused', 'withdrawn'],
    description:
      '`withdrawn`, only of an answer given earlier: what it quoted may not be shown to its audience any more',
  },
  refusal: {
    description: 'Why there is no answer. It says nothing about hidden documents',
    ...nullable({ type: 'string', enum: REFUSALS }),
  },
  text: text('The answer, or the refusal as a sentence; plain text'),
  citations: list(ref('Citation'), { description: 'The quotes; empty for a refusal' }),
  sources: list(ref('SourceFreshness')),
  confidence: nullable(ref('Confidence')),
  degraded: list(text('Such as `vector_search_timeout`'), { description: 'What was done without' }),
  timingsMs: { type: 'object', additionalProperties: { type: 'number' }, description: 'Milliseconds by stage' },
  costUsd: {
    description: 'What the model cost in US dollars; null where it has a price and its provider did not count',
    ...nullable({ type: 'number', minimum: 0 }),
  },
  threadId: text('For a follow-up question of the same person'),
  debug: { ...ref('Debug'), description: 'Only with `include_debug`' },
};

/** The schemas by name. */
export const SCHEMAS: Readonly<Record<string, Schema>> = {
  Problem: {
    ...object(
      {
        type: text('A URI that names the kind of problem'),
        title: text('The kind of problem in words'),
        status: { type: 'integer', minimum: 400, maximum: 599 },
        detail: text('What is wrong here, and what to do'),
        requestId: text('Also in the header `x-request-id` and in the log'),
        errors: list(object({ at: text('A JSON pointer; empty: the whole'), message: text('What is wrong') })),
      },
      { optional: ['errors'] },
    ),
    description: 'A problem document of RFC 9457',
  },
  Credentials: object({
    user: EMAIL,
    password: { type: 'string', minLength: 1, maxLength: 1_000, writeOnly: true },
  }),
  Token: object({
    access_token: text('For the header `Authorization: Bearer …`'),
    token_type: { const: 'Bearer' },
    expires_in: { type: 'integer', minimum: 1, description: 'Seconds' },
  }),
  NewDocument: object(
    {
      ...DOCUMENT_FIELDS,
      text: text('Plain text or Markdown', {
        pattern: `^(?=[\\s\\S]*\\S)${TEXT.slice(1)}`,
        minLength: 1,
        maxLength: MAX_TEXT_CHARACTERS,
      }),
    },
    { optional: ['uri', 'allow', 'require', 'level'] },
  ),
  NewDocumentFile: object(
    { ...DOCUMENT_FIELDS, file: text('The file, up to 50 MiB', { contentMediaType: 'application/octet-stream' }) },
    { optional: ['title', 'uri', 'allow', 'require', 'level'] },
  ),
  DocumentReceipt: object({ id: text('The document'), state: { type: 'string', enum: DOCUMENT_STATES } }),
  Document: object({
    id: text('The document'),
    title: text('Its title'),
    uri: text('Its name in its source'),
    state: { type: 'string', enum: DOCUMENT_STATES },
    version: count('The live version; 0 before the first'),
    mediaType: text('As it was submitted; may be empty'),
    accessLevel: { type: 'string', enum: ACCESS_LEVELS },
    department: nullable({ type: 'string' }),
    readers: text('Who may read it, in words; empty before the first version'),
    chunks: count('Chunks in the index'),
    failure: nullable(object({ code: text('Such as `no_text_layer`'), reason: text('What is wrong with it') })),
    createdBy: text('Who submitted it'),
    tookEffectAt: nullable(time('When the live version became one')),
  }),
  DocumentPage: object({ documents: list(ref('Document')), nextCursor: nullable({ type: 'string' }) }),
  NewQuestion: object(
    {
      question: text('In a sentence', { pattern: TEXT, minLength: 1, maxLength: MAX_QUESTION_CHARACTERS }),
      threadId: text('Of an answer before: a follow-up may leave out what was said', {
        pattern: '^[A-Za-z0-9._-]{1,100}$',
      }),
      audience: list(EMAIL, {
        maxItems: MAX_AUDIENCE,
        description: 'Who else will see the answer: it quotes what all of them may read. The asker always counts',
      }),
      include_debug: { type: 'boolean', description: "For admins: each chunk's scores and why it was not quoted" },
    },
    { optional: ['threadId', 'audience', 'include_debug'] },
  ),
  Citation: object(
    {
      documentId: text('The document'),
      documentVersion: count('Its version'),
      uri: text('Its name in its source'),
      title: text('Its title'),
      headingPath: list({ type: 'string' }),
      page: {
        type: 'integer',
        minimum: 1,
        description: 'The page on which the quoted passage begins; absent for formats without pages',
      },
      chunkId: text('The chunk'),
      quote: text('Word for word'),
      start: count("Offset into the document's text, UTF-16 code units"),
      end: count('Offset after the quote'),
    },
    { optional: ['page'] },
  ),
  SourceFreshness: object({
    source: text('The source'),
    contentAgeSeconds: count('How old what is known of its content is'),
    permissionAgeSeconds: count('The same of its permissions'),
  }),
  Confidence: object({
    faithfulness: share('Of what is said, quoted'),
    coverage: share('Of what is asked, quoted'),
    overall: share('Harmonic mean'),
  }),
  Debug: object({ candidates: list(ref('Candidate'), { description: 'Best first' }) }),
  Candidate: object(
    {
      rank: { type: 'integer', minimum: 1 },
      chunkId: text('The chunk'),
      documentId: text('Its document'),
      score: number('The sum of the contributions'),
      contributions: { type: 'object', additionalProperties: { type: 'number' }, description: 'By signal' },
      dropped: nullable(text('The stage that dropped it')),
      layer: text('The layer of its ACL that the audience fails'),
    },
    { optional: ['layer'] },
  ),
  Answer: object(ANSWER_FIELDS, { optional: ['debug'] }),
  StoredAnswer: object(
    {
      ...ANSWER_FIELDS,
      question: text('What was asked'),
      asker: text('Who asked'),
      askedAt: time('When'),
      withheld: {
        type: 'boolean',
        description: 'The status is `withdrawn`: text and quotes are left out',
      },
      retractedAt: {
        ...nullable({ type: 'string', format: 'date-time' }),
        description: 'When it was taken back for good; null for one that is not, or whose quotes may come back',
      },
    },
    { optional: ['threadId', 'debug'] },
  ),
  NewFeedback: object(
    {
      answerId: line('The answer', 100),
      verdict: { type: 'string', enum: ['up', 'down'] },
      reason: { type: 'string', enum: FEEDBACK_REASONS, description: 'Only with `down`' },
      comment: text('In own words', { pattern: TEXT, maxLength: 2_000 }),
    },
    { optional: ['reason', 'comment'] },
  ),
  Feedback: object({
    answerId: text('The answer'),
    verdict: { type: 'string', enum: ['up', 'down'] },
    reason: nullable({ type: 'string', enum: FEEDBACK_REASONS }),
    comment: { type: 'string' },
  }),
  Health: object({ status: { const: 'alive' } }),
  Readiness: object({
    status: { type: 'string', enum: ['ready', 'not_ready'] },
    checks: { type: 'object', additionalProperties: { type: 'string' }, description: '`ok`, or what is wrong' },
    connections: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: '`connected`, or since when not, of the chat platforms; questions over the API do not need them',
    },
  }),
};
