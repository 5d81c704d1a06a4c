// Start-up as a person meets it: a whole process each time.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { BenchFigures } from '../../eval/bench/render-bench.ts';
import { onOwnDirectory } from './own-database.ts';
import type { StoppableContext } from './until-stopped.ts';

const BIN = fileURLToPath(new URL('../bin.js', import.meta.url));

/** Times `verbatim status` with a new embedded database and with the same one again. @throws Error when it fails. */
export function measureStartUp({ untilStopped }: StoppableContext): Promise<NonNullable<BenchFigures['startUp']>> {
  return onOwnDirectory('bench', async (dataDir) => {
    const start = async () => {
      const began = performance.now();
      const child = spawn(process.execPath, [BIN, 'status'], { env: { VERBATIM_DATA_DIR: dataDir }, stdio: 'ignore' });
      try {
        const [code] = await untilStopped(once(child, 'exit'));
        if (code !== 0) throw new Error(`"verbatim status" ended with ${code}`);
      } finally {
        await end(child);
      }
      return (performance.now() - began) / 1000;
    };
    return { firstSeconds: await start(), againSeconds: await start() };
  });
}

// It must not write on into a directory that is being removed.
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
