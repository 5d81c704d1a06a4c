import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { acl, type Corpus } from '../../helpers/corpus.ts';
import type { TestDatabase } from '../../helpers/database.ts';
import {
  openSlackBench,
  type SlackBench,
  type SlackInstance,
  settle,
  startSlackInstance,
} from '../../helpers/slack-bench.ts';
import type { EmulatedMessage, SlackEmulator } from '../../helpers/slack-emulator.ts';
import { envelope, mentionEvent, sendSigned } from '../../helpers/slack-requests.ts';

let opened: TestDatabase;
let emulator: SlackEmulator;
let instance: SlackInstance;
let corpus: Corpus;
let bench: SlackBench;
const EVERYONE = acl({ allow: ['verbatim:everyone'], level: 'internal' });

beforeAll(async () => {
  bench = await openSlackBench({
    people: [
      { email: 'ada@acme.example', role: 'admin' },
      { email: 'bob@acme.example', role: 'intern' },
    ],
    documents: {
      'leave.md': { text: '# Leave\n\nEmployees have thirty days of annual leave each year.' },
      'deal.md': {
        text: '# Deal\n\nThe company will buy the Penguin Shipyard for nine million euros.',
        allow: 'verbatim:role:admin',
      },
      'plan-a.md': { text: '# Plan A\n\nThe first plan is short.' },
      'plan-b.md': { text: '# Plan B\n\nThe second plan is long.' },
    },
    users: { U0ADA: { email: 'ada@acme.example' }, U0BOB: { email: 'bob@acme.example' } },
    channels: { C0GENERAL: ['U0ADA', 'U0BOB'], C0ADMINS: ['U0ADA'] },
  });
  ({ opened, emulator, corpus } = bench);
  instance = await startSlackInstance(opened, emulator);
});
afterAll(async () => {
  expect(emulator.faults).toEqual([]);
  await instance?.close();
  await bench?.close();
});
beforeEach(() => {
  emulator.messages.length = 0;
  emulator.views.length = 0;
});

let trigger = 0;
async function command(
  name: '/ask' | '/verbatim',
  user: string,
  text: string,
  channel = 'C0GENERAL',
): Promise<EmulatedMessage | undefined> {
  trigger += 1;
  const before = emulator.messages.length;
  const response = await sendSigned(instance.url, emulator, {
    token: 'unused',
    team_id: emulator.teamId,
    team_domain: 'acme',
    channel_id: channel,
    channel_name: 'general',
    user_id: user,
    user_name: user.toLowerCase(),
    command: name,
    text,
    api_app_id: 'A0VERBATIM',
    is_enterprise_install: 'false',
    response_url: emulator.responseUrl(channel, user, 'command'),
    trigger_id: `trigger-${trigger}`,
  });
  expect(response.status).toBe(200);
  await settle(instance.database);
  return waitFor(() => emulator.messages.slice(before).find((message) => message.ephemeralTo === user));
}

async function waitFor<T>(find: () => T | undefined): Promise<T | undefined> {
  for (let tries = 0; tries < 400; tries++) {
    const found = find();
    if (found !== undefined) return found;
    await sleep(50);
  }
  return undefined;
}

const read = (message: EmulatedMessage | undefined) => (message ? emulator.read(message) : '');

async function press(actionId: string, user: string, value: string, channel = 'C0GENERAL'): Promise<void> {
  trigger += 1;
  const response = await sendSigned(instance.url, emulator, {
    type: 'block_actions',
    user: { id: user, team_id: emulator.teamId },
    team: { id: emulator.teamId, domain: 'acme' },
    api_app_id: 'A0VERBATIM',
    trigger_id: `trigger-${trigger}`,
    channel: { id: channel, name: 'general' },
    container: { type: 'message', channel_id: channel },
    response_url: emulator.responseUrl(channel, user),
    actions: [
      {
        type: 'button',
        action_id: actionId,
        block_id: 'b',
        value,
        action_ts: String(trigger),
        text: { type: 'plain_text', text: 'x' },
      },
    ],
  });
  expect(response.status).toBe(200);
}

async function submitView(callbackId: string, user: string, metadata: string, values: object): Promise<void> {
  trigger += 1;
  const response = await sendSigned(instance.url, emulator, {
    type: 'view_submission',
    user: { id: user, team_id: emulator.teamId },
    team: { id: emulator.teamId },
    trigger_id: `trigger-${trigger}`,
    view: {
      id: 'V1',
      type: 'modal',
      callback_id: callbackId,
      private_metadata: metadata,
      state: { values },
      app_installed_team_id: emulator.teamId,
    },
  });
  expect(response.status).toBe(200);
}

const answerIds = () =>
  opened.database.owner((query) =>
    query<{ answer_id: string; question: string }>('select answer_id, question from answers order by asked_at desc'),
  );

describe('/ask', () => {
  test('answers the asker alone, from what the asker may read', async () => {
    expect(read(await command('/ask', 'U0ADA', 'When will the company buy the Penguin Shipyard?'))).toContain(
      'nine million',
    );
    expect(emulator.replies('C0GENERAL')).toEqual([]);
  });

  test('of somebody who may not read it is refused', async () => {
    expect(read(await command('/ask', 'U0BOB', 'When will the company buy the Penguin Shipyard?'))).toMatch(
      /found nothing/,
    );
  });

  test('with the button it is shown in the channel, when everyone there may read it now', async () => {
    await command('/ask', 'U0BOB', 'How many days of annual leave do employees have?');
    const [answer] = await answerIds();
    await press('post_to_channel', 'U0ADA', answer?.answer_id ?? '');
    await press('post_to_channel', 'U0BOB', answer?.answer_id ?? '');
    await waitFor(() => emulator.messages.find((message) => /in the channel now/.test(message.text)));
    const shown = emulator.replies('C0GENERAL').map(emulator.read);
    expect(shown).toEqual([expect.stringContaining('How many days'), expect.stringContaining('thirty days')]);
  });

  test('with the button it stays private where somebody may not read it', async () => {
    await command('/ask', 'U0ADA', 'When will the company buy the Penguin Shipyard?');
    const [answer] = await answerIds();
    await press('post_to_channel', 'U0ADA', answer?.answer_id ?? '');
    expect(
      read(await waitFor(() => emulator.messages.find((message) => /stays between us/.test(message.text)))),
    ).toMatch(/Not everyone/);
    expect(emulator.replies('C0GENERAL')).toEqual([]);
  });
});

test('the private answer that is offered in a channel comes as a direct message, to the asker only', async () => {
  const text = `<@${emulator.botUserId}> When will the company buy the Penguin Shipyard?`;
  const ts = emulator.say('C0GENERAL', text);
  await sendSigned(
    instance.url,
    emulator,
    envelope(emulator, mentionEvent(emulator, { channel: 'C0GENERAL', user: 'U0ADA', text, ts })),
  );
  await settle(instance.database);
  const [answer] = await answerIds();
  await press('ask_privately', 'U0BOB', answer?.answer_id ?? '');
  await press('ask_privately', 'U0ADA', answer?.answer_id ?? '');
  await press('ask_privately', 'U0ADA', answer?.answer_id ?? '');
  await waitFor(() => (emulator.replies('D0ADA').length > 1 ? true : undefined));
  await settle(instance.database);
  expect(emulator.replies('D0ADA').map(emulator.read)).toEqual([
    expect.stringContaining('You asked'),
    expect.stringContaining('nine million'),
  ]);
  expect(emulator.replies('D0BOB')).toEqual([]);
});

describe('/verbatim', () => {
  test.each(['status', 'forget leave.md', 'why x deal.md', 'who can see deal.md', 'nonsense', ''])(
    '%s of somebody who is no admin is denied without saying what exists',
    async (text) => {
      expect(read(await command('/verbatim', 'U0BOB', text)).trim()).toBe(
        'These commands are for the administrators of Verbatim. Ask one of them.',
      );
    },
  );

  test.each([
    ['help', /forget <link, title or id>/],
    ['', /forget <link, title or id>/],
    ['dance', /do not know "dance"/],
    ['status', /documents\s+\d+ live/],
    ['sync upload', /nothing to fetch/],
    ['sync moon', /no source "moon"; there are upload/],
    ['who can see deal.md', /1 active person: ada@acme\.example/],
    ['who can see leave.md', /2 active people: ada@acme\.example, bob@acme\.example/],
    ['forget plan', /can mean several documents/],
    ['forget moon.md', /No document has/],
    ['quarantine plan-b.md', /out of all answers/],
    ['release plan-b.md', /can be found again/],
    ['who can see leave.md', /“Leave”: every member\./],
    ['ingest', /give an address or a text/],
    ['ingest --allow', /--allow wants a value/],
    ['ingest http://10.0.0.1/secret', /did not work/],
  ])('%s', async (text, said) => {
    expect(read(await command('/verbatim', 'U0ADA', text))).toMatch(said);
  });

  test('a long one shows its steps in one message that is edited, to the admin alone', async () => {
    emulator.channels.delete('D0ADA');
    await command('/verbatim', 'U0ADA', 'ingest The old mill grinds on Mondays.');
    const shown = await waitFor(() => emulator.messages.find(({ channel, edits }) => channel === 'D0ADA' && edits > 1));
    expect(read(shown).trim()).toBe('Done. The result is where you typed the command.');
    expect(emulator.replies('D0ADA')).toHaveLength(1);
  });

  test('ingest adds a text for those who were named, and it is answered from', async () => {
    const said = read(
      await command('/verbatim', 'U0ADA', 'ingest --allow verbatim:everyone The lighthouse opens at seven on Sundays.'),
    );
    expect(said).toMatch(/is in: 1 chunk, version 1/);
    expect(read(await command('/ask', 'U0BOB', 'When does the lighthouse open?'))).toContain('at seven');
  });

  test('forget asks, then removes, prints the receipt, and the posted answer is taken back', async () => {
    await corpus.add('pets.md', '# Pets\n\nDogs may come to the office on the second Friday.', { acl: EVERYONE });
    await corpus.refresh();
    const text = `<@${emulator.botUserId}> When may dogs come to the office?`;
    const ts = emulator.say('C0GENERAL', text);
    await sendSigned(
      instance.url,
      emulator,
      envelope(emulator, mentionEvent(emulator, { channel: 'C0GENERAL', user: 'U0BOB', text, ts })),
    );
    await settle(instance.database);
    expect(emulator.replies('C0GENERAL', ts).map(emulator.read).join()).toContain('second Friday');
    const asked = await command('/verbatim', 'U0ADA', 'forget pets.md', 'C0ADMINS');
    expect(read(asked)).toMatch(/This removes “Pets” .*Forget it/s);
    const [document] = await opened.database.owner((query) =>
      query<{ id: string }>(`select document_id as id from documents where uri = 'pets.md'`),
    );
    await press('forget_confirm', 'U0BOB', document?.id ?? '');
    await press('forget_confirm', 'U0ADA', document?.id ?? '', 'C0ADMINS');
    const receipt = await waitFor(() => emulator.messages.find((message) => /^Forgotten/.test(message.text)));
    expect(read(receipt)).toMatch(/1 stored answer;.*1 posted message is/);
    await instance.slack.retractions.sweep();
    await settle(instance.database);
    expect(emulator.replies('C0GENERAL', ts).map(emulator.read).join()).toMatch(/taken back/);
    const rows = await opened.database.owner((query) =>
      query<{ retraction: string }>('select retraction from posted_answers where retraction is not null'),
    );
    expect(rows).toEqual([{ retraction: 'done' }]);
  });

  test('why gives the first reason', async () => {
    const text = `<@${emulator.botUserId}> How many days of annual leave do employees have?`;
    const ts = emulator.say('C0GENERAL', text);
    await sendSigned(
      instance.url,
      emulator,
      envelope(emulator, mentionEvent(emulator, { channel: 'C0GENERAL', user: 'U0ADA', text, ts })),
    );
    await settle(instance.database);
    const [reply] = emulator.replies('C0GENERAL', ts);
    const link = `https://acme.slack.com/archives/C0GENERAL/p${reply?.ts.replace('.', '')}`;
    expect(read(await command('/verbatim', 'U0ADA', `why ${link} leave.md`))).toMatch(/The answer quotes “Leave”/);
    expect(read(await command('/verbatim', 'U0ADA', `why ${link} deal.md`))).toMatch(
      /may not read it, so it was not searched/,
    );
    expect(
      read(
        await command('/verbatim', 'U0ADA', 'why https://acme.slack.com/archives/C0GENERAL/p1000000000000000 deal.md'),
      ),
    ).toMatch(/No answer of mine/);
  });

  test('ingest keeps a text exactly as it was typed', async () => {
    const typed = 'The  ferry <Odile>  leaves:\n  - at &amp; 8  > 7\n      - not later';
    await command('/verbatim', 'U0ADA', `ingest ${typed}`);
    const [stored] = await opened.database.owner((query) =>
      query<{ text: string }>(
        `select convert_from(original, 'utf8') as text from document_versions where file_name like 'note-%'
           order by seen_at desc limit 1`,
      ),
    );
    expect(stored?.text).toBe(typed.replace('&amp;', '&'));
  });

  test.each([
    ['status', 'acme'],
    ['sync moon', 'moon'],
    ['who can see deal.md', 'can see deal.md'],
    ['why a-1 deal.md', 'a-1 deal.md'],
    ['ingest https://10.0.0.1/x', 'https://10.0.0.1/x'],
    ['ingest something confidential', ''],
  ])('%s is audited with its target', async (text, target) => {
    await command('/verbatim', 'U0BOB', text);
    expect(await lastAudit()).toEqual({ actor: 'bob@acme.example', target, denied: true });
  });

  test('that fails ends with a sentence', async () => {
    emulator.addUser('U0NEW', { email: 'new@acme.example' });
    emulator.channels.get('C0GENERAL')?.push('U0NEW');
    emulator.broken.set('users.info', 'internal_error');
    try {
      expect(read(await command('/verbatim', 'U0NEW', 'status'))).toMatch(/Something went wrong/);
    } finally {
      emulator.broken.clear();
    }
  });

  test('each is audited, also when it was denied', async () => {
    await command('/verbatim', 'U0BOB', 'status');
    const rows = await opened.database.owner((query) =>
      query<{ actor: string; action: string; details: object }>(
        `select actor, action, details from audit_log where actor = 'bob@acme.example' and action = 'command.status' limit 1`,
      ),
    );
    expect(rows).toEqual([{ actor: 'bob@acme.example', action: 'command.status', details: { denied: true } }]);
  });
});

describe('feedback by buttons', () => {
  test('a thumbs-down is asked what was wrong, and the reason is stored with the answer', async () => {
    await command('/ask', 'U0BOB', 'How many days of annual leave do employees have?');
    const [answer] = await answerIds();
    const id = answer?.answer_id ?? '';
    await press('feedback_up', 'U0BOB', id);
    await press('feedback_down', 'U0BOB', id);
    const view = await waitFor(() => emulator.views.find(({ kind }) => kind === 'open'));
    expect(view?.view).toMatchObject({ callback_id: 'feedback_reasons', private_metadata: id });
    await submitView('feedback_reasons', 'U0BOB', id, {
      reason: { value: { type: 'radio_buttons', selected_option: { value: 'outdated' } } },
      comment: { value: { type: 'plain_text_input', value: 'It is forty now.' } },
    });
    const stored = await waitForRow(
      `select verdict, reason, comment, given_by from feedback where answer_id = '${id}' and reason is not null`,
    );
    expect(stored).toEqual([
      { verdict: 'down', reason: 'outdated', comment: 'It is forty now.', given_by: 'bob@acme.example' },
    ]);
  });
});

async function lastAudit(): Promise<object | undefined> {
  const [row] = await opened.database.owner((query) =>
    query(
      `select actor, target, details -> 'denied' as denied from audit_log where action !~ '^(document|feedback)' order by at desc limit 1`,
    ),
  );
  return row;
}

describe('a button', () => {
  test('of an admin that somebody else presses is denied and audited', async () => {
    await press('forget_confirm', 'U0BOB', 'd-1');
    expect(read(await waitFor(() => emulator.messages.find((message) => message.ephemeralTo === 'U0BOB')))).toMatch(
      /for the administrators/,
    );
    expect(await lastAudit()).toEqual({ actor: 'bob@acme.example', target: 'd-1', denied: true });
    await press('ingest_file', 'U0BOB', 'F1');
    await waitFor(() => (emulator.messages.length > 1 ? true : undefined));
    expect(await lastAudit()).toMatchObject({ target: `slack:file:${emulator.teamId}/F1`, denied: true });
    expect(emulator.views).toEqual([]);
  });

  test('of somebody who did not ask says so', async () => {
    await command('/ask', 'U0ADA', 'How many days of annual leave do employees have?');
    const [answer] = await answerIds();
    emulator.messages.length = 0;
    await press('post_to_channel', 'U0BOB', answer?.answer_id ?? '');
    expect(read(await waitFor(() => emulator.messages[0]))).toMatch(/Only whoever asked/);
    expect(await lastAudit()).toEqual({ actor: 'bob@acme.example', target: answer?.answer_id, denied: true });
  });

  test('or a form that nobody knows is answered at once', async () => {
    await press('of_another_version', 'U0BOB', 'x');
    await submitView('of_another_version', 'U0BOB', '', {});
    expect(read(await waitFor(() => emulator.messages.find((message) => message.ephemeralTo === 'U0BOB')))).toMatch(
      /do not know this button/,
    );
    expect(read(await waitFor(() => emulator.replies('D0BOB')[0]))).toMatch(/do not know this button/);
  });

  test('to show an answer whose document is in quarantine says that, and not that somebody may not read it', async () => {
    await command('/ask', 'U0BOB', 'How many days of annual leave do employees have?');
    const [answer] = await answerIds();
    await command('/verbatim', 'U0ADA', 'quarantine leave.md');
    await press('post_to_channel', 'U0BOB', answer?.answer_id ?? '');
    const said = await waitFor(() =>
      emulator.messages.find((message) => /is not shown|stays between/.test(message.text)),
    );
    await command('/verbatim', 'U0ADA', 'release leave.md');
    expect(read(said)).toMatch(/not available as it was quoted/);
  });
});

describe('feedback by reactions', () => {
  const opinions = (id: string) =>
    opened.database.owner((query) =>
      query(`select given_by, verdict from feedback where answer_id = '${id}' and withdrawn_at is null order by 1`),
    );

  test('counts those who see the answer, and what still stands of several', async () => {
    const text = `<@${emulator.botUserId}> How many days of annual leave do employees have?`;
    const ts = emulator.say('C0ADMINS', text);
    const question = mentionEvent(emulator, { channel: 'C0ADMINS', user: 'U0ADA', text, ts });
    await sendSigned(instance.url, emulator, envelope(emulator, question));
    await settle(instance.database);
    const [message] = emulator.replies('C0ADMINS', ts);
    const [answer] = await answerIds();
    const id = answer?.answer_id ?? '';
    const react = async (user: string, name: string, added: boolean) => {
      const standing = { channel: 'C0ADMINS', ts: message?.ts ?? '', name, user };
      if (added) emulator.opinions.push(standing);
      else
        emulator.opinions.splice(
          emulator.opinions.findIndex((each) => each.name === name && each.user === user),
          1,
        );
      await sendSigned(
        instance.url,
        emulator,
        envelope(emulator, {
          type: added ? 'reaction_added' : 'reaction_removed',
          user,
          reaction: name,
          item_user: emulator.botUserId,
          item: { type: 'message', channel: 'C0ADMINS', ts: message?.ts },
          event_ts: emulator.nextTs(),
        }),
      );
      await settle(instance.database);
      return opinions(id);
    };
    expect(await react('U0BOB', '+1', true)).toEqual([]);
    const up = [{ given_by: 'ada@acme.example', verdict: 'up' }];
    expect(await react('U0ADA', '+1', true)).toEqual(up);
    expect(await react('U0ADA', 'white_check_mark', true)).toEqual(up);
    expect(await react('U0ADA', '+1', false)).toEqual(up);
    expect(await react('U0ADA', 'x', true)).toEqual([{ given_by: 'ada@acme.example', verdict: 'down' }]);
    const hint = emulator.messages.find(
      ({ text: said, ephemeralTo }) => ephemeralTo === 'U0ADA' && /What was wrong/.test(said),
    );
    expect(hint?.thread_ts).toBe(ts);
    expect(await react('U0ADA', 'x', false)).toEqual([]);
  });
});

async function waitForRow(sql: string): Promise<object[]> {
  for (let tries = 0; tries < 200; tries++) {
    const rows = await opened.database.owner((query) => query(sql));
    if (rows.length > 0) return rows;
    await sleep(50);
  }
  return [];
}

describe('a file', () => {
  test('that an admin points at becomes a document with the readers that were chosen', async () => {
    emulator.files.set('F0HARBOUR', {
      name: 'harbour.md',
      mimetype: 'text/markdown',
      bytes: Buffer.from('# Harbour\n\nThe harbour master is called Odile.'),
    });
    await shortcut('ingest_this_file', 'U0ADA', { files: [{ id: 'F0HARBOUR', name: 'harbour.md' }] });
    const view = await waitFor(() => emulator.views.find(({ kind }) => kind === 'open'));
    await submitView('ingest_file', 'U0ADA', String(view?.view.private_metadata), {
      allow: { value: { type: 'plain_text_input', value: 'verbatim:everyone' } },
      level: { value: { type: 'static_select', selected_option: { value: 'internal' } } },
    });
    const said = await waitFor(() => emulator.messages.find((message) => /is in:/.test(message.text)));
    expect(read(said)).toMatch(/“Harbour” .* readers: every member/);
    expect(read(await command('/ask', 'U0BOB', 'What is the harbour master called?'))).toContain('Odile');
  });

  test('of somebody who is no admin is not taken', async () => {
    await shortcut('ingest_this_file', 'U0BOB', { files: [{ id: 'F0HARBOUR' }] });
    expect(read(await waitFor(() => emulator.messages.find((message) => message.ephemeralTo === 'U0BOB')))).toMatch(
      /for the administrators/,
    );
    expect(emulator.views).toEqual([]);
  });

  const submit = (fileId: string, channel = 'C0GENERAL') =>
    submitView('ingest_file', 'U0ADA', JSON.stringify({ fileId, channel }), {
      allow: { value: { value: '' } },
      level: { value: { selected_option: { value: 'derived' } } },
    });
  const said = async () => read(await waitFor(() => emulator.messages.find((message) => message.bot)));

  test('that is a page is taken, and the page for signing in is not', async () => {
    const bytes = Buffer.from('<html><body><h1>Signpost</h1><p>The signpost is green.</p></body></html>');
    emulator.files.set('F0PAGE', { name: 'signpost.html', mimetype: 'text/html', bytes });
    await submit('F0PAGE');
    expect(await said()).toMatch(/“Signpost” .* is in:/);
    emulator.messages.length = 0;
    emulator.files.set('F0AWAY', { name: 'a.html', mimetype: 'text/html', bytes, redirected: true });
    await submit('F0AWAY');
    expect(await said()).toMatch(/could not be fetched/);
  });

  test('that Slack does not know, or a channel without the app, ends with a sentence', async () => {
    await submit('F0NONE');
    expect(await said()).toMatch(/does not give me this file/);
    emulator.messages.length = 0;
    emulator.channels.set('C0ELSEWHERE', ['U0ADA']);
    await submit('F0NONE', 'C0ELSEWHERE');
    expect(await said()).toMatch(/does not give me this file/);
    expect(emulator.messages.map(({ channel }) => channel)).toEqual(['D0ADA']);
  });

  test('over the limit is refused', async () => {
    emulator.files.set('F0HUGE', {
      name: 'huge.md',
      mimetype: 'text/markdown',
      bytes: Buffer.from('x'),
      size: 51 * 2 ** 20,
    });
    await submitView('ingest_file', 'U0ADA', JSON.stringify({ fileId: 'F0HUGE', channel: 'C0GENERAL' }), {
      allow: { value: { value: '' } },
      level: { value: { selected_option: { value: 'derived' } } },
    });
    expect(read(await waitFor(() => emulator.messages.find((message) => message.ephemeralTo === 'U0ADA')))).toMatch(
      /larger than 50 MiB/,
    );
  });
});

async function shortcut(callbackId: string, user: string, message: object): Promise<void> {
  trigger += 1;
  const ts = emulator.say('C0GENERAL', 'look');
  const response = await sendSigned(instance.url, emulator, {
    type: 'message_action',
    callback_id: callbackId,
    trigger_id: `trigger-${trigger}`,
    action_ts: String(trigger),
    response_url: emulator.responseUrl('C0GENERAL', user),
    team: { id: emulator.teamId },
    user: { id: user, team_id: emulator.teamId },
    channel: { id: 'C0GENERAL', name: 'general' },
    message_ts: ts,
    message: { type: 'message', user, ts, text: 'look', ...message },
  });
  expect(response.status).toBe(200);
}

test('the shortcut "Ask about this" answers in the thread of the message', async () => {
  await shortcut('ask_about_this', 'U0BOB', { text: 'How many days of annual leave do employees have?' });
  const reply = await waitFor(() => emulator.replies('C0GENERAL')[0]);
  expect(read(reply)).toContain('thirty days');
  expect(reply?.thread_ts).toBeDefined();
});

describe('the Home tab', () => {
  test.each([
    ['U0BOB', ['leave', 'upload'], ['Status', 'everyone here']],
    ['U0ADA', ['Status', 'documents'], []],
  ])('of %s', async (user, shown, hidden) => {
    await sendSigned(
      instance.url,
      emulator,
      envelope(emulator, {
        type: 'app_home_opened',
        user,
        channel: 'D0HOME',
        tab: 'home',
        event_ts: emulator.nextTs(),
      }),
    );
    await settle(instance.database);
    const text = JSON.stringify(emulator.views.find(({ kind }) => kind === 'publish')?.view);
    for (const word of shown) expect(text).toContain(word);
    for (const word of hidden) expect(text).not.toContain(word);
  });
});
