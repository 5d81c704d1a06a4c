import type { Response } from 'express';
import type { AnswerStage } from '../../retrieval/answer-question.ts';
import { type ProblemError, problemDocument } from './problem.ts';

/** An answer on its way as server-sent events. Text comes only when it is whole and its quotes are checked. */
export interface EventStream {
  stage(stage: AnswerStage): void;
  /** Ends the stream with the answer. */
  answer(body: object): void;
  /** Ends the stream with a problem document. */
  problem(error: ProblemError): void;
}

const HEARTBEAT_MS = 15_000; // proxies end a silent connection after 30 s at the earliest

/** Begins the stream: the status is 200 from here on. */
export function openEventStream(response: Response, requestId: string): EventStream {
  response.status(200).set({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  response.flushHeaders();
  const heartbeat = setInterval(() => response.write(': waiting\n\n'), HEARTBEAT_MS);
  response.once('close', () => clearInterval(heartbeat));
  const send = (event: string, data: object) => response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  const end = (event: string, data: object) => {
    send(event, data);
    response.end();
  };
  return {
    stage: (stage) => void send('stage', { stage }),
    answer: (body) => end('answer', body),
    problem: (error) => end('problem', problemDocument(error, requestId)),
  };
}
