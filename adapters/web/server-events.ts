import type { Response } from 'express';
import type { Logger } from '../../retrieval/ports.ts';
import { messageFor } from './error-page.ts';
import { setPageHeaders } from './send-page.ts';

/** A stream of server-sent events. */
export interface ServerEvents {
  send(event: string, data: object): void;
  /** Tells the person that it went wrong, and the log why. */
  fail(error: unknown, logger: Logger): void;
  close(): void;
}

const HEARTBEAT_MS = 10_000; // proxies end a silent connection after 30 s at the earliest

/** Turns a response into a stream of events. */
export function openEvents(response: Response): ServerEvents {
  setPageHeaders(response);
  response.status(200).set({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
  response.flushHeaders();
  const heartbeat = setInterval(() => response.write(': waiting\n\n'), HEARTBEAT_MS);
  const send: ServerEvents['send'] = (event, data) => {
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  return {
    send,
    fail(error, logger) {
      const { status, message } = messageFor(error);
      if (status >= 500) logger.error({ err: error }, 'a question on the chat page failed');
      send('failure', { text: message });
    },
    close() {
      clearInterval(heartbeat);
      response.end();
    },
  };
}
