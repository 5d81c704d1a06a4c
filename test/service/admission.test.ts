import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { AnswerQuestion } from '../../retrieval/answer-question.ts';
import type { Answer } from '../../retrieval/model.ts';
import { AbandonedError, createAdmission, EndingError, OverloadedError } from '../../src/service/admission.ts';

/** Questions that end when the test says so, in the order in which they began. */
function heldQuestions() {
  const begun: { text: string; end: () => void; fail: () => void }[] = [];
  const ask: AnswerQuestion = ({ text }) =>
    new Promise((resolve, reject) => {
      begun.push({ text, end: () => resolve({ text } as Answer), fail: () => reject(new Error(text)) });
    });
  return { begun, ask };
}

const question = (text: string) => ({ tenantId: 'acme', asker: 'ann@x.example', audience: [], text });
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('questions in turn', () => {
  test('run so many at once, and in order', async () => {
    const { begun, ask } = heldQuestions();
    const admission = createAdmission(2);
    const inTurn = admission.inTurn(ask);
    const answers = ['a', 'b', 'c', 'd'].map((text) => inTurn(question(text)));
    await settled();
    expect(begun.map(({ text }) => text)).toEqual(['a', 'b']);
    expect([admission.running(), admission.waiting()]).toEqual([2, 2]);
    begun[1]?.end();
    await settled();
    expect(begun.map(({ text }) => text)).toEqual(['a', 'b', 'c']);
    begun[0]?.fail();
    await expect(answers[0]).rejects.toThrow('a');
    await settled();
    for (const { end } of begun) end();
    expect((await Promise.all(answers.slice(1))).map(({ text }) => text)).toEqual(['b', 'c', 'd']);
  });

  test('are told how long they have waited', async () => {
    const waited: (number | undefined)[] = [];
    const { begun, ask } = heldQuestions();
    const inTurn = createAdmission(1).inTurn((asked, options) => {
      waited.push(options?.waitedMs);
      return ask(asked, options);
    });
    const answers = ['a', 'b'].map((text) => inTurn(question(text)));
    await sleep(50);
    begun[0]?.end();
    await answers[0];
    await settled();
    begun[1]?.end();
    await answers[1];
    expect(waited[0]).toBeLessThan(40);
    expect(waited[1]).toBeGreaterThanOrEqual(45);
  });

  test('are refused when too many wait', async () => {
    const { begun, ask } = heldQuestions();
    const inTurn = createAdmission(1).inTurn(ask);
    const all = Array.from({ length: 202 }, (_, index) => inTurn(question(String(index))));
    const last = all.pop();
    await expect(last).rejects.toThrow(OverloadedError);
    for (let index = 0; index < all.length; index++) {
      begun[index]?.end();
      await settled();
    }
    expect(await Promise.all(all)).toHaveLength(201);
  });

  test('are not begun when their asker has left', async () => {
    const { begun, ask } = heldQuestions();
    const inTurn = createAdmission(1).inTurn(ask);
    const first = inTurn(question('a'));
    const leaving = new AbortController();
    const left = inTurn(question('b'), { signal: leaving.signal });
    const last = inTurn(question('c'));
    leaving.abort();
    await settled();
    begun[0]?.end();
    await expect(left).rejects.toThrow(AbandonedError);
    await settled();
    expect(begun.map(({ text }) => text)).toEqual(['a', 'c']);
    begun[1]?.end();
    await Promise.all([first, last]);
  });

  test('are waited for until they end', async () => {
    const { begun, ask } = heldQuestions();
    const admission = createAdmission(1);
    const answers = ['a', 'b'].map((text) => admission.inTurn(ask)(question(text)));
    await settled();
    const ended = admission.end(60_000);
    begun[0]?.end();
    await answers[0];
    await settled();
    expect(begun).toHaveLength(2);
    begun[1]?.end();
    await ended;
    await Promise.all(answers);
  });

  test('are not begun after the deadline', async () => {
    const { begun, ask } = heldQuestions();
    const admission = createAdmission(1);
    const [running, waiting] = ['a', 'b'].map((text) => admission.inTurn(ask)(question(text)));
    await settled();
    await admission.end(10);
    begun[0]?.end();
    await running;
    await expect(waiting).rejects.toThrow(EndingError);
    expect(begun).toHaveLength(1);
  });

  test('are all told when the service ends without them, and none is begun', async () => {
    const { begun, ask } = heldQuestions();
    const admission = createAdmission(1);
    const answers = ['a', 'b'].map((text) => admission.inTurn(ask)(question(text)));
    const told = Promise.all(answers.map((answer) => expect(answer).rejects.toThrow(EndingError)));
    await settled();
    expect(admission.cutOff()).toBe(2);
    await told;
    begun[0]?.end();
    await settled();
    expect(begun).toHaveLength(1);
    expect(admission.cutOff()).toBe(0);
  });
});
