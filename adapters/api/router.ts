// The routes of the OpenAPI document: who calls, whether they may, whether it is valid, and then the handler.
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { networkOf } from '../network-of.ts';
import type { Person } from '../ports.ts';
import { createAnswerHandlers } from './answer-handlers.ts';
import type { Call, Handler, Reply } from './call.ts';
import type { ApiDependencies } from './dependencies.ts';
import { createDocumentHandlers } from './document-handlers.ts';
import { type EventStream, openEventStream } from './event-stream.ts';
import { createFeedbackHandler } from './feedback-handler.ts';
import { runOnce } from './once.ts';
import { API_PATHS, METHODS, type Operation, type OperationId } from './openapi.ts';
import { ProblemError, sendProblem, statusOf } from './problem.ts';
import { createRateLimits, type RateLimits } from './rate-limits.ts';
import { createBodyReader, run, type SentBody } from './read-body.ts';
import { createSignIn } from './sign-in.ts';
import { internalProblem, toProblem } from './to-problem.ts';
import { type CallValidator, createValidatorCompiler } from './validate-call.ts';

/** One call on its way through the router. */
interface Exchange {
  readonly deps: ApiDependencies;
  readonly limits: RateLimits;
  readonly operation: Operation;
  readonly validator: CallValidator;
  readonly readBody: ReturnType<typeof createBodyReader>;
  readonly request: Request;
  readonly response: Response;
}

const KIBIBYTE = 2 ** 10;
// A text of the most characters may take six bytes for each as JSON.
const MAX_DOCUMENT_JSON_BYTES = 12_000 * KIBIBYTE;
const MAX_JSON_BYTES = 128 * KIBIBYTE;

/** The API below `/v1`. `response.locals.requestId` has been set by whoever mounts it. */
export function createApiRouter(deps: ApiDependencies): Router {
  // Only the addresses of the document: none with a slash at its end, or in capitals.
  const router = express.Router({ strict: true, caseSensitive: true });
  const limits = createRateLimits(deps.ratePerMinute);
  const handlers = createHandlers(deps);
  const compile = createValidatorCompiler();
  for (const [path, operations] of Object.entries(API_PATHS)) {
    const route = path.replace(/\{(\w+)\}/g, ':$1');
    for (const method of METHODS) {
      const operation = operations[method];
      if (operation) router[method](route, serve(deps, limits, operation, { handlers, validator: compile(operation) }));
    }
    router.all(route, () => {
      const allow = Object.keys(operations).map((method) => method.toUpperCase());
      throw new ProblemError('method_not_allowed', `this address takes ${allow.join(' and ')}`, {
        headers: { allow: allow.join(', ') },
      });
    });
  }
  return router;
}

type Handlers = Readonly<Record<Exclude<OperationId, 'createToken'>, Handler>>;

function createHandlers(deps: ApiDependencies): Handlers {
  return {
    ...createDocumentHandlers(deps),
    ...createAnswerHandlers(deps),
    createFeedback: createFeedbackHandler(deps),
  };
}

function serve(
  deps: ApiDependencies,
  limits: RateLimits,
  operation: Operation,
  { handlers, validator }: { readonly handlers: Handlers; readonly validator: CallValidator },
): RequestHandler {
  const large = operation.operationId === 'createDocument';
  const readBody = createBodyReader(
    Object.keys(operation.requestBody?.content ?? {}),
    large ? MAX_DOCUMENT_JSON_BYTES : MAX_JSON_BYTES,
  );
  const signIn = createSignIn(deps);
  return async (request, response) => {
    const exchange: Exchange = { deps, limits, operation, validator, readBody, request, response };
    response.set('cache-control', 'no-store');
    if (operation.operationId === 'createToken') await serveSignIn(exchange, signIn);
    else await servePerson(exchange, handlers[operation.operationId]);
  };
}

async function serveSignIn(exchange: Exchange, signIn: ReturnType<typeof createSignIn>): Promise<void> {
  const { request, response } = exchange;
  const { body } = await readValid(exchange);
  send(response, await signIn(body, { network: networkOf(request), requestId: requestIdOf(response) }));
}

async function servePerson(exchange: Exchange, handler: Handler): Promise<void> {
  const { deps, request, response, limits, operation } = exchange;
  const person = await findPerson(deps, request);
  if (!person) {
    await run(limits.refused, request, response);
    throw new ProblemError(
      'unauthorized',
      'send a valid token as "Authorization: Bearer …"; POST /v1/auth/token gives one',
      { headers: { 'www-authenticate': 'Bearer' } },
    );
  }
  response.locals.person = person;
  await run(limits.person, request, response);
  let target = request.path;
  let stream: EventStream | undefined;
  try {
    if (handler.allows && !(await handler.allows(person))) {
      throw new ProblemError('forbidden', `${operation.summary}: not for your role`);
    }
    const call = await readCall(exchange, person, (stage) => stream?.stage(stage));
    stream = wantsEvents(exchange) ? openEventStream(response, requestIdOf(response)) : undefined;
    const key = request.get('idempotency-key');
    const reply = await runOnce(deps.idempotency, handler, call, { operationId: operation.operationId, key });
    target = reply.reference || target;
    await audit(exchange, person, target, reply.status);
    if (stream) stream.answer(reply.body ?? {});
    else send(response, reply);
  } catch (error) {
    const problem = toProblem(error) ?? internalProblem();
    // Whoever has left is told nothing, and misses nothing.
    if (statusOf(problem.kind) >= 500 && !response.destroyed)
      deps.logger.error({ operation: operation.operationId, err: error }, 'a call failed');
    await audit(exchange, person, target, statusOf(problem.kind));
    if (stream) stream.problem(problem);
    else sendProblem(response, problem, requestIdOf(response));
  }
}

async function findPerson({ sessions }: ApiDependencies, request: Request): Promise<Person | null> {
  const [, token] = /^Bearer ([\w-]+\.[\w-]+\.[\w-]*)$/i.exec(request.get('authorization') ?? '') ?? [];
  return token === undefined ? null : sessions.read(token);
}

async function readCall(exchange: Exchange, person: Person, onStage: Call['onStage']): Promise<Call> {
  const { request, operation, validator } = exchange;
  const path = validator.path(request.params);
  const query = validator.query(request.query);
  validator.headers(request.headers);
  const sent = operation.requestBody ? await readValid(exchange) : { body: undefined, file: null };
  return { person, path, query, body: sent.body, file: sent.file, onStage, signal: leaving(exchange.response) };
}

function leaving(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  return controller.signal;
}

async function readValid({ request, response, validator, readBody }: Exchange): Promise<SentBody> {
  const sent = await readBody(request, response);
  validator.body(sent.mediaType, sent.body);
  return sent;
}

function wantsEvents({ operation, request }: Exchange): boolean {
  if (operation.operationId !== 'createAnswer') return false;
  return request.accepts(['application/json', 'text/event-stream']) === 'text/event-stream';
}

// No call without its entry, and no reply before it is there.
async function audit({ deps, operation, response }: Exchange, person: Person, target: string, status: number) {
  await deps.audit({
    tenantId: person.tenantId,
    actor: person.email,
    action: `api.${operation.operationId}`,
    target,
    details: { status, requestId: requestIdOf(response) },
  });
}

function send(response: Response, { status, body, headers = {} }: Reply): void {
  response.status(status).set(headers);
  if (body === undefined) response.end();
  else response.json(body);
}

function requestIdOf({ locals }: Response): string {
  return String((locals as { requestId?: string }).requestId ?? '');
}
