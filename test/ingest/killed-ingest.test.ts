import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KILL_ROUND_CHUNKS, killRound } from '../helpers/kill-rounds.ts';
import { type ProcessDatabase, processDatabase } from '../helpers/process-database.ts';

const KILLS = 20;
const SCRIPT = fileURLToPath(new URL('../helpers/start-ingest-process.ts', import.meta.url));

let place: ProcessDatabase;
beforeAll(async () => {
  place = await processDatabase();
});
afterAll(() => place.close());

interface Step {
  step: 'opened' | 'completed' | 'begin' | 'done';
  faults?: object[];
  documents?: { uri: string; version: number; chunks: number; failure: object | null }[];
}

/** Runs the process and calls back for each step that it says. Resolves when it has ended. */
async function run(
  complete: number,
  begin: number,
  onStep: (step: Step, child: ChildProcess) => void,
): Promise<Step[]> {
  const child = spawn(process.execPath, ['--import', 'tsx', SCRIPT, place.address, String(complete), String(begin)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const steps: Step[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const step = JSON.parse(line) as Step;
    steps.push(step);
    onStep(step, child);
  }
  await ended;
  return steps;
}

test(`an ingest that is killed ${KILLS} times is complete after the next start, nothing twice, nothing half-visible`, async () => {
  let began = 0;
  let shortestMs = Number.POSITIVE_INFINITY;
  const time = ({ step }: Step) => {
    if (step === 'begin') began = Date.now();
    if (step === 'done') shortestMs = Math.min(shortestMs, Date.now() - began);
  };
  await run(-1, 0, time);
  let killed = 0;
  let round = 0;
  // A kill that came after the end of a round counts for nothing, but the round is checked all the same.
  while (killed < KILLS && round < 4 * KILLS) {
    round += 1;
    // Spread over the whole run with a random part; the point itself cannot change what must be true afterwards.
    const delayMs = (((round % KILLS) + Math.random()) / KILLS) * shortestMs;
    const steps = await run(round - 1, round, (step, child) => {
      time(step);
      if (step.step === 'begin') setTimeout(() => child.kill('SIGKILL'), delayMs);
    });
    const [opened, completed] = steps;
    expect(opened?.faults, `after round ${round - 1}`).toEqual([]);
    expect(completed?.faults, `after round ${round - 1}`).toEqual([]);
    expect(completed?.documents?.map((each) => ({ chunks: each.chunks, failure: each.failure }))).toEqual(
      killRound(round - 1).map(() => ({ chunks: KILL_ROUND_CHUNKS, failure: null })),
    );
    if (!steps.some(({ step }) => step === 'done')) killed += 1;
  }
  const last = await run(round, -1, () => {});
  expect(last.map(({ step, faults }) => ({ step, faults }))).toEqual([
    { step: 'opened', faults: [] },
    { step: 'completed', faults: [] },
  ]);
  expect(killed).toBe(KILLS);
}, 1_200_000);
