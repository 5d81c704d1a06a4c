// Socket Mode with a connection of our own keeping: the SDK's ends the process when Slack cannot be reached at a reconnect, and
// when a frame is not what it expects.
import { setTimeout as sleep } from 'node:timers/promises';
import { type App, type ReceiverEvent, type Logger as SlackLogger, SocketModeReceiver } from '@slack/bolt';
import type { Logger } from '../../retrieval/ports.ts';
import { clientOptions, isTokenRefusal, SlackUnreachableError, slackErrorCode } from './slack-client.ts';

export interface SocketModeOptions {
  readonly appToken: string;
  readonly apiUrl: string | null;
  readonly intake: (event: ReceiverEvent) => Promise<void>;
  /** The SDK's. */
  readonly logger: SlackLogger;
  readonly ours: Logger;
}

/** A connection that is kept until it is stopped. */
export interface SocketMode {
  /** Connects; where Slack cannot be reached now, it goes on trying. @throws SlackUnreachableError when the token is refused. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** `connected`, or since when and why not, in words. */
  state(): string;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000; // Slack resends what was not acknowledged for an hour
const CONNECT_TIMEOUT_MS = 30_000; // as long as the SDK waits for a ping

/** Makes it. Nothing is connected before `start`. */
export function createSocketMode(options: SocketModeOptions): SocketMode {
  const { ours } = options;
  const { client } = createReceiver(options);
  let stopping = false;
  let state: { readonly connected: true } | { readonly connected: false; readonly since: Date; readonly why: string } =
    {
      connected: false,
      since: new Date(),
      why: 'starting',
    };
  const lost = (why: string) => {
    state = { connected: false, since: state.connected ? new Date() : state.since, why };
  };
  const connect = async () => {
    const late = new AbortController();
    const timeout = sleep(CONNECT_TIMEOUT_MS, undefined, { signal: late.signal, ref: false }).then(() => {
      client.disconnect().catch(() => undefined);
      throw new Error('Slack did not greet in time');
    });
    // What is still to come of the loser of the race is of no interest.
    timeout.catch(() => undefined);
    try {
      await Promise.race([client.start(), timeout]);
    } finally {
      late.abort();
    }
    // The SDK goes on with what it began.
    if (stopping) await client.disconnect();
  };
  let connecting = false;
  const keepConnecting = async () => {
    for (let pauseMs = FIRST_PAUSE_MS; !stopping; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
      try {
        await connect();
        ours.info({}, 'Socket Mode is connected');
        return;
      } catch (error) {
        lost(slackErrorCode(error) ?? 'no_answer');
        ours.warn({ err: error, pauseMs }, 'Socket Mode could not connect; it is tried again');
      }
      await sleep(pauseMs, undefined, { ref: false });
    }
  };
  const reconnect = () => {
    if (connecting) return;
    connecting = true;
    void keepConnecting().finally(() => {
      connecting = false;
      // Lost again while the end of this was on its way.
      if (!state.connected && !stopping) reconnect();
    });
  };
  client.on('connected', () => {
    state = { connected: true };
  });
  client.on('disconnected', () => {
    if (stopping || !state.connected) return;
    lost('the connection ended');
    reconnect();
  });
  return {
    async start() {
      try {
        await connect();
      } catch (error) {
        const code = slackErrorCode(error);
        if (code !== null && isTokenRefusal(code))
          throw new SlackUnreachableError(code, { cause: error, token: 'app' });
        lost(code ?? 'no_answer');
        ours.warn({ err: error }, 'Socket Mode could not connect; it is tried again');
        reconnect();
      }
    },
    async stop() {
      stopping = true;
      await Promise.race([client.disconnect(), sleep(DISCONNECT_MS, undefined, { ref: false })]);
    },
    state: () => (state.connected ? 'connected' : `not connected since ${state.since.toISOString()}: ${state.why}`),
  };
}

const DISCONNECT_MS = 1_000; // the other side may be gone

function createReceiver({ appToken, apiUrl, intake, logger, ours }: SocketModeOptions): SocketModeReceiver {
  const receiver = new SocketModeReceiver({
    appToken,
    logger,
    autoReconnectEnabled: false,
    installerOptions: { clientOptions: clientOptions({ apiUrl, logger }) },
    // Not acknowledged: Slack sends it again.
    processEventErrorHandler: async ({ error }) => {
      ours.error({ err: error }, 'an event of Socket Mode could not be stored');
      return false;
    },
  });
  receiver.init({ processEvent: intake } as unknown as App);
  guardFrames(receiver, ours);
  return receiver;
}

// The SDK reads what it needs of a frame without a look at what it is, and nobody waits for what it throws.
function guardFrames({ client }: SocketModeReceiver, logger: Logger): void {
  const listeners = client.listeners('ws_message') as ((data: unknown, isBinary: boolean) => unknown)[];
  client.removeAllListeners('ws_message');
  client.on('ws_message', (data: unknown, isBinary: boolean) => {
    if (!isEnvelope(data)) return void logger.warn({}, 'a frame of Socket Mode that is no envelope was refused');
    for (const listener of listeners) {
      Promise.resolve(listener(data, isBinary)).catch((error: unknown) => {
        logger.error({ err: error }, 'a frame of Socket Mode could not be read');
      });
    }
  });
}

/** Whether a frame is what Slack sends: a greeting, a farewell, or an envelope with a payload that can be looked into. */
export function isEnvelope(data: unknown): boolean {
  if (typeof data !== 'string') return false;
  const frame = parse(data);
  if (!isRecord(frame) || typeof frame.type !== 'string') return false;
  if (frame.type === 'hello' || frame.type === 'disconnect') return true;
  if (typeof frame.envelope_id !== 'string' || !isRecord(frame.payload)) return false;
  const { event } = frame.payload;
  return frame.type !== 'events_api' || (isRecord(event) && typeof event.type === 'string');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
