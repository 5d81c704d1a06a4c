// What a command may touch of the process, so that the whole command line can run inside a test.

import type { Readable, Writable } from 'node:stream';
import pc from 'picocolors';
import { marked } from '../../adapters/shown-text.ts';

/** The streams of a command. Answers go to `stdout`; hints, progress and logs to `stderr`. */
export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/** Colour functions; plain where the output is not a terminal or NO_COLOR is set. */
export type Colours = ReturnType<typeof pc.createColors>;

/** Colours for a stream. */
export function coloursFor(stream: { readonly isTTY?: boolean }): Colours {
  return pc.createColors(stream.isTTY === true && pc.isColorSupported);
}

const DEFAULT_WIDTH = 100;
const MAX_WIDTH = 110; // longer lines are hard to read (Bringhurst: 45 to 75; quotes are indented)

/** Usable width of an output in columns. */
export function widthOf(stream: { readonly columns?: number }): number {
  return Math.min(stream.columns ?? DEFAULT_WIDTH, MAX_WIDTH);
}

// C0 and C1 controls but tab and line feed: a document must not move the cursor or change colours.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Text of a document or a model, made harmless for a terminal. */
export function printable(text: string): string {
  return marked(text.replaceAll('\r\n', '\n').replace(CONTROLS, ''));
}

/** The same on one line, for a title or a name inside a line: a line break in it must not look like a second report. */
export function printableLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim();
}

/** Breaks lines at blanks; words longer than a line stay whole. */
export function wrap(text: string, width: number, indent: string): string {
  return text
    .split('\n')
    .map((line) => wrapLine(line, Math.max(20, width - indent.length), indent))
    .join('\n');
}

function wrapLine(line: string, width: number, indent: string): string {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > width) {
      lines.push(current);
      current = word;
    } else {
      current = current === '' ? word : `${current} ${word}`;
    }
  }
  return [...lines, current].map((each) => indent + each).join('\n');
}
