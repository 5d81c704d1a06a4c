import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { type BuiltinEmbedder, createBuiltinEmbedder } from '../../src/providers/builtin-embedder.ts';

const embedder: BuiltinEmbedder = createBuiltinEmbedder({ threads: 1 });
afterAll(() => embedder.close());

const cosine = (a: readonly number[] = [], b: readonly number[] = []) =>
  a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
const greatestDifference = (a: readonly number[] = [], b: readonly number[] = []) =>
  Math.max(...a.map((value, index) => Math.abs(value - (b[index] ?? Number.NaN))));

const PARAGRAPH =
  'Employees accrue ten hours of paid leave a month. Leave that is not taken by the end of March lapses. Managers approve requests within three days. A request of more than two weeks needs the approval of the department. Public holidays are not counted.';

describe('createBuiltinEmbedder', () => {
  it('states its id and dimensions', () => {
    expect(embedder).toMatchObject({ id: 'builtin:use-lite@1', dimensions: 512 });
  });

  it.each([
    ['a word', 'leave'],
    ['a paragraph', PARAGRAPH],
    ['nothing', ''],
    ['white space', ' \n\t\u00a0 '],
    ['other scripts', 'отпуск 休暇 إجازة'],
    ['emoji and half a surrogate pair', '🏖️ \ud83c'],
    ['a million characters without a space', 'x'.repeat(1_000_000)],
    ['control characters', '\u0000\u0007\u001b[0m'],
  ])('gives %s a finite vector of length 1', async (_, text) => {
    const [vector, ...others] = await embedder.embed([text], 'document');
    expect(others).toEqual([]);
    expect(vector).toHaveLength(512);
    expect(Math.hypot(...(vector ?? []))).toBeCloseTo(1, 12);
  });

  it('returns no vectors for no texts', async () => {
    expect(await embedder.embed([], 'document')).toEqual([]);
  });

  it('keeps the order of the texts, whatever their lengths', async () => {
    const texts = [PARAGRAPH, 'leave', '', 'the printer is out of paper', 'leave', PARAGRAPH];
    const vectors = await embedder.embed(texts, 'document');
    const alone = await Promise.all(texts.map(async (text) => (await embedder.embed([text], 'document'))[0]));
    texts.forEach((_, index) => {
      expect(greatestDifference(vectors[index], alone[index])).toBeLessThan(1e-6);
    });
    expect(greatestDifference(vectors[0], vectors[1])).toBeGreaterThan(0.01);
  });

  it('gives the same text the same vector alone, beside others, and again, to 1e-6', async () => {
    const text = 'How many days of leave do I have?';
    const companies = [[], ['Hi.'], ['a', 'b', 'c', 'd'], [PARAGRAPH], ['Where is the printer?', PARAGRAPH, 'ok']];
    const [reference] = await embedder.embed([text], 'question');
    for (const company of companies) {
      const vectors = await embedder.embed([...company, text], 'document');
      expect(greatestDifference(vectors.at(-1), reference)).toBeLessThan(1e-6);
    }
  });

  it('takes white space of any kind and amount as one space', async () => {
    const [a, b] = await embedder.embed(['paid  leave\n\tpolicy ', 'paid leave policy'], 'document');
    expect(greatestDifference(a, b)).toBeLessThan(1e-6);
  });

  it('reads 128 tokens and not what follows', async () => {
    const long = PARAGRAPH.repeat(5);
    const [a, b, c] = await embedder.embed(
      [long, `${long} The salary of the board is secret.`, `The salary of the board is secret. ${long}`],
      'document',
    );
    expect(greatestDifference(a, b)).toBeLessThan(1e-6);
    expect(greatestDifference(a, c)).toBeGreaterThan(0.001);
  });

  it('puts a question nearer to its answer than to something else', async () => {
    const [question, answer, other, blank] = await embedder.embed(
      [
        'How much vacation do I get?',
        'Employees have 25 days of annual leave.',
        'The server is restarted at night.',
        '',
      ],
      'question',
    );
    expect(cosine(question, answer)).toBeGreaterThan(cosine(question, other) + 0.1);
    expect(Math.abs(cosine(question, blank))).toBeLessThan(0.2);
  });

  it('leaves the event loop free while it embeds', async () => {
    let turns = 0;
    let running = true;
    const count = () => {
      turns += 1;
      if (running) setImmediate(count);
    };
    setImmediate(count);
    await embedder.embed([PARAGRAPH, PARAGRAPH.slice(50), PARAGRAPH.slice(90)], 'document');
    running = false;
    expect(turns).toBeGreaterThan(50);
  });

  it('does not keep the process alive, and starts from any directory', async () => {
    const module = new URL('../../src/providers/builtin-embedder.ts', import.meta.url).href;
    const script = `import(${JSON.stringify(module)}).then(async ({ createBuiltinEmbedder }) => {
      const embedder = createBuiltinEmbedder({ threads: 2 });
      await embedder.warm();
      console.log((await embedder.embed(['leave'], 'document'))[0].length);
    })`;
    const loader = new URL('../../node_modules/tsx/dist/loader.mjs', import.meta.url).href;
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', loader, '-e', script], {
      cwd: '/',
      timeout: 50_000,
    });
    expect(stdout.trim()).toBe('512');
  });
});
