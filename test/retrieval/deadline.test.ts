import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withDeadline } from '../../retrieval/deadline.ts';
import { collectGarbage } from '../helpers/collect-garbage.ts';

const late = () => new Error('late');
const never = () => new Promise<never>(() => {});

describe('a deadline', () => {
  let collecting: NodeJS.Timeout;
  beforeEach(() => {
    collecting = setInterval(collectGarbage, 20);
  });
  afterEach(() => clearInterval(collecting));

  it('leaves behind what does not look at its signal', async () => {
    await expect(withDeadline({ timeoutMs: 100, late }, never)).rejects.toThrow('late');
  });

  it('lets what heeds its signal say what was late', async () => {
    const heeding = (signal: AbortSignal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('the third part'))));
    await expect(withDeadline({ timeoutMs: 100, late }, heeding)).rejects.toThrow('the third part');
  });

  it.each([
    ['when the caller stops', () => AbortSignal.timeout(50)],
    ['when the caller had stopped before', () => AbortSignal.abort()],
  ])('ends earlier %s', async (_, signal) => {
    const signals = [new AbortController().signal, signal()];
    await expect(withDeadline({ timeoutMs: 60_000, signals, late }, never)).rejects.toThrow('late');
  });

  it('gives what came in time, and leaves its signal alone afterwards', async () => {
    const seen: AbortSignal[] = [];
    const value = await withDeadline({ timeoutMs: 30, late }, async (signal) => {
      seen.push(signal);
      return 'in time';
    });
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect([value, seen[0]?.aborted]).toEqual(['in time', false]);
  });
});
