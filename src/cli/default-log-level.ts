import type { Streams } from './terminal.ts';

// Commands that last log what they do; others say it.
const LASTING: readonly (string | undefined)[] = ['start', 'worker'];

/** What is logged where VERBATIM_LOG_LEVEL says nothing; on a terminal a person reads and asks between the lines. */
export function defaultLogLevel(command: string | undefined, { stderr }: Pick<Streams, 'stderr'>): 'info' | 'warn' {
  return LASTING.includes(command) && stderr.isTTY !== true ? 'info' : 'warn';
}
