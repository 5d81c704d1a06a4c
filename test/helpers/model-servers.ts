// One local server that speaks the protocols of all providers, held to their schemas: a request with an unknown path, field
// or key is refused with 400 and noted as a violation, which tests expect to be none.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { z } from 'zod';
import { type Config, readConfig } from '../../src/config.ts';

/** The key that the server takes from every provider's client. */
export const TEST_KEY = 'k3y-for-the-local-server';

/**
 * What the server gives back: a text in the provider's form (or what a broken provider has in its place), a status, a web
 * page, nothing at all, or a reply that begins and comes to no end.
 */
export type Reply =
  | { readonly text: unknown; readonly inputTokens?: unknown; readonly outputTokens?: unknown }
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | { readonly page: string }
  | 'hang'
  | 'trickle';

/** A request as the server understood it. */
export interface Received {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Of a chat: what stands in the role of the system, and in the user's. */
  readonly system: string;
  readonly user: string;
}

export interface ModelServer {
  readonly url: string;
  readonly received: readonly Received[];
  readonly violations: readonly string[];
  /** Replies that trickle at the moment: connections that the client has not closed. */
  trickling(): number;
  /** Chat replies in order; the last one is given again and again. A function sees the request. */
  reply(...replies: readonly (Reply | ((received: Received) => Reply))[]): void;
  /** The next `count` requests that are no chats get this status. */
  fail(status: number, count: number): void;
  /** The vector of a text; three numbers that depend on it when not given. `null` is how servers write NaN. */
  vectors(vectorOf: (text: string) => (number | null)[]): void;
  /** Changes the list of vectors that an embedder gives, each as its protocol has it. */
  vectorList(change: (list: unknown[]) => unknown[]): void;
  /** What a reranker says of the texts, in place of what follows from their vectors. */
  ranking(rank: () => readonly { readonly index: number; readonly relevance_score: number }[]): void;
  reset(): void;
  close(): Promise<void>;
}

const message = z.strictObject({ role: z.enum(['system', 'user']), content: z.string() });
const jsonSchema = z.record(z.unknown());
const openaiChat = z.strictObject({
  model: z.string(),
  messages: z.array(message).length(2),
  stream: z.literal(false),
  response_format: z
    .strictObject({
      type: z.literal('json_schema'),
      json_schema: z.strictObject({ name: z.string(), strict: z.literal(true), schema: jsonSchema }),
    })
    .optional(),
});

type Body = Record<string, unknown>;
type VectorOf = (text: string) => (number | null)[];
type Protocol = {
  readonly path: RegExp;
  readonly key: string | null;
  readonly schema: z.ZodTypeAny;
} & (
  | { readonly chat: (body: Body) => { system: string; user: string }; readonly say: (reply: Said) => string }
  | { readonly work: (body: Body, vectorOf: VectorOf) => unknown }
);
interface Said {
  readonly text: unknown;
  readonly input: unknown;
  readonly output: unknown;
}

const bothMessages = ({ messages }: Body) => {
  const [system, user] = messages as { content: string }[];
  return { system: system?.content ?? '', user: user?.content ?? '' };
};
const sayOpenai = ({ text, input, output }: Said) =>
  JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: text, refusal: null }, finish_reason: 'stop' }],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: 110 },
  });
const BEARER = `Bearer ${TEST_KEY}`;

const PROTOCOLS: readonly Protocol[] = [
  {
    path: /^\/api\/chat$/,
    key: null,
    schema: z.strictObject({
      model: z.string(),
      messages: z.array(message).length(2),
      stream: z.literal(true),
      format: jsonSchema.optional(),
      options: z.strictObject({ num_ctx: z.number(), num_predict: z.number(), temperature: z.literal(0) }),
    }),
    chat: bothMessages,
    say: ({ text, input, output }) =>
      [
        { model: 'm', created_at: '2026-01-01T00:00:00Z', message: { role: 'assistant', content: text }, done: false },
        {
          model: 'm',
          created_at: '2026-01-01T00:00:00Z',
          message: { role: 'assistant', content: '' },
          done: true,
          done_reason: 'stop',
          prompt_eval_count: input,
          eval_count: output,
        },
      ]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
  },
  { path: /^\/v1\/chat\/completions$/, key: BEARER, schema: openaiChat, chat: bothMessages, say: sayOpenai },
  {
    path: /^\/openai\/deployments\/[^/]+\/chat\/completions\?api-version=2024-10-21$/,
    key: TEST_KEY,
    schema: openaiChat,
    chat: bothMessages,
    say: sayOpenai,
  },
  {
    path: /^\/v1\/messages$/,
    key: TEST_KEY,
    schema: z.strictObject({
      model: z.string(),
      max_tokens: z.number(),
      stream: z.literal(false),
      system: z.string(),
      messages: z.tuple([z.strictObject({ role: z.literal('user'), content: z.string() })]),
      output_config: z
        .strictObject({ format: z.strictObject({ type: z.literal('json_schema'), schema: jsonSchema }) })
        .optional(),
    }),
    chat: ({ system, messages }) => ({
      system: String(system),
      user: (messages as { content: string }[])[0]?.content ?? '',
    }),
    say: ({ text, input, output }) =>
      JSON.stringify({
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [{ type: 'text', text }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: input, output_tokens: output },
      }),
  },
  {
    path: /^\/v1\/chat$/,
    key: BEARER,
    schema: z.strictObject({
      model: z.string(),
      message: z.string(),
      preamble: z.string(),
      chat_history: z.array(z.never()),
      temperature: z.literal(0),
      max_tokens: z.number(),
      stream: z.literal(false),
      response_format: z.strictObject({ type: z.literal('json_object'), schema: jsonSchema }).optional(),
    }),
    chat: ({ preamble, message: user }) => ({ system: String(preamble), user: String(user) }),
    say: ({ text, input, output }) =>
      JSON.stringify({
        text,
        generation_id: 'g',
        response_id: 'r',
        chat_history: [],
        finish_reason: 'COMPLETE',
        meta: { api_version: { version: '1' }, tokens: { input_tokens: input, output_tokens: output } },
      }),
  },
  {
    path: /^\/v1\/embed$/,
    key: BEARER,
    schema: z.strictObject({
      model: z.string(),
      texts: z.array(z.string().min(1)).min(1).max(96),
      input_type: z.enum(['search_document', 'search_query']),
      embedding_types: z.tuple([z.literal('float')]),
    }),
    work: ({ texts }, vectorOf) => ({
      id: 'e',
      response_type: 'embeddings_by_type',
      texts,
      embeddings: { float: (texts as string[]).map(vectorOf) },
    }),
  },
  {
    path: /^\/v1\/embeddings$/,
    key: BEARER,
    schema: z.strictObject({
      model: z.string(),
      input: z.array(z.string().min(1)).min(1).max(2048),
      encoding_format: z.literal('float'),
    }),
    work: ({ input }, vectorOf) => ({
      object: 'list',
      model: 'm',
      data: (input as string[]).map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) })),
      usage: { prompt_tokens: 1, total_tokens: 1 },
    }),
  },
  {
    path: /^\/api\/embed$/,
    key: null,
    schema: z.strictObject({ model: z.string(), input: z.array(z.string().min(1)), truncate: z.literal(true) }),
    work: ({ input }, vectorOf) => ({ model: 'm', embeddings: (input as string[]).map(vectorOf) }),
  },
  {
    path: /^\/v2\/rerank$/,
    key: BEARER,
    schema: z.strictObject({
      model: z.string(),
      query: z.string(),
      documents: z.array(z.string()),
      top_n: z.number().int(),
    }),
    // As the vendor does: best first, with the place in the request as `index`. The score is the vector's first number.
    work: ({ documents }, vectorOf) => ({
      id: 'r',
      results: (documents as string[])
        .map((text, index) => ({ index, relevance_score: vectorOf(text)[0] }))
        .sort((a, b) => Number(b.relevance_score) - Number(a.relevance_score)),
    }),
  },
];

const defaultVector: VectorOf = (text) => [text.length, 3, 4];

/** Starts the server on a free port of 127.0.0.1. */
export async function startModelServer(): Promise<ModelServer> {
  const received: Received[] = [];
  const violations: string[] = [];
  let replies: readonly (Reply | ((received: Received) => Reply))[] = [];
  let chats = 0;
  let trickling = 0;
  let failing = { status: 0, count: 0 };
  let vectorOf = defaultVector;
  let changeList: (list: unknown[]) => unknown[] = (list) => list;
  let ranking: Parameters<ModelServer['ranking']>[0] | null = null;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const protocol = PROTOCOLS.find((candidate) => candidate.path.test(path));
    const body = JSON.parse(await readText(request)) as Body;
    const fault = protocol ? faultOf(protocol, request, body) : `no such path: ${request.method} ${path}`;
    if (!protocol || fault) {
      violations.push(fault);

      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ message: fault }));
      return;
    }
    if (!('chat' in protocol)) {
      received.push({ path, body, system: '', user: '' });
      if (failing.count-- > 0) response.writeHead(failing.status).end('{}');
      else if (ranking && path === '/v2/rerank') respond(response, JSON.stringify({ id: 'r', results: ranking() }));
      else respond(response, JSON.stringify(withList(protocol.work(body, vectorOf) as Body, changeList)));
      return;
    }
    const seen = { path, body, ...protocol.chat(body) };
    received.push(seen);
    const next = replies[Math.min(chats++, replies.length - 1)] ?? { status: 500 };
    const reply = typeof next === 'function' ? next(seen) : next;
    if (reply === 'hang') return;
    if (reply === 'trickle') return trickle(response);
    if ('status' in reply) {
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      response.end(reply.body ?? '{"message":"no"}');
    } else if ('page' in reply) response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(reply.page);
    else {
      const { text, inputTokens: input = 100, outputTokens: output = 10 } = reply;
      respond(response, protocol.say({ text, input, output }));
    }
  }

  function trickle(response: ServerResponse): void {
    trickling++;
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => {
      trickling--;
      clearInterval(timer);
    });
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      violations.push(String(error));
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    violations,
    trickling: () => trickling,
    reply(...given) {
      replies = given;
      chats = 0;
    },
    fail(status, count) {
      failing = { status, count };
    },
    vectors(given) {
      vectorOf = given;
    },
    vectorList(given) {
      changeList = given;
    },
    ranking(given) {
      ranking = given;
    },
    reset() {
      received.length = 0;
      violations.length = 0;
      replies = [];
      failing = { status: 0, count: 0 };
      vectorOf = defaultVector;
      changeList = (list) => list;
      ranking = null;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function withList(answer: Body, change: (list: unknown[]) => unknown[]): Body {
  const { data, embeddings } = answer;
  if (Array.isArray(data)) return { ...answer, data: change(data) };
  if (Array.isArray(embeddings)) return { ...answer, embeddings: change(embeddings) };
  const { float } = (embeddings ?? {}) as { float?: unknown[] };
  return float ? { ...answer, embeddings: { float: change(float) } } : answer;
}

function faultOf({ key, schema }: Protocol, { headers, method }: IncomingMessage, body: Body): string {
  const given = headers['x-api-key'] ?? headers['api-key'] ?? headers.authorization ?? null;
  if (method !== 'POST') return `${method} is not POST`;
  if (key !== null && given !== key) return `the key is ${given}`;
  const parsed = schema.safeParse(body);
  return parsed.success
    ? ''
    : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
}

function respond(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
}

/** A configuration in which every provider is reached at `url`, with what `environment` adds. */
export function configFor(url: string, environment: Readonly<Record<string, string>> = {}): Config {
  return readConfig({
    COHERE_API_KEY: TEST_KEY,
    COHERE_BASE_URL: url,
    OPENAI_API_KEY: TEST_KEY,
    OPENAI_BASE_URL: `${url}/v1`,
    ANTHROPIC_API_KEY: TEST_KEY,
    ANTHROPIC_BASE_URL: url,
    AZURE_OPENAI_API_KEY: TEST_KEY,
    AZURE_OPENAI_ENDPOINT: url,
    OLLAMA_BASE_URL: url,
    ...environment,
  });
}
