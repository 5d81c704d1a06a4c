// The benchmark as its user starts it, on a corpus that is small enough for a test.
import { expect, test } from 'vitest';
import type { BenchFigures } from '../../eval/bench/render-bench.ts';
import { renderBench } from '../../eval/bench/render-bench.ts';
import { runCommand } from '../helpers/run-command.ts';

const bench = (...args: string[]) => runCommand(['bench', ...args], {});

test('measures every share on the embedded database, beside the plain query and the peer', async () => {
  const run = await bench('--sizes', '300', '--shares', '30,100', '--questions', '1', '--no-ingest', '--json');
  expect([run.status, run.err]).toEqual([0, '']);
  const figures = JSON.parse(run.out) as BenchFigures;
  expect([figures.ingest, figures.startUp]).toEqual([null, null]);
  const [size] = figures.sizes;
  expect(size).toMatchObject({ database: 'embedded', chunks: 300 });
  const recalls = size?.shares.map(({ sharePercent, recallAt50, plain, peer }) => [
    sharePercent,
    recallAt50,
    plain?.recallAt50,
    peer?.recallAt50,
  ]);
  expect(recalls).toEqual([
    [30, 1, 1, 1],
    [100, 1, 1, 1],
  ]);
  for (const { retrieval, vectorSearch, plain, tunedPlain, peer, tunedPeer, stages } of size?.shares ?? []) {
    expect([tunedPlain, tunedPeer]).toEqual([null, null]);
    for (const each of [plain, peer]) {
      expect(each?.ratio).toBe(retrieval.p95 / (each?.p95 ?? 0));
      expect(each?.vectorRatio).toBe(vectorSearch.p95 / (each?.p95 ?? 0));
    }
    for (const each of [retrieval, vectorSearch, plain, peer])
      expect(each?.p95).toBeGreaterThanOrEqual(each?.p50 ?? Infinity);
    expect(Object.keys(stages).sort()).toEqual(['checkpoint', 'lexical', 'load', 'permissions', 'rerank', 'vector']);
    expect(stages.lexical?.p50).toBeLessThanOrEqual(retrieval.p95);
  }
  const report = renderBench(figures);
  expect(report).toContain('300 chunks, embedded');
  const times = String.raw`\d+\.\d ms +\d+\.\d ms`;
  const compared = String.raw`${times} +1\.0000 +\d+\.\d\d +\d+\.\d\d\n`;
  expect(report).toMatch(
    new RegExp(
      String.raw`^ +30 % +retrieval +${times}\n +its vector search alone +${times} +1\.0000\n` +
        ` +plain query +${compared} +PGVectorStore +${compared}`,
      'm',
    ),
  );
});

test.each([
  { args: ['--sizes', 'many'], message: /whole numbers from 1, separated/ },
  { args: ['--shares', '0,100'], message: /whole numbers from 1/ },
  { args: ['--shares', '8,101'], message: /from 1 to 100/ },
  { args: ['--questions', '2,5'], message: /give a whole number from 1$/m },
  { args: ['--database', 'foo'], message: /"embedded", or a URL such as postgres:/ },
  { args: ['--keep'], message: /--keep is for servers/ },
])('$args is refused with what to give instead', async ({ args, message }) => {
  const { status, out, err } = await bench(...args);
  expect([status, out]).toEqual([2, '']);
  expect(err).toMatch(message);
});
