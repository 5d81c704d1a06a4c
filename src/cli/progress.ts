import type { Writable } from 'node:stream';

/** Progress of long work: one line that is rewritten on a terminal, a line now and then elsewhere. */
export interface Progress {
  show(done: number, total: number): void;
  end(): void;
}

const TERMINAL_EVERY_MS = 100;
const PLAIN_EVERY_MS = 5_000; // logs stay readable

/** Shows "12 of 246 documents" on `stream`. Short work shows nothing where there is no terminal. */
export function createProgress(
  stream: Writable & { readonly isTTY?: boolean },
  what: string,
  now = Date.now,
): Progress {
  const everyMs = stream.isTTY ? TERMINAL_EVERY_MS : PLAIN_EVERY_MS;
  const start = now();
  let shownAt = start;
  let shown = false;
  return {
    show(done, total) {
      if (now() - shownAt < everyMs) return;
      shownAt = now();
      shown = true;
      const seconds = Math.round((shownAt - start) / 1000);
      const line = `${done} of ${total} ${what}, ${seconds} s`;
      stream.write(stream.isTTY ? `\r\u001b[K${line}` : `${line}\n`);
    },
    end() {
      if (shown && stream.isTTY) stream.write('\r\u001b[K');
    },
  };
}
