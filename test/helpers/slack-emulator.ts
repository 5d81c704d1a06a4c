// A Slack of one's own for tests: the Web API, response URLs, files and Socket Mode, with the field names of the SDK's types.
// It refuses what Slack refuses and what would come to life in a message.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { blocksFault, messageFault, visibleText } from './slack-block-check.ts';
import { acceptWebSocket, type ServerSocket } from './websocket-server.ts';

/** A user as the workspace has it. */
export interface EmulatedUser {
  readonly id: string;
  readonly team_id: string;
  readonly name: string;
  readonly deleted: boolean;
  readonly is_bot: boolean;
  readonly is_restricted: boolean;
  readonly is_ultra_restricted: boolean;
  readonly is_stranger?: boolean;
  readonly is_email_confirmed: boolean;
  readonly profile: { readonly email?: string; readonly real_name: string };
}

export interface EmulatedMessage {
  readonly channel: string;
  readonly ts: string;
  readonly thread_ts?: string;
  /** Only this user sees it. */
  readonly ephemeralTo?: string;
  readonly bot: boolean;
  text: string;
  blocks: unknown;
  readonly metadata?: unknown;
  edits: number;
}

/** A call of the Web API as it arrived. */
export interface ApiCall {
  readonly method: string;
  readonly params: Readonly<Record<string, string>>;
  readonly token: string;
  readonly at: number;
  readonly ok: boolean;
  readonly error?: string;
}

export interface SlackEmulator {
  readonly url: string;
  readonly apiUrl: string;
  readonly teamId: string;
  readonly botUserId: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly signingSecret: string;
  readonly users: Map<string, EmulatedUser>;
  readonly channels: Map<string, string[]>;
  readonly usergroups: Map<string, { name: string; users: string[] }>;
  readonly files: Map<string, { name: string; mimetype: string; bytes: Buffer; size?: number; redirected?: boolean }>;
  readonly messages: EmulatedMessage[];
  readonly views: { kind: 'open' | 'publish'; view: Record<string, unknown>; user?: string }[];
  readonly statuses: { channel: string; thread: string; status: string }[];
  readonly reactions: { channel: string; ts: string; name: string; added: boolean }[];
  /** Reactions of people that stand on messages now. */
  readonly opinions: { channel: string; ts: string; name: string; user: string }[];
  readonly calls: ApiCall[];
  /** What was refused because Slack would act on it or refuses it; a test that ends with any has failed. */
  readonly faults: string[];
  /** So many messages are refused with 429 and `Retry-After: 1`. */
  refuseNext: number;
  /** Few, so that every test with a channel reads several pages. */
  membersPerPage: number;
  /**
   * Methods that fail, with the error they give, or what finds it (undefined: none). `down` closes the connection before the
   * call is carried out and `lost` after it, `html` is the page of a proxy, `no_code` an answer without an error.
   */
  readonly broken: Map<string, string | ((params: Readonly<Record<string, string>>) => string | undefined)>;
  addUser(id: string, user?: Partial<Omit<EmulatedUser, 'id' | 'profile'>> & { email?: string }): EmulatedUser;
  nextTs(): string;
  /** Adds a person's message to a channel. */
  say(channel: string, text: string, thread?: string): string;
  /** Messages of the bot in a thread, without ephemeral ones. */
  replies(channel: string, thread?: string): EmulatedMessage[];
  /** All that a reader of the message sees. */
  read(message: EmulatedMessage): string;
  /** Of a command it only adds messages; of a button it can replace the message that the button is in. */
  responseUrl(channel: string, user: string, of?: 'command' | 'button'): string;
  /** Sends an envelope to a connected Socket Mode client; resolves with what it was acknowledged with. */
  sendSocket(type: 'events_api' | 'slash_commands' | 'interactive', payload: object): Promise<unknown>;
  readonly sockets: Set<ServerSocket>;
  close(): Promise<void>;
}

const TEAM = 'T0EMULATOR';
const BOT = 'U0VERBATIM';
const TOKEN = 'xoxb-emulator-token';
const APP_TOKEN = 'xapp-emulator-token';

/** Starts one on a free port of this machine. */
export async function startSlackEmulator(): Promise<SlackEmulator> {
  const state = createState();
  const server: Server = createServer((request, response) => {
    handleRequest(state, request, response).catch((error: unknown) => {
      state.faults.push(`the emulator failed: ${String(error)}`);
      response.writeHead(500).end();
    });
  });
  server.on('upgrade', (request, socket) => {
    const opened: ServerSocket = acceptWebSocket(request, socket, onFrame, () => void state.sockets.delete(opened));
    state.sockets.add(opened);
    opened.send(JSON.stringify({ type: 'hello', num_connections: 1, connection_info: { app_id: 'A0' } }));
  });
  function onFrame(text: string): void {
    const { envelope_id: id, payload } = JSON.parse(text) as { envelope_id: string; payload?: unknown };
    state.envelopes.get(id)?.(payload);
    state.envelopes.delete(id);
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  state.apiUrl = `${state.url}/api/`;
  return Object.assign(state, {
    async close() {
      for (const socket of state.sockets) socket.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

type State = ReturnType<typeof createState>;

interface ResponseTarget {
  readonly channel: string;
  readonly user: string;
  readonly of: 'command' | 'button';
  last: EmulatedMessage | null;
  uses: number;
}

function createState() {
  let clock = 1_700_000_000_000_000;
  const messages: EmulatedMessage[] = [];
  const users = new Map<string, EmulatedUser>();
  const responses = new Map<string, ResponseTarget>();
  const state = {
    url: '',
    apiUrl: '',
    teamId: TEAM,
    botUserId: BOT,
    botToken: TOKEN,
    appToken: APP_TOKEN,
    signingSecret: '8f742231b10e8888abcd99yyyzzz85a5',
    users,
    channels: new Map<string, string[]>(),
    usergroups: new Map<string, { name: string; users: string[] }>(),
    files: new Map<string, { name: string; mimetype: string; bytes: Buffer; size?: number; redirected?: boolean }>(),
    messages,
    views: [] as SlackEmulator['views'],
    statuses: [] as SlackEmulator['statuses'],
    reactions: [] as SlackEmulator['reactions'],
    opinions: [] as SlackEmulator['opinions'],
    calls: [] as ApiCall[],
    faults: [] as string[],
    refuseNext: 0,
    membersPerPage: 2,
    broken: new Map() as SlackEmulator['broken'],
    responses,
    sockets: new Set<ServerSocket>(),
    envelopes: new Map<string, (payload: unknown) => void>(),
    addUser(id: string, { email, ...user }: Partial<Omit<EmulatedUser, 'id' | 'profile'>> & { email?: string } = {}) {
      const added: EmulatedUser = {
        id,
        team_id: TEAM,
        name: id.toLowerCase(),
        deleted: false,
        is_bot: false,
        is_restricted: false,
        is_ultra_restricted: false,
        is_email_confirmed: true,
        ...user,
        profile: { ...(email === undefined ? {} : { email }), real_name: id },
      };
      users.set(id, added);
      return added;
    },
    nextTs() {
      clock += 1_000;
      return `${Math.floor(clock / 1_000_000)}.${String(clock % 1_000_000).padStart(6, '0')}`;
    },
    say(channel: string, text: string, thread?: string) {
      const ts = state.nextTs();
      messages.push({
        channel,
        ts,
        ...(thread === undefined ? {} : { thread_ts: thread }),
        bot: false,
        text,
        blocks: [],
        edits: 0,
      });
      return ts;
    },
    replies: (channel: string, thread?: string) =>
      messages.filter(
        (message) =>
          message.bot &&
          message.ephemeralTo === undefined &&
          message.channel === channel &&
          (thread === undefined || message.thread_ts === thread),
      ),
    read: (message: EmulatedMessage) => visibleText(message.blocks),
    responseUrl(channel: string, user: string, of: 'command' | 'button' = 'button') {
      const id = `r${responses.size + 1}`;
      responses.set(id, { channel, user, of, last: null, uses: 0 });
      return `${state.url}/respond/${id}`;
    },
    sendSocket(type: string, payload: object) {
      const [socket] = state.sockets;
      if (!socket) throw new Error('no Socket Mode client is connected');
      const id = `envelope-${state.envelopes.size}-${Math.random()}`;
      const acknowledged = new Promise<unknown>((resolve) => state.envelopes.set(id, resolve));
      socket.send(
        JSON.stringify({
          type,
          envelope_id: id,
          payload,
          accepts_response_payload: type !== 'events_api',
          retry_attempt: 0,
          retry_reason: '',
        }),
      );
      return acknowledged;
    },
  };
  state.addUser(BOT, { is_bot: true });
  return state;
}

async function handleRequest(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  const path = new URL(request.url ?? '/', 'http://x').pathname;
  if (path.startsWith('/respond/')) return respond(state, path.slice('/respond/'.length), body, response);
  if (path.startsWith('/files/')) return serveFile(state, path.slice('/files/'.length), request, response);
  const method = path.replace(/^\/api\//, '');
  const params = parseBody(request, body);
  const token = request.headers.authorization?.replace(/^Bearer /, '') ?? params.token ?? '';
  const fault = state.broken.get(method) ?? state.broken.get('*');
  const broken = typeof fault === 'function' ? fault(params) : fault;
  if (broken === 'down') return void request.socket.destroy();
  if (method === 'chat.postMessage' && state.refuseNext > 0) {
    state.refuseNext -= 1;
    state.calls.push({ method, params, token, at: Date.now(), ok: false, error: 'ratelimited' });
    response.writeHead(429, { 'retry-after': '1' }).end(JSON.stringify({ ok: false, error: 'ratelimited' }));
    return;
  }
  const lost = broken === 'lost';
  const result = broken !== undefined && !lost ? { error: broken } : callMethod(state, method, params, token);
  const ok = !('error' in result);
  state.calls.push({ method, params, token, at: Date.now(), ok, ...(ok ? {} : { error: String(result.error) }) });
  if (lost) return void request.socket.destroy();
  if (broken === 'html') {
    return void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in to the proxy</html>');
  }
  const answer = broken === 'no_code' ? { ok } : { ok, ...result };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

function parseBody(request: IncomingMessage, body: string): Record<string, string> {
  if (request.headers['content-type']?.includes('json')) return JSON.parse(body) as Record<string, string>;
  return Object.fromEntries(new URLSearchParams(body));
}

type Result = Record<string, unknown>;
type Method = (state: State, params: Record<string, string>) => Result;

function callMethod(state: State, method: string, params: Record<string, string>, token: string): Result {
  if (method === 'apps.connections.open') {
    return token === state.appToken ? { url: `${state.url.replace('http', 'ws')}/socket` } : { error: 'invalid_auth' };
  }
  if (method === 'oauth.v2.access') return exchangeCode(state, params);
  if (token !== state.botToken) return { error: 'invalid_auth' };
  const run = METHODS[method];
  if (!run) state.faults.push(`unknown method ${method}`);
  const result = run ? run(state, params) : { error: 'unknown_method' };
  if (result.error === 'invalid_blocks') state.faults.push(`${method}: ${String(result.detail)}`);
  return result;
}

function exchangeCode(state: State, { code }: Record<string, string>): Result {
  if (code !== 'good-code') return { error: 'invalid_code' };
  return {
    access_token: state.botToken,
    token_type: 'bot',
    scope: 'chat:write',
    bot_user_id: state.botUserId,
    app_id: 'A0',
    team: { id: state.teamId, name: 'Emulated' },
    enterprise: null,
    authed_user: { id: 'U0INSTALLER' },
    is_enterprise_install: false,
  };
}

const METHODS: Readonly<Record<string, Method>> = {
  'auth.test': ({ teamId, botUserId, url }) => ({
    url,
    team: 'Emulated',
    user: 'verbatim',
    team_id: teamId,
    user_id: botUserId,
    bot_id: 'B0VERBATIM',
    is_enterprise_install: false,
  }),
  'chat.postMessage': (state, params) => post(state, params),
  'chat.postEphemeral': (state, params) => post(state, params, params.user ?? ''),
  'chat.update': (state, params) => {
    const message = state.messages.find(({ channel, ts }) => channel === params.channel && ts === params.ts);
    if (!message) return { error: 'message_not_found' };
    if (!state.channels.get(message.channel)?.includes(state.botUserId)) return { error: 'not_in_channel' };
    if (!message.bot) return { error: 'cant_update_message' };
    const content = contentOf(params);
    const fault = messageFault(content);
    if (fault !== null) return { error: 'invalid_blocks', detail: fault };
    message.text = content.text;
    message.blocks = content.blocks ?? [];
    message.edits += 1;
    return { channel: message.channel, ts: message.ts, text: message.text };
  },
  'chat.delete': (state, params) => {
    const index = state.messages.findIndex(({ channel, ts }) => channel === params.channel && ts === params.ts);
    if (index < 0) return { error: 'message_not_found' };
    if (!state.messages[index]?.bot) return { error: 'cant_delete_message' };
    state.messages.splice(index, 1);
    return { channel: params.channel, ts: params.ts };
  },
  'conversations.info': (state, { channel = '' }) =>
    state.channels.has(channel) ? { channel: { id: channel } } : { error: 'channel_not_found' },
  'conversations.history': (state, { channel }) => ({
    messages: state.messages.filter(
      (message) => message.channel === channel && message.ephemeralTo === undefined && message.thread_ts === undefined,
    ),
    has_more: false,
  }),
  'conversations.members': (state, { channel = '', cursor }) => {
    const members = state.channels.get(channel);
    if (!members) return { error: 'channel_not_found' };
    const from = Number(cursor ?? 0);
    const to = from + state.membersPerPage;
    const next = to < members.length ? String(to) : '';
    return { members: members.slice(from, to), response_metadata: { next_cursor: next } };
  },
  'conversations.open': (state, { users = '' }) => {
    const id = `D${users.slice(1)}`;
    state.channels.set(id, [users, state.botUserId]);
    return { channel: { id } };
  },
  'conversations.replies': (state, { channel, ts }) => ({
    messages: state.messages.filter(
      (message) =>
        message.channel === channel &&
        message.ephemeralTo === undefined &&
        (message.ts === ts || message.thread_ts === ts),
    ),
    has_more: false,
  }),
  'users.info': (state, { user = '' }) => {
    const found = state.users.get(user);
    return found ? { user: found } : { error: 'user_not_found' };
  },
  'users.list': (state) => ({ members: [...state.users.values()], response_metadata: { next_cursor: '' } }),
  'usergroups.list': (state) => ({
    usergroups: [...state.usergroups].map(([id, { name, users }]) => ({
      id,
      team_id: state.teamId,
      name,
      handle: name,
      date_delete: 0,
      users,
    })),
  }),
  'assistant.threads.setStatus': (state, { channel_id: channel = '', thread_ts: thread = '', status = '' }) => {
    state.statuses.push({ channel, thread, status });
    return {};
  },
  'reactions.add': (state, { channel = '', timestamp = '', name = '' }) => {
    state.reactions.push({ channel, ts: timestamp, name, added: true });
    return {};
  },
  'reactions.remove': (state, { channel = '', timestamp = '', name = '' }) => {
    state.reactions.push({ channel, ts: timestamp, name, added: false });
    return {};
  },
  'reactions.get': (state, { channel, timestamp }) => {
    const message = state.messages.find((each) => each.channel === channel && each.ts === timestamp);
    if (!message) return { error: 'message_not_found' };
    const standing = state.opinions.filter((each) => each.channel === channel && each.ts === timestamp);
    const names = [...new Set(standing.map(({ name }) => name))];
    const usersOf = (name: string) => standing.filter((each) => each.name === name).map(({ user }) => user);
    const reactions = names.map((name) => ({ name, users: usersOf(name), count: usersOf(name).length }));
    return { type: 'message', channel, message: { ts: timestamp, text: message.text, reactions } };
  },
  'views.open': (state, { view = '{}', trigger_id: trigger }) =>
    openView(state, 'open', view, trigger ? undefined : 'no trigger'),
  'views.publish': (state, { view = '{}', user_id: user }) => openView(state, 'publish', view, undefined, user),
  'files.info': (state, { file = '' }) => {
    const found = state.files.get(file);
    if (!found) return { error: 'file_not_found' };
    const { name, mimetype, bytes, size } = found;
    return {
      file: {
        id: file,
        name,
        title: name,
        mimetype,
        size: size ?? bytes.length,
        url_private_download: `${state.url}/files/${file}`,
      },
    };
  },
};

function contentOf(params: Record<string, string>): { text: string; blocks?: unknown } {
  return {
    text: params.text ?? '',
    ...(params.blocks === undefined ? {} : { blocks: JSON.parse(params.blocks) as unknown }),
  };
}

function post(state: State, params: Record<string, string>, ephemeralTo?: string): Result {
  const { channel = '', thread_ts: thread } = params;
  const members = state.channels.get(channel);
  if (!members) return { error: 'channel_not_found' };
  if (!members.includes(state.botUserId)) return { error: 'not_in_channel' };
  if (ephemeralTo !== undefined && !members.includes(ephemeralTo)) return { error: 'user_not_in_channel' };
  const content = contentOf(params);
  const fault = messageFault(content);
  if (fault !== null) return { error: 'invalid_blocks', detail: fault };
  if (params.reply_broadcast !== undefined) state.faults.push('a reply was broadcast');
  if (ephemeralTo === undefined && params.unfurl_links !== 'false') state.faults.push('links would unfurl');
  const ts = state.nextTs();
  state.messages.push({
    channel,
    ts,
    ...(thread === undefined ? {} : { thread_ts: thread }),
    ...(ephemeralTo === undefined ? {} : { ephemeralTo }),
    ...(params.metadata === undefined ? {} : { metadata: JSON.parse(params.metadata) as unknown }),
    bot: true,
    text: content.text,
    blocks: content.blocks ?? [],
    edits: 0,
  });
  return ephemeralTo === undefined ? { channel, ts, message: { text: content.text } } : { message_ts: ts };
}

function openView(state: State, kind: 'open' | 'publish', text: string, fault?: string, user?: string): Result {
  const view = JSON.parse(text) as Record<string, unknown>;
  const found = fault ?? blocksFault(view.blocks, 100);
  if (found) return { error: 'invalid_blocks', detail: found };
  state.views.push({ kind, view, ...(user === undefined ? {} : { user }) });
  return { view: { id: `V${state.views.length}` } };
}

function respond(state: State, id: string, body: string, response: ServerResponse): void {
  const target = state.responses.get(id);
  const said = JSON.parse(body) as { text?: string; blocks?: unknown; replace_original?: boolean };
  const fault = messageFault(said);
  if (!target || fault !== null || target.uses >= 5) {
    state.faults.push(`response URL: ${fault ?? 'used up or unknown'}`);
    return void response.writeHead(404).end('error');
  }
  target.uses += 1;
  if (said.replace_original && target.of === 'command') state.faults.push('response URL: a command has no original');
  if (said.replace_original && target.last)
    Object.assign(target.last, { text: said.text ?? '', blocks: said.blocks ?? [], edits: target.last.edits + 1 });
  else {
    target.last = {
      channel: target.channel,
      ts: state.nextTs(),
      ephemeralTo: target.user,
      bot: true,
      text: said.text ?? '',
      blocks: said.blocks ?? [],
      edits: 0,
    };
    state.messages.push(target.last);
  }
  response.writeHead(200).end('ok');
}

// What Slack answers with where the token may not read files: the beginning of its page for signing in.
const SIGN_IN_PAGE =
  '<!DOCTYPE html><html><head><title>Slack</title></head><body><form id="signin_form" action="/" method="post"></form></body></html>';

function serveFile(state: State, id: string, request: IncomingMessage, response: ServerResponse): void {
  const file = state.files.get(id);
  if (file?.redirected) return void response.writeHead(302, { location: `${state.url}/signin` }).end();
  if (!file || request.headers.authorization !== `Bearer ${state.botToken}`) {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(SIGN_IN_PAGE);
    return;
  }
  response.writeHead(200, { 'content-type': file.mimetype }).end(file.bytes);
}
