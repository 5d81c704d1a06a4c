// Commands that work on data of their own: told to stop, they remove it before they end.
import { constants } from 'node:os';
import type { CliContext } from './run-cli.ts';
import { stopSignal } from './stop-signal.ts';

/** Waits for `work`, and no longer than until the process is told to stop: then it throws, so that `finally` cleans up. */
export type UntilStopped = <T>(work: Promise<T>) => Promise<T>;

/** A command's context, with the way in which it waits for what takes long. */
export interface StoppableContext extends CliContext {
  readonly untilStopped: UntilStopped;
}

const SIGNAL_STATUS = 128; // as the shell has it: 130 for SIGINT, 143 for SIGTERM

/** Runs a command that leaves nothing behind. Told to stop it ends with 130 or 143; a second signal ends it at once. */
export async function runStoppable(
  context: CliContext,
  run: (context: StoppableContext) => Promise<void>,
): Promise<void> {
  const stopped = stopSignal();
  const untilStopped: UntilStopped = (work) =>
    Promise.race([
      work,
      stopped.signalled.then((): never => {
        context.hint('stopping; what was stored for this run is removed first');
        throw new Error('told to stop');
      }),
    ]);
  try {
    await run({ ...context, untilStopped });
  } catch (error) {
    const signal = stopped.received();
    if (!signal) throw error;
    // Whatever failed did so because its parts were closed.
    context.setExitStatus(SIGNAL_STATUS + (constants.signals[signal] ?? 0));
  } finally {
    stopped.dispose();
  }
}
