import { describe, expect, test } from 'vitest';
import { TryLaterError } from '../../adapters/inbox.ts';
import type { Place, StoredAnswer } from '../../adapters/ports.ts';
import {
  audienceOf,
  createQuestionHandler,
  type Delivery,
  type IncomingQuestion,
  type QuestionHandlerOptions,
} from '../../adapters/question.ts';
import type { Reply } from '../../adapters/reply.ts';
import { isBareQuotes } from '../../adapters/reply.ts';
import type { Answer } from '../../retrieval/model.ts';
import { createTestLogger } from '../helpers/test-logger.ts';

const ANSWER: Answer = {
  answerId: 'a-1',
  status: 'answered',
  refusal: null,
  text: 'Thirty days [1].',
  citations: [
    {
      documentId: 'd 1',
      documentVersion: 3,
      uri: 'javascript:alert(1)',
      title: 'Leave',
      headingPath: ['Leave', 'Days'],
      chunkId: 'c',
      quote: 'thirty days of leave',
      start: 5,
      end: 25,
    },
  ],
  sources: [{ source: 'handbook', contentAgeSeconds: 7_200, permissionAgeSeconds: 5 }],
  confidence: null,
  degraded: ['model_failed'],
  timingsMs: {},
  costUsd: 0,
};
const REFUSED: Answer = {
  ...ANSWER,
  status: 'refused',
  refusal: 'audience_limited',
  text: '',
  citations: [],
  sources: [],
  degraded: [],
};
const QUESTION: IncomingQuestion = {
  tenantId: 'acme',
  eventKey: 'e-1',
  asker: { id: 'ann@x.example', member: { person: 'ann@x.example' } },
  members: [{ person: 'bob@x.example' }, { principals: ['verbatim:everyone'] }, { principals: ['verbatim:everyone'] }],
  text: ' How many days? ',
  threadId: 't-1',
  private: false,
};
const PLACE: Place = { platform: 'slack', workspace: 'T', conversation: 'C', thread: '1', message: '2' };

function bench(options: Partial<QuestionHandlerOptions> = {}) {
  const ended = new Set<string>();
  const held = new Set<string>();
  const answered = new Map<string, string>();
  const kept = (answerId: string): StoredAnswer => ({
    answer: { ...ANSWER, answerId },
    tenantId: 'acme',
    question: QUESTION.text,
    asker: QUESTION.asker.id,
    audience: [],
    threadId: null,
    askedAt: new Date(0),
    indexVersion: 1,
    retractedAt: null,
  });
  const recorded: unknown[] = [];
  const posted: Reply[] = [];
  const { logger, lines } = createTestLogger();
  const handle = createQuestionHandler({
    ask: async () => ANSWER,
    people: { seesMoreAlone: async () => false },
    answers: { recordPosted: async (...given) => void recorded.push(given), find: async (_, id) => kept(id) },
    mayShow: async () => true,
    deliveries: {
      async claim(_tenantId, key) {
        if (ended.has(key) || held.has(key)) return null;
        held.add(key);
        return {
          answerId: answered.get(key) ?? null,
          keep: async (answerId) => void answered.set(key, answerId),
          end: async () => void ended.add(key),
          giveBack: async () => void held.delete(key),
        };
      },
    },
    maxQuestionCharacters: 100,
    publicUrl: 'https://v.example/',
    logger,
    ...options,
  });
  const ask = (
    question: Partial<IncomingQuestion> = {},
    post: Delivery['post'] = async (reply, stands) => {
      posted.push(reply);
      await stands(PLACE);
    },
  ) => handle({ ...QUESTION, ...question }, { post });
  return { ask, handle, posted, recorded, lines };
}

describe('a question', () => {
  test('is asked for its asker and all who see the place, each once', async () => {
    const asked: unknown[] = [];
    const { ask } = bench({
      ask: async (question) => {
        asked.push(question);
        return ANSWER;
      },
    });
    await ask();
    expect(asked).toEqual([
      {
        tenantId: 'acme',
        asker: 'ann@x.example',
        audience: [{ person: 'ann@x.example' }, { person: 'bob@x.example' }, { principals: ['verbatim:everyone'] }],
        text: 'How many days?',
        threadId: 't-1',
      },
    ]);
  });

  test('that the end of the service interrupts is left to the next try where there is one, else told', async () => {
    const given = bench({ ask: () => Promise.reject(new TryLaterError('ending', 'ends', { pauseSeconds: 0 })) });
    await given.ask();
    expect(given.posted).toMatchObject([{ kind: 'failure' }]);
    const claim = { answerId: null, keep: async () => {}, end: async () => {}, giveBack: async () => {} };
    await expect(given.handle(QUESTION, { post: async () => {}, claim })).rejects.toThrow(TryLaterError);
  });

  test('in private is asked for its asker alone', () => {
    expect(audienceOf({ ...QUESTION, private: true })).toEqual([{ person: 'ann@x.example' }]);
  });

  test('is answered once, also when it comes twice at once; its place is recorded', async () => {
    const { ask, posted, recorded } = bench();
    await Promise.all([ask(), ask()]);
    expect(await ask()).toBeNull();
    expect([posted.length, recorded]).toEqual([1, [['acme', 'a-1', [PLACE]]]]);
  });

  const down = async () => Promise.reject(new Error('the platform is down'));
  const countingAnswers = () => {
    let made = 0;
    return async () => ({ ...ANSWER, answerId: `a-${++made}` });
  };

  test.each([
    ['the same, when everyone may still be shown it', true, 'a-1'],
    ['made anew, when somebody may not', false, 'a-2'],
  ])('that could not be posted is tried again, and its answer is %s', async (_, mayShow, answerId) => {
    const { ask, posted } = bench({ ask: countingAnswers(), mayShow: async () => mayShow });
    await expect(ask({}, down)).rejects.toThrow('the platform is down');
    await ask();
    expect(posted.map((reply) => reply.answerId)).toEqual([answerId]);
  });

  test('of which a part was posted before the platform failed has that part recorded', async () => {
    const { ask, recorded } = bench();
    await expect(
      ask({}, async (_, stands) => {
        await stands(PLACE);
        await down();
      }),
    ).rejects.toThrow();
    expect(recorded).toEqual([['acme', 'a-1', [PLACE]]]);
  });
});

describe('a reply', () => {
  test('has numbered quotes that link to the document view, sources with ages, a note and who wrote it', async () => {
    const { ask } = bench();
    expect(await ask()).toMatchObject({
      kind: 'answer',
      text: 'Thirty days [1].',
      bareQuotes: false,
      quotes: [
        {
          number: 1,
          quote: 'thirty days of leave',
          title: 'Leave',
          headingPath: ['Days'],
          page: null,
          url: 'https://v.example/documents/d%201?version=3&start=5&end=25',
        },
      ],
      sources: ['handbook: updated 2 hours ago, permissions checked just now'],
      note: expect.stringContaining('did not respond'),
      label: expect.stringContaining('AI'),
    });
  });

  test('links to no address that a document made up', async () => {
    const { ask } = bench({ publicUrl: null });
    expect((await ask())?.quotes[0]?.url).toBeNull();
  });

  test('in company does not tell whether the asker may read more; the offer is for the asker', async () => {
    const limited = bench({ ask: async () => REFUSED, people: { seesMoreAlone: async () => true } });
    const nothing = bench({ ask: async () => ({ ...REFUSED, refusal: 'no_evidence' }) });
    const [told, plain] = [await limited.ask(), await nothing.ask()];
    expect(told?.text).toBe(plain?.text);
    expect([told?.offerPrivate, plain?.offerPrivate]).toEqual([true, false]);
  });

  test.each<[string, Partial<IncomingQuestion>, Partial<QuestionHandlerOptions>, string, RegExp]>([
    ['nothing', { text: '  ' }, {}, 'hint', /Ask me a question/],
    ['an image', { text: '', hasAttachments: true }, {}, 'hint', /text only/],
    ['too much', { text: 'x'.repeat(101) }, {}, 'hint', /101 characters/],
    [
      'something that fails',
      {},
      { ask: async () => Promise.reject(new Error('at secret.ts:1')) },
      'failure',
      /^Something went wrong/,
    ],
  ])('to %s is a sentence', async (_, question, options, kind, said) => {
    const { ask, recorded } = bench(options);
    expect(await ask(question)).toMatchObject({ kind, text: expect.stringMatching(said), answerId: null, quotes: [] });
    expect(recorded).toEqual([]);
  });

  test.each([
    ['model_unavailable', ['model_failed'], null],
    ['no_evidence', ['model_failed'], expect.stringContaining('There may be more than I found')],
  ] as const)('that refuses (%s) speaks of no quotes', async (refusal, degraded, note) => {
    const { ask } = bench({ ask: async () => ({ ...REFUSED, refusal, degraded }) });
    const reply = await ask();
    expect(reply?.note ?? null).toEqual(note);
    expect(reply?.note ?? '').not.toMatch(/bare quotes/);
  });

  test('under a title that reads like another address has its link named by where it goes', async () => {
    const [citation] = ANSWER.citations;
    const title = 'https://accounts.google.com/login\u202E';
    const { ask } = bench({
      ask: async () => ({ ...ANSWER, citations: citation ? [{ ...citation, title }] : [] }),
    });
    expect((await ask())?.quotes).toMatchObject([
      { title: 'https://accounts.google.com/login[U+202E]', linkLabel: 'open (v.example)' },
    ]);
  });

  test('stands when the offer cannot be found out', async () => {
    const { ask, lines } = bench({ people: { seesMoreAlone: async () => Promise.reject(new Error('x')) } });
    expect(await ask()).toMatchObject({ kind: 'answer', offerPrivate: false });
    expect(lines().map(({ level }) => level)).toContain('warn');
  });
});

test.each([
  ['its quotes with numbers', 'thirty days of leave [1]', true],
  ['words of its own', 'You have thirty days of leave [1]', false],
])('a text that is %s is told apart', (_, text, bare) => {
  expect(isBareQuotes({ text, citations: ANSWER.citations })).toBe(bare);
});
