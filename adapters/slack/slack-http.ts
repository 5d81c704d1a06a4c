// Slack's requests over HTTP: what the SDK's receiver lets pass beyond a valid signature is refused here.
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type App,
  type BufferedIncomingMessage,
  defaultBodyLimit,
  HTTPModuleFunctions,
  HTTPReceiver,
  type HTTPReceiverOptions,
  isRawBodyError,
  type ReceiverEvent,
  type Logger as SlackLogger,
} from '@slack/bolt';
import type { Clock } from '../../retrieval/ports.ts';
import { ReplayedRequestError } from './slack-intake.ts';
import { EVENTS_PATH } from './slack-paths.ts';

export interface HttpOptions {
  readonly signingSecret: string;
  readonly intake: (event: ReceiverEvent) => Promise<void>;
  readonly oauth: Partial<HTTPReceiverOptions>;
  readonly logger: SlackLogger;
  readonly clock: Clock;
  /** While the service drains: Slack sends it again, to another instance. */
  readonly isStopping: () => boolean;
}

/** Handles a request whose body nobody has read yet. */
export type HttpHandler = (request: IncomingMessage & { originalUrl?: string }, response: ServerResponse) => void;

const MAX_AGE_SECONDS = 300; // docs.slack.dev: verifying requests from Slack
const MAX_AHEAD_SECONDS = 60; // for clocks that differ; the SDK accepts the future without a limit

/** Makes the handler of all paths of Slack. */
export function createHttpHandler({
  signingSecret,
  intake,
  oauth,
  logger,
  clock,
  isStopping,
}: HttpOptions): HttpHandler {
  const receiver = new HTTPReceiver({
    ...oauth,
    signingSecret,
    endpoints: [EVENTS_PATH],
    logger,
    customPropertiesExtractor: ({ headers }) => ({ signature: headers['x-slack-signature'] }),
    dispatchErrorHandler: async ({ response }) => end(response, 404),
    processEventErrorHandler: async ({ error, response }) => {
      end(response, error instanceof ReplayedRequestError ? 401 : 500);
      return false;
    },
  });
  // The receiver only ever calls `processEvent` of what it is given.
  receiver.init({ processEvent: intake } as unknown as App);
  return (request, response) => {
    // A router that the handler is mounted in cuts its own path off.
    request.url = request.originalUrl ?? request.url ?? '/';
    const listen = () => {
      try {
        receiver.requestListener(request, response);
      } catch {
        end(response, 404);
      }
    };
    if (request.method !== 'POST') return listen();
    if (!isTimely(request, clock())) return end(response, 401);
    if (isStopping()) return end(response, 503);
    void refusal(request, signingSecret).then((status) => (status === null ? listen() : end(response, status)));
  };
}

// The SDK takes a body that is no object apart outside of everything that catches: a signed `null` would end the process. So
// it is read and verified here first, by the SDK's own functions; the receiver then takes what was read from the request.
async function refusal(request: IncomingMessage, signingSecret: string): Promise<number | null> {
  const options = { signingSecret, bodyLimit: defaultBodyLimit };
  const read = async () => HTTPModuleFunctions.parseAndVerifyHTTPRequest(options, request);
  try {
    const buffered = await read();
    return isObject(buffered) ? null : 400;
  } catch (error) {
    return isRawBodyError(error) && error.statusCode === 413 ? 413 : 401;
  }
}

function isObject(buffered: BufferedIncomingMessage): boolean {
  try {
    const body: unknown = HTTPModuleFunctions.parseHTTPRequestBody(buffered);
    return typeof body === 'object' && body !== null && !Array.isArray(body);
  } catch {
    return false;
  }
}

// A signature in another spelling would pass the SDK's comparison and look like a new request.
const SIGNATURE = /^v0=[0-9a-f]{64}$/;

function isTimely({ headers }: IncomingMessage, nowMs: number): boolean {
  const timestamp = headers['x-slack-request-timestamp'];
  const signature = headers['x-slack-signature'];
  if (typeof timestamp !== 'string' || !/^\d{1,12}$/.test(timestamp)) return false;
  if (typeof signature !== 'string' || !SIGNATURE.test(signature)) return false;
  const ageSeconds = nowMs / 1_000 - Number(timestamp);
  return ageSeconds <= MAX_AGE_SECONDS && ageSeconds >= -MAX_AHEAD_SECONDS;
}

function end(response: ServerResponse, status: number): void {
  if (!response.headersSent) response.writeHead(status);
  response.end();
}
