// What every chat platform must do with questions, whatever it is called. A platform brings a bench; the suite asks through it.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Feedback } from '../../adapters/ports.ts';

/** People of the contract's company, as the bench must know them on its platform. */
export const CONTRACT_PEOPLE = {
  /** A manager, who may read everything. */
  ann: 'ann@acme.example',
  /** An intern, who may read what everyone may. */
  bob: 'bob@acme.example',
} as const;
/** `guest` is a guest of the workspace, `stranger` of another company, `app` a bot. */
export type ContractUser = keyof typeof CONTRACT_PEOPLE | 'guest' | 'stranger' | 'app';

/** Documents of the contract's company, by their URIs. */
export const CONTRACT_DOCUMENTS = {
  /** For everyone. */
  'leave.md': '# Leave\n\nEmployees have thirty days of annual leave each year.\n\nUnused leave days expire in March.',
  /** For managers. */
  'deal.md': '# Deal\n\nThe company will buy the Penguin Shipyard for nine million euros.',
  /** For everyone; what people write to do harm. */
  'hostile.txt':
    'The signal word of the harbour is <!channel> <@U0ANN> [click](javascript:alert(1)) `rm -rf` & <https://evil.example|acme.example>.',
} as const;

/** What is asked in the contract, and a word of the only right answer. */
export const CONTRACT_QUESTIONS = {
  leave: 'How many days of annual leave do employees have?',
  deal: 'When will the company buy the Penguin Shipyard?',
  nothing: 'What is the altitude of the moon base cafeteria?',
  hostile: 'What is the signal word of the harbour?',
} as const;

/** A question that was sent. */
export interface Sent {
  readonly conversation: string;
  readonly thread: string;
  readonly event: object;
}

export interface SentMessage {
  /** A person and the bot alone, or a conversation of several. */
  readonly to: 'direct' | 'channel';
  readonly user: ContractUser;
  readonly text: string;
  /** Reply in the thread of this one. */
  readonly in?: Sent;
  /** In a channel the bot is mentioned unless false. */
  readonly mention?: boolean;
  /** What the message is, where it is none of a person's. */
  readonly as?: 'edit' | 'join' | 'own';
  /** Somebody whom the message mentions. */
  readonly calls?: ContractUser;
}

/** What a reader sees of a message of the bot. */
export interface Seen {
  readonly text: string;
  readonly message: string;
}

/** A platform under the contract. */
export interface ChatBench {
  /** Empties the conversations, not the documents. */
  reset(): Promise<void>;
  /** Who is in the channel from now on, besides the bot. */
  setMembers(users: readonly ContractUser[]): Promise<void>;
  send(message: SentMessage): Promise<Sent>;
  /** The platform sends the same event again, to the first or the second instance. */
  redeliver(sent: Sent, instance?: 0 | 1): Promise<void>;
  /** Resolves when everything that came in has ended. */
  settle(): Promise<void>;
  /** What everybody in the thread sees of the bot, in order. */
  replies(sent: Sent): Seen[];
  /** What the bot says to one person only, in the conversation of the question. */
  whispers(sent: Sent, user: ContractUser): string[];
  /** An opinion by the platform's own means, or its withdrawal. */
  react(sent: Sent, user: ContractUser, verdict: Feedback['verdict'], withdrawn?: boolean): Promise<void>;
  /** Opinions that hold now. */
  feedback(): Promise<Pick<Feedback, 'givenBy' | 'verdict'>[]>;
  restart(): Promise<void>;
  /** The next questions fail so. */
  breakDown(what: 'model' | 'database' | null): Promise<void>;
  forget(uri: string): Promise<void>;
  restrict(uri: string): Promise<void>;
  /** Adds a document for everyone. */
  add(uri: string, text: string): Promise<void>;
  /** Faults that the platform would have found in what the bot sent. */
  faults(): readonly string[];
  close(): Promise<void>;
}

/** Runs the contract. */
export function describeChatContract(platform: string, open: () => Promise<ChatBench>): void {
  describe(`the chat contract on ${platform}`, () => {
    let bench: ChatBench;
    beforeAll(async () => {
      bench = await open();
    });
    afterAll(() => bench?.close());
    beforeEach(async () => {
      await bench.reset();
      await bench.setMembers(['ann', 'bob']);
    });
    afterEach(() => expect(bench.faults()).toEqual([]));

    const ask = async (message: SentMessage): Promise<Sent> => {
      const sent = await bench.send(message);
      await bench.settle();
      return sent;
    };
    const only = (sent: Sent): string => {
      const seen = bench.replies(sent);
      expect(seen).toHaveLength(1);
      return seen[0]?.text ?? '';
    };

    test('a mention in a channel answers in that thread, with the quote and its source', async () => {
      const text = only(await ask({ to: 'channel', user: 'bob', text: CONTRACT_QUESTIONS.leave }));
      expect(text).toContain('thirty days of annual leave');
      expect(text).toMatch(/Leave/);
      expect(text).toMatch(/updated .*permissions checked/s);
    });

    test('a direct message answers, with all that the asker may read', async () => {
      const text = only(await ask({ to: 'direct', user: 'ann', text: CONTRACT_QUESTIONS.deal }));
      expect(text).toContain('Penguin Shipyard');
    });

    test('a direct message of somebody who may not read it is refused', async () => {
      const text = only(await ask({ to: 'direct', user: 'bob', text: CONTRACT_QUESTIONS.deal }));
      expect(text).not.toMatch(/shipyard for/i);
    });

    test('a follow-up in a thread of the bot needs no mention and keeps the context', async () => {
      const first = await ask({ to: 'channel', user: 'bob', text: CONTRACT_QUESTIONS.leave });
      await ask({ to: 'channel', user: 'ann', text: 'And when do unused ones expire?', in: first, mention: false });
      expect(bench.replies(first).map(({ text }) => text)).toEqual([
        expect.stringContaining('thirty days'),
        expect.stringContaining('March'),
      ]);
    });

    test('what people say to each other is not answered', async () => {
      const sent = await ask({ to: 'channel', user: 'ann', text: CONTRACT_QUESTIONS.leave, mention: false });
      const reply = await ask({ to: 'channel', user: 'bob', text: CONTRACT_QUESTIONS.leave, in: sent, mention: false });
      expect([...bench.replies(sent), ...bench.replies(reply)]).toEqual([]);
    });

    test('what is said to somebody else in a thread of the bot is not answered', async () => {
      const first = await ask({ to: 'channel', user: 'bob', text: CONTRACT_QUESTIONS.leave });
      await ask({
        to: 'channel',
        user: 'ann',
        text: CONTRACT_QUESTIONS.leave,
        in: first,
        mention: false,
        calls: 'bob',
      });
      expect(bench.replies(first)).toHaveLength(1);
    });

    test('an answer that stands is taken back when somebody joins who may not read it, and the thread stays', async () => {
      await bench.setMembers(['ann']);
      const sent = await ask({ to: 'channel', user: 'ann', text: CONTRACT_QUESTIONS.deal });
      const other = await ask({ to: 'channel', user: 'ann', text: CONTRACT_QUESTIONS.leave });
      expect(only(sent)).toContain('Penguin Shipyard');
      await bench.setMembers(['ann', 'bob']);
      await bench.settle();
      expect(only(sent)).toMatch(/taken back/);
      expect(only(other)).toContain('thirty days');
    });

    test('an event that comes again is answered once, at another instance and after a restart, too', async () => {
      const sent = await bench.send({ to: 'channel', user: 'bob', text: CONTRACT_QUESTIONS.leave });
      await bench.redeliver(sent, 1);
      await bench.redeliver(sent);
      await bench.settle();
      await bench.restart();
      await bench.redeliver(sent);
      await bench.redeliver(sent, 1);
      await bench.settle();
      expect(bench.replies(sent)).toHaveLength(1);
    });

    test.each(['edit', 'join', 'own'] as const)('it does not answer: %s', async (as) => {
      const sent = await ask({ to: 'channel', user: 'bob', text: CONTRACT_QUESTIONS.leave, as });
      expect(bench.replies(sent)).toEqual([]);
    });

    test('it does not answer another bot', async () => {
      const sent = await ask({ to: 'channel', user: 'app', text: CONTRACT_QUESTIONS.leave });
      expect(bench.replies(sent)).toEqual([]);
    });

    test('in a channel nothing is said that one of its members may not read, and the asker is offered a private answer', async () => {
      const sent = await ask({ to: 'channel', user: 'ann', text: CONTRACT_QUESTIONS.deal });
      expect(only(sent)).not.toMatch(/shipyard/i);
      expect(bench.whispers(sent, 'ann').join()).toMatch(/privately/);
      const nothing = await ask({ to: 'channel', user: 'ann', text: CONTRACT_QUESTIONS.nothing });
      expect(only(nothing)).toEqual(only(sent));
      expect(bench.whispers(sent, 'bob')).toEqual([]);
    });

    test('when all members may read it, the channel is told', async () => {
      await bench.setMembers(['ann']);
      expect(only(await ask({ to: 'channel', user: 'ann', text: CONTRACT_QUESTIONS.deal }))).toContain(
        'Penguin Shipyard',
      );
    });

    test.each(['guest', 'stranger'] as const)(
      'with a %s among the members, what is for members is not said',
      async (user) => {
        await bench.setMembers(['ann', 'bob', user]);
        const sent = await ask({ to: 'channel', user: 'bob', text: CONTRACT_QUESTIONS.leave });
        expect(only(sent)).not.toContain('thirty days');
        await bench.setMembers(['ann', 'bob']);
        const again = await ask({ to: 'channel', user: 'bob', text: CONTRACT_QUESTIONS.leave });
        expect(only(again)).toContain('thirty days');
      },
    );

    test('an opinion is stored with its person, a later one replaces it, and it can be withdrawn', async () => {
      const sent = await ask({ to: 'channel', user: 'bob', text: CONTRACT_QUESTIONS.leave });
      await bench.react(sent, 'ann', 'up');
      await bench.react(sent, 'bob', 'up');
      await bench.react(sent, 'bob', 'down');
      expect((await bench.feedback()).sort((a, b) => a.givenBy.localeCompare(b.givenBy))).toEqual([
        { givenBy: 'ann@acme.example', verdict: 'up' },
        { givenBy: 'bob@acme.example', verdict: 'down' },
      ]);
      await bench.react(sent, 'bob', 'down', true);
      expect(await bench.feedback()).toEqual([{ givenBy: 'ann@acme.example', verdict: 'up' }]);
    });

    test('hostile text is shown as it is', async () => {
      const text = only(await ask({ to: 'channel', user: 'bob', text: CONTRACT_QUESTIONS.hostile }));
      expect(text).toContain('<!channel>');
    });

    test.each([
      ['an empty mention', '', /ask me a question/i],
      ['40,000 characters', 'leave '.repeat(6_666), /characters/],
      ['another language', 'Combien coûte un vélo à Lyon ?', /found nothing/],
      ['a question with a broadcast', `<!channel> ${CONTRACT_QUESTIONS.leave}`, /thirty days/],
    ])('%s ends visibly', async (_, text, said) => {
      expect(only(await ask({ to: 'channel', user: 'bob', text }))).toMatch(said);
    });

    test.each(['model', 'database'] as const)('with the %s down people read a plain sentence', async (what) => {
      await bench.breakDown(what);
      const sent = await bench.send({ to: 'channel', user: 'bob', text: CONTRACT_QUESTIONS.leave });
      await bench.breakDown(null);
      await bench.settle();
      const text = only(sent);
      expect(text).toMatch(what === 'model' ? /cannot be reached/ : /went wrong/);
      expect(text).not.toMatch(/Error|\bat .*:\d+|thirty/);
    });

    test('an answer is taken back when its document is forgotten, and the thread stays', async () => {
      await bench.add('pets.md', '# Pets\n\nDogs may come to the office on the second Friday.');
      const sent = await ask({ to: 'channel', user: 'bob', text: 'When may dogs come to the office?' });
      const other = await ask({ to: 'channel', user: 'bob', text: CONTRACT_QUESTIONS.leave });
      expect(only(sent)).toContain('second Friday');
      await bench.forget('pets.md');
      await bench.settle();
      expect(only(sent)).not.toContain('Friday');
      expect(only(sent)).toMatch(/taken back/);
      expect(only(other)).toContain('thirty days');
    });

    test('an answer is taken back when those who see it may no longer read its document', async () => {
      await bench.add('plants.md', '# Plants\n\nThe ficus is watered on Tuesdays by the reception.');
      const sent = await ask({ to: 'channel', user: 'bob', text: 'When is the ficus watered?' });
      const alone = await ask({ to: 'direct', user: 'ann', text: 'When is the ficus watered?' });
      expect([only(sent), only(alone)]).toEqual([
        expect.stringContaining('Tuesdays'),
        expect.stringContaining('Tuesdays'),
      ]);
      await bench.restrict('plants.md');
      await bench.settle();
      expect(only(sent)).toMatch(/taken back/);
      expect(only(alone)).toContain('Tuesdays');
    });
  });
}
