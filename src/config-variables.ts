// Every variable that the product reads, once: what it means, what it may hold, what it is when it is not set.
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { parseAllowedHost } from '../ingest/fetch-hosts.ts';
import { parsePrincipal } from '../retrieval/access-policy.ts';
import { BASE_URL_FORM, baseUrl } from './base-url.ts';
import { LOG_LEVELS } from './logger.ts';
import { parseTrustedProxy } from './service/trusted-proxies.ts';
import { SLACK_VARIABLES } from './slack/slack-variables.ts';

interface VariableText {
  readonly meaning: string;
  /** What a valid value looks like, after "expected". */
  readonly form: string;
  readonly example: string;
  /** What holds when it is not set; in words where it is computed. Null: nothing. */
  readonly default: string | null;
  /** Never shown in a message. */
  readonly secret?: boolean;
}

interface Variable<Schema extends z.ZodTypeAny> extends VariableText {
  readonly schema: Schema;
}

// The key that each provider needs, and null for those that need none.
const KEY_OF_PROVIDER = {
  extractive: null,
  builtin: null,
  none: null,
  ollama: null,
  transformers: null,
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  cohere: 'COHERE_API_KEY',
  azure_openai: 'AZURE_OPENAI_API_KEY',
} as const;

type Provider = keyof typeof KEY_OF_PROVIDER;
export type KeyVariable = Exclude<(typeof KEY_OF_PROVIDER)[Provider], null>;

/** What provides a model, an embedder or a reranker. `model` is the provider's own name for it; null where it has but one. */
export interface ProviderChoice<Name extends Provider = Provider> {
  readonly provider: Name;
  readonly model: string | null;
}

/** The variable that holds the key of the provider in `choice`, such as `openai:gpt-5`; null when it needs none. */
export function keyVariableOf(choice: string): KeyVariable | null {
  const provider = choice.split(':')[0] ?? '';
  return Object.hasOwn(KEY_OF_PROVIDER, provider) ? KEY_OF_PROVIDER[provider as Provider] : null;
}

// `alone` stand by themselves; `named` are followed by a colon and the provider's name of the model, which may hold colons.
function providerSchema<Alone extends Provider, Named extends Provider>(
  alone: readonly Alone[],
  named: readonly Named[],
) {
  return z.string().transform((text, context): ProviderChoice<Alone | Named> => {
    const [provider = '', ...rest] = text.split(':');
    const model = rest.join(':').trim();
    const isAlone = rest.length === 0 && alone.some((name) => name === provider);
    const isNamed = model !== '' && named.some((name) => name === provider);
    if (!isAlone && !isNamed) context.addIssue({ code: 'custom' });
    return { provider: provider as Alone | Named, model: isAlone ? null : model };
  });
}

function integer(minimum: number, maximum: number) {
  return z
    .string()
    .regex(/^\d+$/)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum);
}

function share() {
  return z
    .string()
    .regex(/^(?:0|1|0?\.\d+|1\.0+)$/)
    .transform(Number);
}

const databaseUrl = z
  .string()
  .refine((text) => URL.canParse(text) && ['postgres:', 'postgresql:'].includes(new URL(text).protocol));

const key = z.string().regex(/^\S+$/);

// `{"openai:gpt-5-mini": {"inputUsdPerMillion": 0.25, "outputUsdPerMillion": 2}}`
const priceTable = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom' });
      return z.NEVER;
    }
  })
  .pipe(
    z.record(
      z.string().regex(/^[a-z_]+:.+$/),
      z.strictObject({
        inputUsdPerMillion: z.number().nonnegative(),
        outputUsdPerMillion: z.number().nonnegative(),
      }),
    ),
  );

// Entries separated by commas, each as `parse` has it.
function listOf<Entry>(parse: (text: string) => Entry) {
  return z.string().transform((text, context) =>
    text
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean)
      .flatMap((entry) => {
        try {
          return [parse(entry)];
        } catch {
          context.addIssue({ code: 'custom' });
          return [];
        }
      }),
  );
}

const hostList = listOf((host) => {
  parseAllowedHost(host);
  return host;
});

const proxyList = z
  .string()
  .transform((text) => (text === 'none' ? '' : text))
  .pipe(listOf(parseTrustedProxy));

const MIN_TOKEN_SECRET_BYTES = 32; // RFC 7518, 3.2: a key of HS256 has at least the size of its hash
const tokenSecret = z
  .string()
  // One character again and again is what stands in an example, or what is left of a value that was not filled in.
  .refine((text) => Buffer.byteLength(text) >= MIN_TOKEN_SECRET_BYTES && new Set(text).size > 1)
  .nullable()
  .default(null);

// One core stays free for the database and for questions; beyond four threads indexing waits for the database instead.
const defaultEmbedThreads = () => Math.min(4, Math.max(1, availableParallelism() - 1));

/** The variables by name. All are optional. */
export const VARIABLES = {
  DATABASE_URL: {
    meaning: 'PostgreSQL server with pgvector; the database embedded in the data directory when not set',
    form: 'a URL that begins with postgres:// or postgresql://',
    example: 'postgres://verbatim:password@localhost:5432/verbatim',
    default: null,
    secret: true,
    schema: databaseUrl.nullable().default(null),
  },
  VERBATIM_DATA_DIR: {
    meaning: 'Directory of the embedded database, which also holds the originals of all documents',
    form: 'a path',
    example: '/var/lib/verbatim',
    default: '.verbatim',
    schema: z.string().default('.verbatim'),
  },
  VERBATIM_TENANT: {
    meaning: 'Tenant that commands and chat workspaces belong to when they name none',
    form: '1 to 63 lower-case letters, digits and hyphens',
    example: 'acme',
    default: 'default',
    schema: z
      .string()
      .regex(/^[a-z0-9-]{1,63}$/)
      .default('default'),
  },
  VERBATIM_HOST: {
    meaning: 'Address that the service listens on; other than loopback only behind a proxy that speaks HTTPS',
    form: 'an IP address or a host name',
    example: '0.0.0.0',
    default: '127.0.0.1',
    schema: z
      .string()
      .regex(/^[\w.:-]+$/)
      .default('127.0.0.1'),
  },
  VERBATIM_PORT: {
    meaning: 'Port that the service listens on; 0 takes any that is free',
    form: 'a whole number from 0 to 65535',
    example: '8080',
    default: '3000',
    schema: integer(0, 65_535).default('3000'),
  },
  VERBATIM_TRUSTED_PROXIES: {
    meaning:
      'Proxies whose word is taken for the address and the protocol (X-Forwarded-For, X-Forwarded-Proto) of who they speak for',
    form: 'addresses and CIDR ranges separated by commas, with loopback, linklocal and uniquelocal for those of these names; or none',
    example: 'loopback,10.0.0.0/8,fd00::/8',
    default: 'loopback',
    schema: proxyList.default('loopback'),
  },
  VERBATIM_TOKEN_SECRET: {
    meaning:
      'Secret that signs the tokens of signed-in people; needed with `DATABASE_URL`, else one is made in the data directory',
    form: 'at least 32 bytes, not one character again and again, from `openssl rand -base64 48`',
    example: 'a-line-of-random-characters-from-openssl-rand',
    default: null,
    secret: true,
    schema: tokenSecret,
  },
  VERBATIM_TOKEN_SECRET_PREVIOUS: {
    meaning: 'The secret before the present one: its tokens hold until they run out (8 hours)',
    form: 'at least 32 bytes',
    example: 'the-line-that-was-in-VERBATIM_TOKEN_SECRET-before',
    default: null,
    secret: true,
    schema: tokenSecret,
  },
  VERBATIM_EDITORS: {
    meaning: 'Who may add documents besides admins',
    form: 'principals separated by commas',
    example: 'verbatim:group:editors,verbatim:user:ann@example.com',
    default: 'none',
    schema: listOf(parsePrincipal).default(''),
  },
  VERBATIM_RATE_PER_MINUTE: {
    meaning: 'Requests that one person may send in a minute to the API of each instance',
    form: 'a whole number from 1 to 1000000',
    example: '120',
    default: '60',
    schema: integer(1, 1_000_000).default('60'),
  },
  VERBATIM_DRAIN_SECONDS: {
    meaning: 'Seconds that running questions and jobs get to end when the service is told to stop',
    form: 'a whole number from 0 to 3600',
    example: '60',
    default: '20',
    schema: integer(0, 3_600).default('20'),
  },
  VERBATIM_MODEL: {
    meaning: 'What writes the answers; `extractive` quotes sentences without a language model',
    form: 'extractive, or ollama:, openai:, anthropic:, cohere: or azure_openai: followed by the name of a model (azure_openai: of a deployment)',
    example: 'openai:gpt-5-mini',
    default: 'extractive',
    schema: providerSchema(['extractive'], ['ollama', 'openai', 'anthropic', 'cohere', 'azure_openai']).default(
      'extractive',
    ),
  },
  VERBATIM_PRICES: {
    meaning:
      'Prices of language models in US dollars for a million tokens, from which the cost of an answer is computed',
    form: 'a JSON object of models, each with its two prices',
    example: '{"openai:gpt-5-mini":{"inputUsdPerMillion":0.25,"outputUsdPerMillion":2}}',
    default: 'none: answers count as free',
    schema: priceTable.default('{}'),
  },
  VERBATIM_EMBEDDER: {
    meaning: 'What turns texts into vectors; `builtin` runs here and needs no network',
    form: 'builtin, or cohere:, openai:, ollama: or transformers: followed by the name of a model',
    example: 'cohere:embed-v4.0',
    default: 'builtin',
    schema: providerSchema(['builtin'], ['cohere', 'openai', 'ollama', 'transformers']).default('builtin'),
  },
  VERBATIM_RERANKER: {
    meaning: 'What orders the best candidates anew',
    form: 'builtin, none, or cohere: followed by the name of a model',
    example: 'cohere:rerank-v3.5',
    default: 'cohere:rerank-v3.5 with COHERE_API_KEY, else builtin',
    schema: providerSchema(['builtin', 'none'], ['cohere']).nullable().default(null),
  },
  COHERE_API_KEY: {
    meaning: 'Key for the models of Cohere',
    form: 'a key without spaces, from https://dashboard.cohere.com/api-keys',
    example: 'k3yFromTheDashboard',
    default: null,
    secret: true,
    schema: key.nullable().default(null),
  },
  COHERE_BASE_URL: {
    meaning: 'Where Cohere is reached, for a private deployment or a proxy',
    form: BASE_URL_FORM,
    example: 'https://cohere.internal.example.com',
    default: "the provider's own",
    schema: baseUrl.nullable().default(null),
  },
  OPENAI_API_KEY: {
    meaning: 'Key for the models of OpenAI, or of a server that speaks its protocol',
    form: 'a key without spaces, from https://platform.openai.com/api-keys',
    example: 'sk-...',
    default: null,
    secret: true,
    schema: key.nullable().default(null),
  },
  OPENAI_BASE_URL: {
    meaning: 'Where OpenAI, or a server that speaks its protocol, is reached',
    form: BASE_URL_FORM,
    example: 'https://llm.internal.example.com/v1',
    default: "the provider's own",
    schema: baseUrl.nullable().default(null),
  },
  ANTHROPIC_API_KEY: {
    meaning: 'Key for the models of Anthropic',
    form: 'a key without spaces, from https://console.anthropic.com/settings/keys',
    example: 'sk-ant-...',
    default: null,
    secret: true,
    schema: key.nullable().default(null),
  },
  ANTHROPIC_BASE_URL: {
    meaning: 'Where Anthropic is reached, for a proxy',
    form: BASE_URL_FORM,
    example: 'https://llm.internal.example.com',
    default: "the provider's own",
    schema: baseUrl.nullable().default(null),
  },
  AZURE_OPENAI_API_KEY: {
    meaning: 'Key for the deployments of Azure OpenAI',
    form: 'a key without spaces, from "Keys and Endpoint" of the Azure resource',
    example: 'k3yFromThePortal',
    default: null,
    secret: true,
    schema: key.nullable().default(null),
  },
  AZURE_OPENAI_ENDPOINT: {
    meaning: 'Endpoint of the Azure OpenAI resource; needed with `azure_openai:`',
    form: BASE_URL_FORM,
    example: 'https://acme.openai.azure.com',
    default: null,
    schema: baseUrl.nullable().default(null),
  },
  AZURE_OPENAI_API_VERSION: {
    meaning: 'Version of the Azure OpenAI interface',
    form: 'a date, with -preview after it or not',
    example: '2024-10-21',
    default: '2024-10-21',
    schema: z
      .string()
      .regex(/^\d{4}-\d{2}-\d{2}(-preview)?$/)
      .default('2024-10-21'),
  },
  OLLAMA_BASE_URL: {
    meaning: 'Where Ollama is reached',
    form: BASE_URL_FORM,
    example: 'http://gpu-1.internal:11434',
    default: 'http://127.0.0.1:11434',
    schema: baseUrl.default('http://127.0.0.1:11434'),
  },
  VERBATIM_LOG_LEVEL: {
    meaning: 'Least severe level that is logged, to standard error',
    form: LOG_LEVELS.join(', '),
    example: 'debug',
    default: 'info for services, warn for commands and on a terminal',
    schema: z.enum(LOG_LEVELS).nullable().default(null),
  },
  VERBATIM_LEXICAL_TIMEOUT_MS: {
    meaning: 'Milliseconds after which the lexical search is given up',
    form: 'a whole number from 1 to 600000',
    example: '2000',
    default: '5000',
    schema: integer(1, 600_000).default('5000'),
  },
  VERBATIM_VECTOR_TIMEOUT_MS: {
    meaning: 'Milliseconds after which the vector search is given up',
    form: 'a whole number from 1 to 600000',
    example: '10000',
    default: '30000',
    schema: integer(1, 600_000).default('30000'),
  },
  VERBATIM_FETCH_HOSTS: {
    meaning:
      'Hosts that `ingest URL` may fetch from; without a port: any port; private and loopback hosts only when themselves named',
    form: 'hosts separated by commas, each with an optional port or a leading *.',
    example: 'docs.example.com,*.example.org,127.0.0.1:8080',
    default: 'none',
    schema: hostList.default(''),
  },
  VERBATIM_LARGE_AUDIENCE: {
    meaning: 'People above which a channel is answered from what everyone may read, or from its configured audience',
    form: 'a whole number from 1 to 100000',
    example: '200',
    default: '500',
    schema: integer(1, 100_000).default('500'),
  },
  VERBATIM_TRACE_DAYS: {
    meaning: 'Days for which the trace of an answer is kept',
    form: 'a whole number from 1 to 3650',
    example: '90',
    default: '30',
    schema: integer(1, 3650).default('30'),
  },
  VERBATIM_ON_MODEL_FAILURE: {
    meaning: 'What happens to a question when the model fails: quoted without it, or refused',
    form: 'extractive or refuse',
    example: 'refuse',
    default: 'extractive',
    schema: z.enum(['extractive', 'refuse']).default('extractive'),
  },
  VERBATIM_INDEX_WORKERS: {
    meaning: 'Documents that are indexed at the same time',
    form: 'a whole number from 1 to 64',
    example: '4',
    default: '2',
    schema: integer(1, 64).default('2'),
  },
  VERBATIM_CHUNKER: {
    meaning: 'How documents are cut: `windows` of sentences, or `semantic`: also where the subject changes',
    form: 'windows or semantic',
    example: 'semantic',
    default: 'windows',
    schema: z.enum(['windows', 'semantic']).default('windows'),
  },
  VERBATIM_CHUNK_SIMILARITY: {
    meaning: 'Similarity of neighbouring sentences below which the semantic chunker cuts',
    form: 'a number from 0 to 1',
    example: '0.6',
    default: '0.75',
    schema: share().default('0.75'),
  },
  VERBATIM_EMBED_THREADS: {
    meaning: 'Threads of the built-in embedder',
    form: 'a whole number from 1 to 64',
    example: '2',
    default: 'cores - 1, at least 1, at most 4',
    schema: integer(1, 64).default(() => String(defaultEmbedThreads())),
  },
  VERBATIM_ADMINS: {
    meaning: 'Who may use the commands of admins in chats',
    form: 'principals separated by commas',
    example: 'verbatim:group:it,verbatim:user:ann@example.com',
    default: 'verbatim:role:admin',
    schema: listOf(parsePrincipal).default('verbatim:role:admin'),
  },
  VERBATIM_PUBLIC_URL: {
    meaning:
      'Address under which people reach this service; chat platforms link each quote to where it stands, and a proxy on this machine may pass its name on',
    form: BASE_URL_FORM,
    example: 'https://verbatim.example.com',
    default: null,
    schema: baseUrl.nullable().default(null),
  },
  ...SLACK_VARIABLES,
} as const satisfies Record<string, Variable<z.ZodTypeAny>>;

/** The name of a variable. */
export type VariableName = keyof typeof VARIABLES;
