import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import type { Streams } from './terminal.ts';

/** Asks on the terminal; only "y" and "yes" mean yes, and the end of the input means no. */
export async function confirm({ stdin, stderr }: Streams, question: string): Promise<boolean> {
  const lines = createInterface({ input: stdin, output: stderr, terminal: false });
  try {
    // A question alone would wait for ever when the input ends.
    const answer = await Promise.race([lines.question(`${question} [y/N] `), once(lines, 'close').then(() => '')]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}
