import type { Command } from 'commander';
import { slackManifest } from '../../adapters/slack/slack-manifest.ts';
import { UsageError } from '../../retrieval/errors.ts';
import type { CliContext } from './run-cli.ts';

interface SlackOptions {
  readonly url?: string;
  readonly socketMode?: boolean;
}

/** `verbatim manifest` */
export function addManifestCommand(program: Command, context: CliContext): void {
  const manifest = program.command('manifest').description('print what a chat platform is told about the app');
  manifest
    .command('slack')
    .description('the manifest of the Slack app, to be pasted at api.slack.com/apps → Create New App → From a manifest')
    .option('--url <url>', 'public address of the service (default: VERBATIM_PUBLIC_URL)')
    .option('--socket-mode', 'events come through Socket Mode; nothing needs to be reachable from outside')
    .action((options: SlackOptions) => printSlack(context, options));
}

function printSlack({ streams, config }: CliContext, { url, socketMode = false }: SlackOptions): void {
  const address = url ?? config.publicUrl;
  if (address === null && !socketMode) {
    throw new UsageError(
      'give the public address of the service: --url https://verbatim.example.com, or --socket-mode',
    );
  }
  if (address !== null) checkAddress(address);
  streams.stdout.write(`${JSON.stringify(slackManifest({ url: address ?? '', socketMode }), null, 2)}\n`);
}

// Slack appends its paths to it.
function checkAddress(address: string): void {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol !== 'https:') {
    throw new UsageError(`"${address}" is not an address that Slack calls; write it like https://verbatim.example.com`);
  }
  const parts = [
    ...(/\?/.test(address) ? ['a query (from "?" on)'] : []),
    ...(/#/.test(address) ? ['a fragment (from "#" on)'] : []),
    ...(url.username || url.password ? ['a user (before "@")'] : []),
  ];
  if (parts.length > 0) {
    throw new UsageError(
      `the address of the service cannot have ${parts.join(' or ')}, because paths are appended to it; write it like ${url.origin}`,
    );
  }
}
