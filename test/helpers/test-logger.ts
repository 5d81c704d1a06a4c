import { PassThrough } from 'node:stream';
import { createLogger, type Logger } from '../../src/logger.ts';

/** The product's logger, writing into memory. */
export function createTestLogger(): { logger: Logger; lines: () => { message: string; level: string }[] } {
  const written: string[] = [];
  const destination = new PassThrough().on('data', (line: Buffer) => written.push(line.toString()));
  const lines = () =>
    written
      .join('')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return { logger: createLogger({ level: 'debug', destination }), lines };
}
