// The only file that reads the environment. All faults are reported together, so that nobody starts the product five times
// to find five of them.
import { z } from 'zod';
import { VerbatimError } from '../retrieval/errors.ts';
import type { Principal } from '../retrieval/model.ts';
import {
  type KeyVariable,
  keyVariableOf,
  type ProviderChoice,
  VARIABLES,
  type VariableName,
} from './config-variables.ts';
import { type LogLevel, maskSecrets } from './logger.ts';

export type { ProviderChoice } from './config-variables.ts';

/** Where a provider is reached and with what. Null: its own address, no key. */
export interface ProviderAccess {
  readonly apiKey: string | null;
  readonly baseUrl: string | null;
}

/** What is set for Slack; null where it is not. */
export interface SlackConfig {
  readonly botToken: string | null;
  readonly signingSecret: string | null;
  readonly appToken: string | null;
  readonly clientId: string | null;
  readonly clientSecret: string | null;
  readonly apiUrl: string | null;
  /** Tenants by the workspaces that may install the app. */
  readonly workspaces: ReadonlyMap<string, string>;
  readonly followUps: boolean;
  /** Base64 of 32 bytes. */
  readonly encryptionKey: string | null;
}

/** All settings, defaults filled in. */
export interface Config {
  /** Null: the database embedded in `dataDir`. */
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  readonly tenantId: string;
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** As Express's `trust proxy` takes them. */
  readonly trustedProxies: readonly string[];
  /** What signs tokens; null where it is not set. */
  readonly tokenSecret: string | null;
  readonly previousTokenSecret: string | null;
  /** Who may add documents besides admins. */
  readonly editors: readonly Principal[];
  readonly ratePerMinute: number;
  readonly drainSeconds: number;
  readonly model: ProviderChoice<'extractive' | 'ollama' | 'openai' | 'anthropic' | 'cohere' | 'azure_openai'>;
  /** By provider and model, such as `openai:gpt-5-mini`. */
  readonly prices: Readonly<
    Record<string, { readonly inputUsdPerMillion: number; readonly outputUsdPerMillion: number }>
  >;
  readonly embedder: ProviderChoice<'builtin' | 'cohere' | 'openai' | 'ollama' | 'transformers'>;
  readonly reranker: ProviderChoice<'builtin' | 'none' | 'cohere'>;
  readonly cohere: ProviderAccess;
  readonly openai: ProviderAccess;
  readonly anthropic: ProviderAccess;
  readonly azureOpenai: ProviderAccess & { readonly apiVersion: string };
  readonly ollama: { readonly baseUrl: string };
  /** Null: not set; services then log at `info`, commands at `warn`. */
  readonly logLevel: LogLevel | null;
  readonly lexicalTimeoutMs: number;
  readonly vectorTimeoutMs: number;
  /** Entries as `parseAllowedHost` of ingest reads them. */
  readonly fetchHosts: readonly string[];
  readonly largeAudiencePeople: number;
  readonly traceDays: number;
  readonly onModelFailure: 'extractive' | 'refuse';
  readonly indexWorkers: number;
  /** Similarity below which neighbouring sentences are parted; null: chunks are windows alone. */
  readonly cutBelowSimilarity: number | null;
  readonly embedThreads: number;
  /** Who may use the commands of admins in chats. */
  readonly admins: readonly Principal[];
  /** Where people reach the service; null: links lead to the documents' own addresses. */
  readonly publicUrl: string | null;
  readonly slack: SlackConfig;
  /** The values that must not be shown or logged. */
  readonly secrets: readonly string[];
}

/** One thing that is wrong with the configuration. */
export interface ConfigFault {
  readonly variable: string;
  /** As it is shown: never a secret; null when it is not set or is no variable of ours. */
  readonly given: string | null;
  /** A sentence: what is wrong and what to do. */
  readonly message: string;
}

/** The configuration cannot be used. `faults` has every one of them; the message lists them, one a line. */
export class ConfigError extends VerbatimError {
  readonly faults: readonly ConfigFault[];
  constructor(faults: readonly ConfigFault[]) {
    const count = faults.length === 1 ? 'a fault' : `${faults.length} faults`;
    super('config', [`the configuration has ${count}:`, ...faults.map((fault) => `- ${fault.message}`)].join('\n'));
    this.faults = faults;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

type Schemas = { [Name in VariableName]: (typeof VARIABLES)[Name]['schema'] };

const SCHEMA = z.object(
  Object.fromEntries(Object.entries(VARIABLES).map(([name, { schema }]) => [name, schema])) as unknown as Schemas,
);

const names = Object.keys(VARIABLES) as VariableName[];

/**
 * Reads the settings from environment variables. A variable that is empty or blank counts as not set, but for a blank secret of
 * tokens: its service would sign with another than whoever set it believes.
 * @throws ConfigError with every fault: forms, missing keys of the chosen providers, unknown `VERBATIM_` variables.
 */
export function readConfig(environment: Environment = process.env): Config {
  const given: Partial<Record<VariableName, string>> = {};
  for (const name of names) {
    const value = environment[name]?.trim();
    if (value) given[name] = value;
    else if (name.startsWith('VERBATIM_TOKEN_SECRET') && environment[name]) given[name] = environment[name];
  }
  const secrets = secretsOf(given);
  const parsed = SCHEMA.safeParse(given);
  const misshapen = parsed.success ? [] : parsed.error.issues.map((issue) => issue.path[0] as VariableName);
  const faults = [
    ...[...new Set(misshapen)].map((name) => formFault(name, given[name] ?? '', secrets)),
    ...missingFaults(given, misshapen),
    ...unknownFaults(environment),
  ];
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);
  return toConfig(parsed.data, secrets);
}

/** A row of the table in the README. */
export interface VariableRow {
  readonly name: VariableName;
  readonly meaning: string;
  /** What holds when it is not set; empty when nothing does. */
  readonly default: string;
  readonly example: string;
}

/** All variables in the order of the README, for its table and for `--help`. */
export function describeConfig(): VariableRow[] {
  return names.map((name) => {
    const { meaning, default: fallback, example } = VARIABLES[name];
    return { name, meaning, default: fallback ?? '', example };
  });
}

function toConfig(values: z.infer<typeof SCHEMA>, secrets: readonly string[]): Config {
  return {
    databaseUrl: values.DATABASE_URL,
    dataDir: values.VERBATIM_DATA_DIR,
    tenantId: values.VERBATIM_TENANT,
    host: values.VERBATIM_HOST,
    port: values.VERBATIM_PORT,
    trustedProxies: values.VERBATIM_TRUSTED_PROXIES,
    tokenSecret: values.VERBATIM_TOKEN_SECRET,
    previousTokenSecret: values.VERBATIM_TOKEN_SECRET_PREVIOUS,
    editors: values.VERBATIM_EDITORS,
    ratePerMinute: values.VERBATIM_RATE_PER_MINUTE,
    drainSeconds: values.VERBATIM_DRAIN_SECONDS,
    model: values.VERBATIM_MODEL,
    prices: values.VERBATIM_PRICES,
    embedder: values.VERBATIM_EMBEDDER,
    reranker: values.VERBATIM_RERANKER ?? defaultReranker(values.COHERE_API_KEY),
    cohere: { apiKey: values.COHERE_API_KEY, baseUrl: values.COHERE_BASE_URL },
    openai: { apiKey: values.OPENAI_API_KEY, baseUrl: values.OPENAI_BASE_URL },
    anthropic: { apiKey: values.ANTHROPIC_API_KEY, baseUrl: values.ANTHROPIC_BASE_URL },
    azureOpenai: {
      apiKey: values.AZURE_OPENAI_API_KEY,
      baseUrl: values.AZURE_OPENAI_ENDPOINT,
      apiVersion: values.AZURE_OPENAI_API_VERSION,
    },
    ollama: { baseUrl: values.OLLAMA_BASE_URL },
    logLevel: values.VERBATIM_LOG_LEVEL,
    lexicalTimeoutMs: values.VERBATIM_LEXICAL_TIMEOUT_MS,
    vectorTimeoutMs: values.VERBATIM_VECTOR_TIMEOUT_MS,
    fetchHosts: values.VERBATIM_FETCH_HOSTS,
    largeAudiencePeople: values.VERBATIM_LARGE_AUDIENCE,
    traceDays: values.VERBATIM_TRACE_DAYS,
    onModelFailure: values.VERBATIM_ON_MODEL_FAILURE,
    indexWorkers: values.VERBATIM_INDEX_WORKERS,
    cutBelowSimilarity: values.VERBATIM_CHUNKER === 'semantic' ? values.VERBATIM_CHUNK_SIMILARITY : null,
    embedThreads: values.VERBATIM_EMBED_THREADS,
    admins: values.VERBATIM_ADMINS,
    publicUrl: values.VERBATIM_PUBLIC_URL,
    slack: {
      botToken: values.SLACK_BOT_TOKEN,
      signingSecret: values.SLACK_SIGNING_SECRET,
      appToken: values.SLACK_APP_TOKEN,
      clientId: values.SLACK_CLIENT_ID,
      clientSecret: values.SLACK_CLIENT_SECRET,
      apiUrl: values.SLACK_API_URL,
      workspaces: values.VERBATIM_SLACK_WORKSPACES,
      followUps: values.VERBATIM_SLACK_FOLLOW_UPS === 'yes',
      encryptionKey: values.VERBATIM_ENCRYPTION_KEY,
    },
    secrets,
  };
}

// Whoever has a key of Cohere has its reranker too, which does most for an order among all that Cohere offers.
function defaultReranker(cohereKey: string | null): Config['reranker'] {
  return cohereKey === null ? { provider: 'builtin', model: null } : { provider: 'cohere', model: 'rerank-v3.5' };
}

function formFault(name: VariableName, value: string, secrets: readonly string[]): ConfigFault {
  const { form, example } = VARIABLES[name];
  // A key pasted into the wrong variable is a secret still; so is what follows the 80 characters that tell a typing error.
  const shown = isSecret(name)
    ? `a value of ${value.length} characters`
    : `"${maskSecrets(hideCredentials(name, value), secrets).slice(0, 80)}"`;
  return { variable: name, given: shown, message: `${name} is ${shown}; expected ${form}, such as ${name}=${example}` };
}

// Whatever stands before the last @ of an address, since what is refused need not be a URL.
function hideCredentials(name: VariableName, value: string): string {
  return /_(?:URL|ENDPOINT)$/.test(name) ? value.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/i, '$1***@') : value;
}

function missingFaults(
  given: Partial<Record<VariableName, string>>,
  misshapen: readonly VariableName[],
): ConfigFault[] {
  const choices = (['VERBATIM_MODEL', 'VERBATIM_EMBEDDER', 'VERBATIM_RERANKER'] as const).filter(
    (choice) => !misshapen.includes(choice),
  );
  const neededBy = new Map<KeyVariable | 'AZURE_OPENAI_ENDPOINT', string[]>();
  for (const choice of choices) {
    const key = keyVariableOf(given[choice] ?? '');
    const needed = key === 'AZURE_OPENAI_API_KEY' ? [key, 'AZURE_OPENAI_ENDPOINT' as const] : key ? [key] : [];
    for (const name of needed) neededBy.set(name, [...(neededBy.get(name) ?? []), choice]);
  }
  return [...neededBy]
    .filter(([name]) => !given[name])
    .map(([name, by]) => {
      const reason = by
        .map((choice) => `${choice}=${(given[choice as VariableName] ?? '').split(':')[0]}:…`)
        .join(' and ');
      const { form, example } = VARIABLES[name];
      const message = `${name} is not set, and ${reason} needs it; expected ${form}, such as ${name}=${example}`;
      return { variable: name, given: null, message };
    });
}

function unknownFaults(environment: Environment): ConfigFault[] {
  const known: readonly string[] = names;
  return Object.keys(environment)
    .filter((name) => /^VERBATIM_/i.test(name) && !known.includes(name))
    .sort()
    .map((name) => {
      const [nearest] = known
        .map((candidate) => ({ candidate, distance: editDistance(name.toUpperCase(), candidate) }))
        .sort((a, b) => a.distance - b.distance);
      // A third of the letters that follow the prefix: beyond that the suggestion is a guess.
      const near = nearest && nearest.distance <= Math.max(2, (name.length - 'VERBATIM_'.length) / 3);
      const advice = near ? `did you mean ${nearest.candidate}?` : 'remove it; the README lists the variables';
      return { variable: name, given: null, message: `${name} is not a variable of Verbatim; ${advice}` };
    });
}

function secretsOf(given: Partial<Record<VariableName, string>>): string[] {
  const values = names.filter((name) => isSecret(name)).flatMap((name) => given[name] ?? []);
  // The password of the database alone, too: drivers name it apart from its URL.
  const passwords = values.map((value) => (URL.canParse(value) ? new URL(value).password : ''));
  return [...values, ...passwords.flatMap((password) => [password, decodePercent(password)])].filter(
    (value, index, all) => value !== '' && all.indexOf(value) === index,
  );
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function isSecret(name: VariableName): boolean {
  return (VARIABLES[name] as { readonly secret?: boolean }).secret === true;
}

// Levenshtein distance, one row at a time.
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(substituted, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}
