import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { open, seal } from '../../../src/slack/workspaces.ts';
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

describe('a sealed token', () => {
  const key = randomBytes(32);
  const row = Buffer.from('row 1');

  test('opens with its key in its row only', () => {
    const sealed = seal(key, 'xoxb-token', row);
    expect(sealed).not.toContain('xoxb');
    expect(open(key, sealed, row)).toBe('xoxb-token');
    expect(() => open(randomBytes(32), sealed, row)).toThrow();
    expect(() => open(key, sealed, Buffer.from('row 2'))).toThrow();
    const [version, body = ''] = sealed.split('.');
    const bytes = Buffer.from(body, 'base64url');
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    expect(() => open(key, `${version}.${bytes.toString('base64url')}`, row)).toThrow();
  });

  test('is never the same twice', () => {
    expect(seal(key, 'x', row)).not.toBe(seal(key, 'x', row));
  });
});

describe('installing through OAuth', () => {
  let opened: TestDatabase;
  let emulator: SlackEmulator;
  let instance: SlackInstance;
  let bench: SlackBench;
  const environment = (workspaces: string) => ({
    SLACK_BOT_TOKEN: '',
    SLACK_CLIENT_ID: '1.2',
    SLACK_CLIENT_SECRET: 'client-secret',
    VERBATIM_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    VERBATIM_SLACK_WORKSPACES: workspaces,
  });

  beforeAll(async () => {
    bench = await openSlackBench({
      users: { U0BOB: { email: 'bob@acme.example' } },
      channels: { D0BOB: ['U0BOB'] },
    });
    ({ opened, emulator } = bench);
    instance = await startSlackInstance(opened, emulator, { environment: environment(`${emulator.teamId}=acme`) });
  });
  afterAll(async () => {
    await instance?.close();
    await bench?.close();
  });

  async function install(url: string): Promise<Response> {
    const begun = await fetch(`${url}/slack/install`, { redirect: 'manual' });
    const location = new URL(begun.headers.get('location') ?? 'http://none');
    expect(location.searchParams.get('scope')).toContain('app_mentions:read');
    const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? '';
    const state = location.searchParams.get('state') ?? '';
    return fetch(`${url}/slack/oauth_redirect?code=good-code&state=${encodeURIComponent(state)}`, {
      headers: { cookie },
    });
  }

  const ask = async (target: SlackInstance) => {
    const ts = emulator.say('D0BOB', 'hi');
    await sendSigned(
      target.url,
      emulator,
      envelope(emulator, messageEvent(emulator, { channel: 'D0BOB', user: 'U0BOB', text: 'What is new?', ts })),
    );
    await settle(target.database);
    return emulator.replies('D0BOB', ts).length;
  };

  test('makes a workspace served, its token encrypted, also after a restart; uninstalling ends it', async () => {
    expect(await ask(instance)).toBe(0);
    expect((await install(instance.url)).status).toBe(200);
    expect(await ask(instance)).toBe(1);
    const stored = await opened.database.owner((query) => query('select * from chat_workspaces'));
    expect(JSON.stringify(stored)).not.toContain('xoxb');
    await instance.close();
    instance = await startSlackInstance(opened, emulator, { environment: environment(`${emulator.teamId}=acme`) });
    expect(await ask(instance)).toBe(1);
    await sendSigned(
      instance.url,
      emulator,
      envelope(emulator, {
        type: 'tokens_revoked',
        tokens: { oauth: [], bot: [emulator.botUserId] },
        event_ts: emulator.nextTs(),
      }),
    );
    await settle(instance.database);
    expect(await ask(instance)).toBe(0);
    const [row] = await opened.database.owner((query) =>
      query<{ sealed: string | null }>('select sealed from chat_workspaces'),
    );
    expect(row?.sealed).toBeNull();
  });

  test('reads the usergroups at once; uninstalling removes all that was read of the workspace', async () => {
    emulator.usergroups.set('S0NIGHT', { name: 'Night shift', users: ['U0BOB'] });
    await install(instance.url);
    const kept = async () => {
      const rows = await opened.database.owner((query) =>
        query<{ what: string }>(
          `select 'member' as what from memberships where directory = 'slack:${emulator.teamId}'
           union all select 'group' from groups where directory = 'slack:${emulator.teamId}'
           union all select 'user' from chat_users union all select 'channel' from chat_members
           union all select 'link' from identities where principal like 'slack:user:%' order by 1`,
        ),
      );
      return rows.map(({ what }) => what);
    };
    expect(await kept()).toEqual(['group', 'member']);
    await opened.database.owner((query) =>
      query(`insert into people (tenant_id, email, name, role, directory)
        values ('acme', 'bob@acme.example', 'Bob', 'intern', 'test') on conflict do nothing`),
    );
    await ask(instance);
    await opened.database.owner((query) =>
      query(`insert into chat_members (tenant_id, platform, workspace, conversation)
        values ('acme', 'slack', '${emulator.teamId}', 'C1')`),
    );
    expect(await kept()).toEqual(['channel', 'group', 'link', 'member', 'user']);
    await sendSigned(
      instance.url,
      emulator,
      envelope(emulator, { type: 'app_uninstalled', event_ts: emulator.nextTs() }),
    );
    await settle(instance.database);
    expect(await kept()).toEqual([]);
  });

  test('is refused for a workspace that no tenant is configured for', async () => {
    const other = await startSlackInstance(opened, emulator, { environment: environment('T0OTHER=acme') });
    const response = await install(other.url);
    await other.close();
    expect([response.status, await response.text()]).toEqual([
      403,
      expect.stringContaining('VERBATIM_SLACK_WORKSPACES'),
    ]);
  });

  test('without the state of the browser that began is refused', async () => {
    const response = await fetch(`${instance.url}/slack/oauth_redirect?code=good-code&state=forged`);
    expect(response.status).toBe(400);
  });
});
