import { randomUUID } from 'node:crypto';
import type { Router } from 'express';
import { createWebRouter } from '../adapters/web/create-web-router.ts';
import { createAuditCall } from './audit.ts';
import { demoQuestions } from './demo/load-demo.ts';
import { createRoster } from './demo/roster.ts';
import { createInsights } from './operations/insights.ts';
import { createQuoteCheck } from './operations/quote-states.ts';
import type { ServiceParts } from './service/start-service.ts';

/** The chat page, the document view and the operations pages of a tenant; to be mounted at `/` behind everything else. */
export function createWebPages(parts: ServiceParts, { tenantId }: { readonly tenantId: string }): Router {
  const { product, people, answers, feedback, documents, sessions, ask } = parts;
  return createWebRouter({
    ...{ tenantId, people, answers, feedback, documents, sessions, ask },
    asksPerMinute: product.config.ratePerMinute,
    insights: createInsights(product),
    roster: createRoster(product),
    checkQuotes: createQuoteCheck(product),
    audit: createAuditCall(product),
    suggestions: async (_tenantId, email) => (sessions.demo ? await questionsOf(email) : []),
    indexVersion: (tenantId) =>
      product.database.transaction(async (query) => {
        const sql = 'select index_version as version from tenants where tenant_id = $1';
        return (await query<{ version: number }>(sql, [tenantId]))[0]?.version ?? 0;
      }),
    publicUrl: product.config.publicUrl,
    clock: Date.now,
    newId: randomUUID,
    logger: product.logger,
  });
}

// What this person of the demo company asks alone.
async function questionsOf(email: string): Promise<string[]> {
  const questions = await demoQuestions();
  return questions.filter((each) => each.as === email && each.with.length === 0).map(({ text }) => text);
}
