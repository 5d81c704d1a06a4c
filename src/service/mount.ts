// What the service carries besides its API: the pages and the chat platforms.
import { mountSlack } from '../slack/mount-slack.ts';
import { createWebPages } from '../web.ts';
import type { Mounted, ServiceParts } from './start-service.ts';

/** Makes the pages for the people of a tenant, and connects the chat platforms that are configured. */
export async function mountAdapters(parts: ServiceParts, tenantId: string): Promise<Mounted> {
  const webRouter = createWebPages(parts, { tenantId });
  const slack = await mountSlack(parts);
  return slack ? { webRouter, platforms: slack.endpoints, stop: slack.stop } : { webRouter };
}
