// What the service carries besides its API: the pages and the chat platforms.
import { randomUUID } from 'node:crypto';
import { createWebRouter } from '../../adapters/web/create-web-router.ts';
import { demoQuestions } from '../demo/load-demo.ts';
import { createRoster } from '../demo/roster.ts';
import { createInsights } from '../operations/insights.ts';
import { createQuoteCheck } from '../operations/quote-states.ts';
import { mountSlack } from '../slack/mount-slack.ts';
import type { Mounted, ServiceParts } from './start-service.ts';

/** Makes the pages for the people of a tenant, and connects the chat platforms that are configured. */
export async function mountAdapters(parts: ServiceParts, tenantId: string): Promise<Mounted> {
  const { product, ask, sessions, people, answers, feedback, documents } = parts;
  const questions = await demoQuestions();
  const webRouter = createWebRouter({
    tenantId,
    ask,
    people,
    answers,
    feedback,
    documents,
    sessions,
    insights: createInsights(product),
    roster: createRoster(product),
    checkQuotes: createQuoteCheck(product),
    // Of the invented company it is known what can be asked.
    suggestions: async (_tenantId, email) =>
      sessions.demo ? questions.filter(({ as }) => as === email).map(({ text }) => text) : [],
    clock: Date.now,
    newId: randomUUID,
    logger: product.logger,
    asksPerMinute: product.config.ratePerMinute,
  });
  const slack = await mountSlack(parts);
  return slack ? { webRouter, platforms: slack.endpoints, stop: slack.stop } : { webRouter };
}
