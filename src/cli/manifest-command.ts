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
  if (address !== null && !isHttps(address)) {
    throw new UsageError(`"${address}" is not an address that Slack calls; write it like https://verbatim.example.com`);
  }
  streams.stdout.write(`${JSON.stringify(slackManifest({ url: address ?? '', socketMode }), null, 2)}\n`);
}

function isHttps(address: string): boolean {
  return URL.canParse(address) && new URL(address).protocol === 'https:';
}
