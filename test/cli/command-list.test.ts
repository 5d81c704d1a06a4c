import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/command-list.ts';
import type { CliContext } from '../../src/cli/run-cli.ts';

describe('the list of commands', () => {
  test.each(COMMANDS)('says of $name what the command says of itself', async ({ name, description, load }) => {
    const program = new Command();
    // A command is described without a context; it needs one when it runs.
    (await load())(program, {} as CliContext);
    expect(program.commands.map((command) => [command.name(), command.description()])).toEqual([[name, description]]);
  });
});
