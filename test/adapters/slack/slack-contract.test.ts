import { setTimeout as sleep } from 'node:timers/promises';
import type { Feedback } from '../../../adapters/ports.ts';
import { createExtractiveModel } from '../../../retrieval/extractive-answer.ts';
import type { AnswerModel } from '../../../retrieval/ports.ts';
import {
  type ChatBench,
  CONTRACT_DOCUMENTS,
  type ContractUser,
  describeChatContract,
  type Sent,
  type SentMessage,
} from '../../helpers/chat-contract.ts';
import { acl } from '../../helpers/corpus.ts';
import { openSlackBench, type SlackInstance, settle, startSlackInstance, TENANT } from '../../helpers/slack-bench.ts';
import { envelope, mentionEvent, messageEvent, sendSigned } from '../../helpers/slack-requests.ts';

const USERS: Record<ContractUser, string> = {
  ann: 'U0ANN',
  bob: 'U0BOB',
  guest: 'U0GUEST',
  stranger: 'U0STRANGER',
  app: 'U0APP',
};
const CHANNEL = 'C0GENERAL';
const EVERYONE = acl({ allow: ['verbatim:everyone'], level: 'internal' });
const MANAGERS = acl({ allow: ['verbatim:role:manager'], level: 'internal' });

async function openBench(): Promise<ChatBench> {
  const bench = await openSlackBench({
    people: [
      { email: 'ann@acme.example', role: 'manager' },
      { email: 'bob@acme.example', role: 'intern' },
    ],
    documents: Object.fromEntries(
      Object.entries(CONTRACT_DOCUMENTS).map(([uri, text]) => [
        uri,
        uri === 'deal.md' ? { text, allow: 'verbatim:role:manager' } : { text },
      ]),
    ),
    users: {
      U0ANN: { email: 'ann@acme.example' },
      U0BOB: { email: 'bob@acme.example' },
      U0GUEST: { email: 'guest@acme.example', is_restricted: true },
      U0STRANGER: { email: 'ann@acme.example', team_id: 'T0OTHER', is_stranger: true },
      U0APP: { is_bot: true },
    },
  });
  const { opened, emulator, corpus } = bench;
  const documents = new Map(bench.ids);

  let modelDown = false;
  const extractive = createExtractiveModel({});
  const model: AnswerModel = {
    id: 'test:breakable',
    async answer(...request) {
      if (modelDown) throw new Error('the model is down');
      return extractive.answer(...request);
    },
  };
  let databaseDown = false;
  const start = () =>
    startSlackInstance(opened, emulator, {
      model,
      wrapAsk: (ask) => (question, options) => {
        if (databaseDown) throw new Error('the database is down');
        return ask(question, options);
      },
    });
  let instances: SlackInstance[] = [await start(), await start()];
  const first = () => instances[0] as SlackInstance;
  const signedAt = new Set<number>();
  const deliver = async (event: object, instance: 0 | 1 = 0) => {
    // Slack signs each delivery at its own time.
    let timestamp = Math.floor(Date.now() / 1_000);
    while (signedAt.has(timestamp)) timestamp -= 1;
    signedAt.add(timestamp);
    const response = await sendSigned((instances[instance] as SlackInstance).url, emulator, event, { timestamp });
    if (response.status !== 200) throw new Error(`Slack got ${response.status}`);
  };
  const send = async ({
    to,
    user,
    text,
    in: parent,
    mention = to === 'channel',
    as,
    calls,
  }: SentMessage): Promise<Sent> => {
    const channel = to === 'direct' ? `D${USERS[user].slice(1)}` : CHANNEL;
    if (to === 'direct') emulator.channels.set(channel, [USERS[user], emulator.botUserId]);
    const called = calls ? `<@${USERS[calls]}> ${text}` : text;
    const said = mention ? `<@${emulator.botUserId}> ${called}` : called;
    const ts = emulator.say(channel, said, parent?.thread);
    const base = {
      channel,
      user: as === 'own' ? emulator.botUserId : USERS[user],
      text: said,
      ts,
      thread: parent?.thread,
    };
    const extra = {
      ...(user === 'app' ? { bot_id: 'B0OTHER' } : {}),
      ...(as === 'join' ? { subtype: 'channel_join' } : {}),
      ...(as === 'edit' ? { edited: { user: USERS[user], ts } } : {}),
    };
    const build = mention && as !== 'join' ? mentionEvent : messageEvent;
    const event = envelope(emulator, build(emulator, { ...base, ...extra }));
    // In a channel Slack sends a mention twice: as `app_mention` and as `message`.
    if (mention && to === 'channel') await deliver(envelope(emulator, messageEvent(emulator, { ...base, ...extra })));
    await deliver(event);
    return { conversation: channel, thread: parent?.thread ?? ts, event };
  };
  const sweepAndSettle = async () => {
    await settle(first().database);
    await first().slack.retractions.sweep();
    await settle(first().database);
  };
  return {
    async reset() {
      emulator.messages.length = 0;
      await opened.database.owner((query) => query('delete from feedback'));
    },
    async setMembers(users) {
      const before = emulator.channels.get(CHANNEL) ?? [];
      const after = [...users.map((user) => USERS[user]), emulator.botUserId];
      emulator.channels.set(CHANNEL, after);
      const event = (type: string, user: string) => ({
        type,
        user,
        channel: CHANNEL,
        channel_type: 'C',
        team: emulator.teamId,
        event_ts: emulator.nextTs(),
      });
      for (const user of after.filter((id) => !before.includes(id)))
        await deliver(envelope(emulator, event('member_joined_channel', user)));
      for (const user of before.filter((id) => !after.includes(id)))
        await deliver(envelope(emulator, event('member_left_channel', user)));
    },
    send,
    redeliver: ({ event }, instance = 0) => deliver(event, instance),
    settle: sweepAndSettle,
    replies: ({ conversation, thread }) =>
      emulator.replies(conversation, thread).map((message) => ({ text: emulator.read(message), message: message.ts })),
    whispers: ({ conversation }, user) =>
      emulator.messages
        .filter(({ channel, ephemeralTo }) => channel === conversation && ephemeralTo === USERS[user])
        .map(emulator.read),
    async react({ conversation, thread }, user, verdict, withdrawn = false) {
      const [message] = emulator.replies(conversation, thread);
      const standing = { channel: conversation, ts: message?.ts ?? '', user: USERS[user] };
      const reaction = verdict === 'up' ? '+1::skin-tone-4' : 'thumbsdown';
      const at = emulator.opinions.findIndex(
        (each) => each.ts === standing.ts && each.user === standing.user && each.name === reaction,
      );
      if (withdrawn) emulator.opinions.splice(at, at < 0 ? 0 : 1);
      else emulator.opinions.push({ ...standing, name: reaction });
      await deliver(
        envelope(emulator, {
          type: withdrawn ? 'reaction_removed' : 'reaction_added',
          user: USERS[user],
          reaction,
          item_user: emulator.botUserId,
          item: { type: 'message', channel: conversation, ts: message?.ts },
          event_ts: emulator.nextTs(),
        }),
      );
      await settle(first().database);
    },
    feedback: () =>
      opened.database.owner((query) =>
        query<Pick<Feedback, 'givenBy' | 'verdict'>>(
          'select given_by as "givenBy", verdict from feedback where withdrawn_at is null',
        ),
      ),
    async restart() {
      for (const instance of instances) await instance.close();
      instances = [await start(), await start()];
    },
    async breakDown(what) {
      // Until the question has been looked at, in this process or another.
      if (what === null) {
        await settle(first().database);
        await sleep(0);
      }
      modelDown = what === 'model';
      databaseDown = what === 'database';
    },
    async forget(uri) {
      const { createOperations } = await import('../../../src/operations/create-operations.ts');
      const receipt = await createOperations(first().product).documents.forget(
        TENANT,
        'ann@acme.example',
        documents.get(uri) ?? '',
      );
      if (!receipt) throw new Error('nothing was forgotten');
    },
    async restrict(uri) {
      await corpus.submit(uri, `# Plants\n\nThe ficus is watered on Tuesdays by the reception.`, { acl: MANAGERS });
    },
    async add(uri, text) {
      documents.set(uri, await corpus.add(uri, text, { acl: EVERYONE }));
      await corpus.refresh();
    },
    faults: () => emulator.faults,
    async close() {
      for (const instance of instances) await instance.close();
      await bench.close();
    },
  };
}

describeChatContract('Slack', openBench);
