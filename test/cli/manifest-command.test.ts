import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { addManifestCommand } from '../../src/cli/manifest-command.ts';
import type { CliContext } from '../../src/cli/run-cli.ts';

async function print(url: string): Promise<string> {
  const printed: string[] = [];
  const streams = { stdout: { write: (text: string) => void printed.push(text) } };
  const program = new Command();
  addManifestCommand(program, { streams, config: { publicUrl: null } } as unknown as CliContext);
  await program.parseAsync(['manifest', 'slack', '--url', url], { from: 'user' });
  return printed.join('');
}

describe('the manifest for an address', () => {
  test.each(['https://v.example', 'https://v.example/', 'https://v.example/verbatim'])('%s', async (url) => {
    expect(await print(url)).toContain(`"${url.replace(/\/$/, '')}/slack/events"`);
  });

  test.each([
    ['https://v.example/?a=1', /cannot have a query .*write it like https:\/\/v\.example$/],
    ['https://v.example?', /cannot have a query/],
    ['https://v.example/#top', /cannot have a fragment/],
    ['https://ann:secret@v.example', /cannot have a user/],
    ['http://v.example', /not an address that Slack calls/],
    ['v.example', /not an address that Slack calls/],
  ])('%s is refused', async (url, said) => {
    await expect(print(url)).rejects.toThrow(said);
  });
});
