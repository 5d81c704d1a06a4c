// JSON lines to stderr: standard output belongs to the answers and reports of the commands.
import { AsyncLocalStorage } from 'node:async_hooks';
import { type DestinationStream, type Logger, destination as openDestination, pino } from 'pino';

export type { Logger } from 'pino';

/** The levels that a log can have, most severe first. */
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const HIDDEN = '[hidden]';

// Deeper than any field of ours; an object below that is cut off rather than walked (a cycle would never end).
const MAX_DEPTH = 6;

// A field so named is hidden whatever it holds. `token` is matched as a whole word of a camelCase or snake_case name, since
// `inputTokens` and `maxTokens` are counts.
const SECRET_FIELD =
  /(^|_)(authorization|cookie|set_cookie|password|passwd|secret|credentials?|token|api_?key|private_?key|database_?url)$/;

// What a secret looks like inside a text: the shapes that the vendors document for their keys, and credentials in a URL.
const SECRET_SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\b(xox[a-z]-|xapp-|xoxe\.)[\w.-]{6,}/g, HIDDEN], // Slack
  [/\b(sk|pk|rk)-[\w-]{8,}/g, HIDDEN], // OpenAI, Anthropic
  [/\bAIza[\w-]{20,}/g, HIDDEN], // Google
  [/\b(ghp|gho|ghs|github_pat|ATATT)[\w-]{16,}={0,2}/g, HIDDEN], // GitHub, Atlassian
  [/\beyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*/g, HIDDEN], // JSON web tokens
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${HIDDEN}`],
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#@"']+@/gi, `$1${HIDDEN}@`],
];

const TEXT_FIELD = /"([\w-]+)":"(?:[^"\\]|\\.)+"/g;

/** `text` with everything that looks like a key, a token or credentials in a URL replaced by `[hidden]`. */
export function maskSecrets(text: string, secrets: readonly string[] = []): string {
  let masked = text;
  // Shorter values would hide ordinary words; the vendors' keys have 20 characters or more.
  for (const secret of secrets) if (secret.length >= 8) masked = masked.replaceAll(secret, HIDDEN);
  for (const [shape, replacement] of SECRET_SHAPES) masked = masked.replace(shape, replacement);
  return masked;
}

const requests = new AsyncLocalStorage<string>();

/** Runs `run` so that each line logged in it, however deep and however late, carries `requestId`. */
export function withRequestId<T>(requestId: string, run: () => T): T {
  return requests.run(requestId, run);
}

/** The id given to the surrounding `withRequestId`, else null. */
export function currentRequestId(): string | null {
  return requests.getStore() ?? null;
}

interface LoggerOptions {
  readonly level: LogLevel;
  /** Where the lines go; standard error when not given. */
  readonly destination?: DestinationStream;
  /** Values, such as the configured keys, that are hidden wherever they occur. */
  readonly secrets?: readonly string[];
}

/**
 * A pino logger: one JSON object a line with `level`, ISO `time`, `message`, the fields, and `requestId` inside
 * `withRequestId`. An error goes into the field `error`. Secrets are hidden by field name and by shape.
 */
export function createLogger({ level, destination, secrets = [] }: LoggerOptions): Logger {
  // As they are inside a JSON string.
  const escaped = secrets.map((secret) => JSON.stringify(secret).slice(1, -1));
  return pino(
    {
      level,
      base: null,
      messageKey: 'message',
      errorKey: 'error',
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: () => {
        const requestId = requests.getStore();
        return requestId === undefined ? {} : { requestId };
      },
      formatters: { level: (label) => ({ level: label }), log: (fields) => plainFields(fields) },
      hooks: {
        // Also over the finished line: the fields of a child logger and the message pass no formatter.
        streamWrite: (line) => maskSecrets(line.replace(TEXT_FIELD, maskTextField), escaped),
        // pino would print an error given alone with its message as the line's: messages are constant, so that lines group.
        logMethod(parameters, method) {
          const [first] = parameters as unknown[];
          if (first instanceof Error) method.call(this, { error: first }, (parameters[1] as string) ?? 'failed');
          else method.apply(this, parameters);
        },
      },
    },
    destination ?? openDestination({ fd: 2, sync: true }),
  );
}

function plainFields(fields: object, depth = 0): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    plain[name] = isSecretName(name) ? HIDDEN : plainValue(value, depth + 1);
  }
  return plain;
}

function plainValue(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return '[too deep]';
  if (value instanceof Error) return describeError(value, depth);
  if (value instanceof Date || value instanceof URL) return value;
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.map((item) => plainValue(item, depth + 1));
  return plainFields(value, depth);
}

// Only these properties: a database driver adds the failing row, an HTTP client the request with its headers and body, and
// either would put a document's text or a token into the log.
function describeError(error: Error, depth: number): object {
  const { code, status } = error as { code?: unknown; status?: unknown };
  return {
    name: error.name,
    ...(typeof code === 'string' && { code }),
    ...(typeof status === 'number' && { status }),
    message: error.message,
    stack: error.stack,
    ...(error.cause !== undefined && { cause: plainValue(error.cause, depth + 1) }),
  };
}

function maskTextField(field: string, name: string): string {
  return isSecretName(name) ? `"${name}":"${HIDDEN}"` : field;
}

function isSecretName(name: string): boolean {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replaceAll('-', '_');
  return SECRET_FIELD.test(words.toLowerCase());
}
