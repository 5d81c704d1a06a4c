// One Express server: the API, the pages, the chat platforms' events, and what operators look at.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Router } from 'express';
import helmet from 'helmet';
import { OPENAPI_DOCUMENT } from '../../adapters/api/openapi.ts';
import { ProblemError, sendProblem, statusOf } from '../../adapters/api/problem.ts';
import { internalProblem, toProblem } from '../../adapters/api/to-problem.ts';
import { RETRY_AFTER } from '../../adapters/unavailable.ts';
import { sendErrorPage } from '../../adapters/web/error-page.ts';
import { type Logger, withRequestId } from '../logger.ts';
import type { Metrics } from './metrics.ts';
import type { Checks } from './readiness.ts';

/** Where a chat platform sends its events. The handler gets the body as it came, since its signature is over the bytes. */
export interface PlatformEndpoint {
  /** Such as `/slack/events`. */
  readonly path: string;
  readonly handler: (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;
}

export interface ServiceOptions {
  readonly apiRouter: Router;
  readonly webRouter: Router | null;
  readonly platforms: readonly PlatformEndpoint[];
  readonly metrics: Metrics;
  readonly readiness: () => Promise<Checks>;
  /** What else must be `ok`. */
  readonly checks: () => Readonly<Record<string, string>>;
  /** Of the chat platforms: `connected`, or what is wrong. */
  readonly connections: () => Readonly<Record<string, string>>;
  /** Whether the `Host` header of a request names this service. */
  readonly isOurHost: (header: string | undefined) => boolean;
  /** The service ends: no request is begun any more. */
  readonly draining: () => boolean;
  /** Proxies whose word is taken, as Express's `trust proxy` has them. */
  readonly trustedProxies: readonly string[];
  readonly logger: Logger;
}

// What a proxy or a program may give as the id of a request; anything else could break a log line apart.
const REQUEST_ID = /^[A-Za-z0-9._-]{8,128}$/;

/** Makes the server's application. */
export function createService(options: ServiceOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.set('trust proxy', options.trustedProxies);
  app.use(identify, observe(options), securityHeaders(), refuseForeignHost(options));
  addOperatorRoutes(app, options);
  app.use(refuseWhileDraining(options));
  for (const { path, handler } of options.platforms) app.all(path, handler);
  app.use(options.apiRouter);
  if (options.webRouter) app.use(options.webRouter);
  app.use(() => {
    throw new ProblemError('not_found', 'there is nothing at this address; /openapi.json describes what there is');
  });
  app.use(answerError(options));
  return app;
}

const identify: RequestHandler = (request, response, next) => {
  const given = request.get('x-request-id') ?? '';
  const requestId = REQUEST_ID.test(given) ? given : randomUUID();
  response.locals.requestId = requestId;
  response.set('x-request-id', requestId);
  withRequestId(requestId, next);
};

function observe({ metrics, logger }: ServiceOptions): RequestHandler {
  return (request, response, next) => {
    const start = performance.now();
    response.once('close', () => {
      const durationMs = Math.round(performance.now() - start);
      const route = typeof request.route?.path === 'string' ? request.baseUrl + request.route.path : 'other';
      const { method } = request;
      const status = response.writableFinished ? response.statusCode : 499; // nginx's number for a client that left
      metrics.request(route, method, status, durationMs / 1000);
      logger.debug({ method, route, status, durationMs }, 'request');
    });
    next();
  };
}

// Pages bring their own scripts and styles as files of this server, and nothing else.
function securityHeaders(): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'"],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    referrerPolicy: { policy: 'no-referrer' },
    // Whether names of this host are reached by HTTPS only is for the proxy to say that speaks it.
    strictTransportSecurity: false,
  });
}

const FOREIGN_HOST =
  'Verbatim listens for this machine alone and goes by another name here: use the address that it printed when it started, ' +
  'or set VERBATIM_PUBLIC_URL to the address of the proxy before it';

// A platform's events carry its signature, and come through tunnels of any name.
function refuseForeignHost({ isOurHost, platforms }: ServiceOptions): RequestHandler {
  return (request, response, next) => {
    if (isOurHost(request.headers.host) || platforms.some(({ path }) => path === request.path)) return next();
    if (request.accepts(['json', 'html']) !== 'html') throw new ProblemError('misdirected', FOREIGN_HOST);
    sendErrorPage(response, { status: 421, message: `${FOREIGN_HOST}.`, requestId: '' });
  };
}

function addOperatorRoutes(
  app: Express,
  { readiness, checks: further, connections, metrics, draining }: ServiceOptions,
): void {
  const get = (path: string, handler: RequestHandler) =>
    app
      .route(path)
      .get((_request, response, next) => {
        response.set('cache-control', 'no-store');
        return handler(_request, response, next);
      })
      .all(() => {
        throw new ProblemError('method_not_allowed', 'this address takes GET', { headers: { allow: 'GET' } });
      });
  get('/health', (_request, response) => void response.json({ status: 'alive' }));
  get('/ready', async (_request, response) => {
    const checks = { ...(await readiness()), ...further(), ...(draining() ? { service: 'is ending' } : {}) };
    const ready = Object.values(checks).every((check) => check === 'ok');
    // A platform that cannot be reached is shown and no more: taking the pages and the API away as well would help nobody.
    const body = { status: ready ? 'ready' : 'not_ready', checks, connections: connections() };
    response.status(ready ? 200 : 503).json(body);
  });
  get('/metrics', async (_request, response) => {
    const text = await metrics.read();
    response.set('content-type', metrics.contentType).send(text);
  });
  get('/openapi.json', (_request, response) => void response.json(OPENAPI_DOCUMENT));
}

function refuseWhileDraining({ draining }: ServiceOptions): RequestHandler {
  return (_request, _response, next) => {
    if (!draining()) return next();
    const headers = { ...RETRY_AFTER, connection: 'close' };
    throw new ProblemError('unavailable', 'this instance of the service ends; ask again', { headers });
  };
}

function answerError({ logger }: ServiceOptions): ErrorRequestHandler {
  return (error, _request, response, _next) => {
    const problem = toProblem(error) ?? internalProblem();
    if (statusOf(problem.kind) === 500) logger.error({ err: error }, 'a request failed');
    sendProblem(response, problem, String(response.locals.requestId));
  };
}
