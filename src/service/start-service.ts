// Composes the service over an open product, and lets it end without losing a question.
import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Router } from 'express';
import { createApiRouter } from '../../adapters/api/router.ts';
import type { Sessions } from '../../adapters/ports.ts';
import { createAuditCall } from '../audit.ts';
import { createOperations, type Operations } from '../operations/create-operations.ts';
import { createIdempotencyStore } from '../operations/idempotency.ts';
import { createMayIngest } from '../operations/may-ingest.ts';
import { createQuoteCheck } from '../operations/quote-states.ts';
import { createReadTrace } from '../operations/traces.ts';
import type { Product } from '../product.ts';
import { type Admission, type AskInTurn, createAdmission } from './admission.ts';
import { createService, type PlatformEndpoint } from './create-service.ts';
import { createDemoMode } from './demo-mode.ts';
import { createHostCheck } from './host-check.ts';
import { listen } from './listen.ts';
import { createMetrics } from './metrics.ts';
import { createPasswords } from './passwords.ts';
import { createReadiness } from './readiness.ts';
import { createSessions } from './sessions.ts';
import { createSignInLimits } from './sign-in-limits.ts';
import { tokenSecrets } from './token-secret.ts';

/** What pages and chat platforms are made of. */
export interface ServiceParts extends Operations {
  readonly product: Product;
  readonly sessions: Sessions;
  /** Answers a question in turn, and counts it. */
  readonly ask: AskInTurn;
}

/** What is mounted besides the API. */
export interface Mounted {
  readonly webRouter?: Router;
  readonly platforms?: readonly PlatformEndpoint[];
  /** How the platforms' connections are: `connected`, or what is wrong. */
  readonly connections?: () => Readonly<Record<string, string>>;
  /** Ends what the platforms have begun, before the service stops listening. */
  readonly stop?: () => Promise<void>;
}

export interface ServiceOptions {
  readonly tenantId: string;
  readonly mount?: (parts: ServiceParts) => Mounted | Promise<Mounted>;
  /** What else must be `ok` before questions are sent here. */
  readonly checks?: () => Readonly<Record<string, string>>;
}

/** The running service. */
export interface Service {
  readonly url: string;
  readonly parts: ServiceParts;
  /** Takes no new requests, lets running ones end within the configured time, then gives jobs back. Idempotent. */
  drain(): Promise<void>;
}

/** Starts the service. @throws NoTokenSecretError, CannotListenError */
export async function startService(product: Product, options: ServiceOptions): Promise<Service> {
  const { tenantId, mount, checks = () => ({}) } = options;
  const { config, database, logger } = product;
  const secrets = await tokenSecrets(config);
  const demo = createDemoMode(database, { tenantId, host: config.host, databaseUrl: config.databaseUrl });
  await demo.refresh();
  const admission = createAdmission(questionsAtOnce(product));
  const metrics = createMetrics({ ...product, admission });
  const parts: ServiceParts = {
    product,
    ...createOperations(product),
    sessions: createSessions({
      database,
      passwords: createPasswords(product),
      limits: createSignInLimits(product),
      secrets,
      clock: Date.now,
      demo: demo.isOn,
    }),
    ask: metrics.counted(admission.inTurn(product.answerQuestion)),
  };
  const mounted: Mounted = (await mount?.(parts)) ?? {};
  let draining = false;
  const app = createService({
    apiRouter: apiRouterOf(parts, tenantId),
    webRouter: mounted.webRouter ?? null,
    platforms: mounted.platforms ?? [],
    metrics,
    readiness: createReadiness(product),
    checks,
    connections: mounted.connections ?? (() => ({})),
    isOurHost: createHostCheck(config),
    draining: () => draining,
    trustedProxies: config.trustedProxies,
    logger,
  });
  const listening = await listen(app, config).catch(async (error: unknown) => {
    demo.stop();
    await mounted.stop?.();
    throw error;
  });
  let drained: Promise<void> | undefined;
  const drain = async () => {
    draining = true;
    demo.stop();
    const drainMs = config.drainSeconds * 1000;
    const deadline = performance.now() + drainMs + REPLY_MS;
    const timeLeft = () => Math.max(0, deadline - performance.now());
    const endCutting = cutQuestionsOff(product, admission, drainMs);
    // What a platform has begun is given back by its inbox when it does not end in time.
    await Promise.race([mounted.stop?.(), sleep(timeLeft(), undefined, { ref: false })]);
    const cutOff = await listening.stop(timeLeft());
    // Also those whose asker has left: their transactions need the database.
    await admission.end(timeLeft());
    endCutting();
    if (cutOff > 0) logger.warn({ requests: cutOff }, 'requests were cut off at the deadline');
    await product.stopWorkers(Math.min(timeLeft(), JOB_GRACE_MS));
  };
  return {
    url: listening.url,
    parts,
    drain: () => {
      drained ??= drain();
      return drained;
    },
  };
}

/** How long it takes to say that the service ends, on a busy machine, to those whose time is over. */
const REPLY_MS = 500;

/** How long the built-in answerer takes on a busy machine; it may have half of the time at the most. */
const FALLBACK_MS = 2_000;

// Shortly before the time is over, whoever waits for a model gets what can be said without it; at its end, everybody is told.
function cutQuestionsOff(
  { config, logger, endModelCalls }: Product,
  admission: Admission,
  drainMs: number,
): () => void {
  const fallbackMs = config.onModelFailure === 'extractive' ? Math.min(FALLBACK_MS, drainMs / 2) : 0;
  const timers = [
    setTimeout(endModelCalls, drainMs - fallbackMs),
    setTimeout(() => {
      const questions = admission.cutOff();
      if (questions > 0) logger.warn({ questions }, 'questions were cut off at the deadline');
    }, drainMs),
  ];
  return () => {
    for (const timer of timers) clearTimeout(timer);
  };
}

// Sentences are weighed in this process, one core's work; a language model is waited for.
function questionsAtOnce({ config }: Product): number {
  return config.model.provider === 'extractive' ? Math.max(2, availableParallelism()) : HOSTED_MODEL_AT_ONCE;
}

const HOSTED_MODEL_AT_ONCE = 32;

/** A job that takes longer is given back and begun anew by whoever runs next: nobody waits for it, as for an answer. */
const JOB_GRACE_MS = 3_000;

function apiRouterOf({ product, sessions, ask, ...operations }: ServiceParts, tenantId: string): Router {
  const { config, database, logger } = product;
  return createApiRouter({
    ...operations,
    tenantId,
    ask,
    sessions,
    checkQuotes: createQuoteCheck(product),
    readTrace: createReadTrace(product),
    mayIngest: createMayIngest({ database, editors: config.editors }),
    idempotency: createIdempotencyStore(product),
    audit: createAuditCall(product),
    ratePerMinute: config.ratePerMinute,
    newId: randomUUID,
    logger,
  });
}
