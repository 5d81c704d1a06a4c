// What the service carries besides its API: the pages and the chat platforms.
import type { MountedSlack } from '../slack/mount-slack.ts';
import { isSlackSet } from '../slack/slack-variables.ts';
import { createWebPages } from '../web.ts';
import type { Mounted, ServiceParts } from './start-service.ts';

/** Makes the pages for the people of a tenant, and connects the chat platforms that are configured. */
export async function mountAdapters(parts: ServiceParts, tenantId: string): Promise<Mounted> {
  const webRouter = createWebPages(parts, { tenantId });
  const slack = await slackOf(parts);
  if (slack === null) return { webRouter };
  const { endpoints: platforms, stop, connections } = slack;
  return { webRouter, platforms, stop, connections };
}

// Loading the SDK takes more than a second, which nobody waits for who has not set anything of Slack.
async function slackOf(parts: ServiceParts): Promise<MountedSlack | null> {
  if (!isSlackSet(parts.product.config.slack)) return null;
  await parts.product.startWorkers();
  return (await import('../slack/mount-slack.ts')).mountSlack(parts);
}
