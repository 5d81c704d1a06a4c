import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../database/owner-process.ts', import.meta.url));

/** A running owner-process.ts. */
export interface OwnerProcess {
  readonly pid: number;
  /** Reads its events until one satisfies the condition; gives all read by this call. */
  readUntil(isLast: (event: Record<string, unknown>) => boolean): Promise<Record<string, unknown>[]>;
  /** Kills it as a crash would, and gives the events that it had still printed. */
  kill(): Promise<Record<string, unknown>[]>;
}

/** Starts a process that owns the embedded database of `dataDir`. */
export function startOwnerProcess(dataDir: string, mode: 'rows' | 'job'): OwnerProcess {
  const child: ChildProcess = spawn(process.execPath, ['--import', 'tsx', SCRIPT, dataDir, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.stdout === null || child.pid === undefined) throw new Error('the process has not started');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exited = once(child, 'exit');
  const readUntil: OwnerProcess['readUntil'] = async (isLast) => {
    const events: Record<string, unknown>[] = [];
    for (;;) {
      const { value, done } = await lines.next();
      if (done) return events;
      const event = JSON.parse(value) as Record<string, unknown>;
      events.push(event);
      if (isLast(event)) return events;
    }
  };
  return {
    pid: child.pid,
    readUntil,
    async kill() {
      child.kill('SIGKILL');
      await exited;
      return await readUntil(() => false);
    },
  };
}
