import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestDatabase } from '../../helpers/database.ts';
import {
  openSlackBench,
  type SlackBench,
  type SlackInstance,
  settle,
  startSlackInstance,
} from '../../helpers/slack-bench.ts';
import type { SlackEmulator } from '../../helpers/slack-emulator.ts';
import { envelope, messageEvent, sendSigned } from '../../helpers/slack-requests.ts';

let opened: TestDatabase;
let emulator: SlackEmulator;
let instance: SlackInstance;
let bench: SlackBench;

beforeAll(async () => {
  bench = await openSlackBench({
    people: [
      { email: 'ann@acme.example', role: 'manager' },
      { email: 'gone@acme.example', role: 'manager', active: false },
    ],
    documents: {
      'leave.md': { text: '# Leave\n\nEmployees have thirty days of annual leave each year.' },
      'deal.md': {
        text: '# Deal\n\nThe company will buy the Penguin Shipyard for nine million euros.',
        allow: 'verbatim:role:manager',
      },
      'pager.md': {
        text: '# Pager\n\nThe pager code of the night shift is four seven eleven.',
        allow: 'slack:usergroup:S0NIGHT',
      },
    },
  });
  ({ opened, emulator } = bench);
  instance = await startSlackInstance(opened, emulator);
});
afterAll(async () => {
  expect(emulator.faults).toEqual([]);
  await instance?.close();
  await bench?.close();
});
beforeEach(() => {
  emulator.messages.length = 0;
});

const QUESTIONS = {
  everyone: 'How many days of annual leave do employees have?',
  managers: 'When will the company buy the Penguin Shipyard?',
  usergroup: 'What is the pager code of the night shift?',
} as const;

async function event(body: object): Promise<void> {
  await sendSigned(instance.url, emulator, envelope(emulator, { event_ts: emulator.nextTs(), ...body }));
  await settle(instance.database);
}

async function mayRead(user: string): Promise<(keyof typeof QUESTIONS)[]> {
  const channel = `D${user.slice(1)}`;
  emulator.channels.set(channel, [user, emulator.botUserId]);
  const readable: (keyof typeof QUESTIONS)[] = [];
  for (const [name, text] of Object.entries(QUESTIONS)) {
    const ts = emulator.say(channel, text);
    await event(messageEvent(emulator, { channel, user, text, ts }));
    const said = emulator.replies(channel, ts).map(emulator.read).join();
    expect(said).not.toBe('');
    if (!/found nothing/.test(said)) readable.push(name as keyof typeof QUESTIONS);
  }
  return readable;
}

describe('who somebody is', () => {
  test.each([
    ['a person by a confirmed address', 'U1', { email: 'Ann@acme.example' }, ['everyone', 'managers']],
    [
      'not a person by an address that is not confirmed',
      'U2',
      { email: 'ann@acme.example', is_email_confirmed: false },
      ['everyone'],
    ],
    ['a member without a person', 'U3', { email: 'new@acme.example' }, ['everyone']],
    ['a person who left the company', 'U4', { email: 'gone@acme.example' }, []],
    ['a guest with the address of a person', 'U5', { email: 'ann@acme.example', is_ultra_restricted: true }, []],
    [
      'somebody of another company with the address of a person',
      'U6',
      { email: 'ann@acme.example', team_id: 'T0OTHER' },
      [],
    ],
    ['a deactivated user', 'U7', { email: 'ann@acme.example', deleted: true }, []],
  ])('%s', async (_, id, user, readable) => {
    emulator.addUser(id, user);
    expect(await mayRead(id)).toEqual(readable);
  });

  test('nobody that Slack does not know', async () => {
    expect(await mayRead('U0NOBODY')).toEqual([]);
  });
});

describe('a change', () => {
  test('of a user takes everything at once, and gives it back', async () => {
    emulator.addUser('U8', { email: 'ann@acme.example' });
    expect(await mayRead('U8')).toEqual(['everyone', 'managers']);
    const linked = () =>
      opened.database.owner((query) => query(`select email from identities where principal like 'slack:user:%/U8'`));
    expect(await linked()).toEqual([{ email: 'ann@acme.example' }]);
    await event({ type: 'user_change', user: emulator.addUser('U8', { email: 'ann@acme.example', deleted: true }) });
    expect(await linked()).toEqual([]);
    expect(await mayRead('U8')).toEqual([]);
    await event({ type: 'user_change', user: emulator.addUser('U8', { email: 'ann@acme.example' }) });
    expect(await mayRead('U8')).toEqual(['everyone', 'managers']);
  });

  test('of a usergroup gives its members what it may read, and takes it', async () => {
    emulator.addUser('U9', { email: 'ann@acme.example' });
    expect(await mayRead('U9')).not.toContain('usergroup');
    emulator.usergroups.set('S0NIGHT', { name: 'Night shift', users: ['U9'] });
    await event({
      type: 'subteam_members_changed',
      subteam_id: 'S0NIGHT',
      team_id: emulator.teamId,
      added_users: ['U9'],
      removed_users: [],
    });
    expect(await mayRead('U9')).toContain('usergroup');
    emulator.usergroups.set('S0NIGHT', { name: 'Night shift', users: [] });
    await event({
      type: 'subteam_members_changed',
      subteam_id: 'S0NIGHT',
      team_id: emulator.teamId,
      added_users: [],
      removed_users: ['U9'],
    });
    expect(await mayRead('U9')).not.toContain('usergroup');
  });
});
