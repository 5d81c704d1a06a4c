// A company for load: channels, people, and documents that answer one question each.

import type { Embedder } from '../../retrieval/ports.ts';
import { openEmbedded } from '../../src/database/embedded.ts';
import { createDatabase, type DatabaseClient } from '../../src/database/pool.ts';
import { acl, createCorpus } from './corpus.ts';
import type { SlackEmulator } from './slack-emulator.ts';

/** Where the events of a load come from. */
export interface LoadCompany {
  readonly channels: readonly string[];
  readonly users: readonly string[];
  /** One a document. */
  readonly questions: readonly string[];
}

const THINGS = [
  'forklift',
  'greenhouse',
  'printing press',
  'cold store',
  'sail loft',
  'rope walk',
  'boathouse',
  'kiln',
];
const PLACES = ['Bergen', 'Lisbon', 'Gdansk', 'Trieste', 'Cork'];
const CHANNELS = 12;
const USERS = 20;

/** Its documents, by their addresses, and the question that each answers. */
function documents(): { uri: string; text: string; question: string }[] {
  return THINGS.flatMap((thing, row) =>
    PLACES.map((place, column) => {
      const weeks = 3 + row * PLACES.length + column;
      return {
        uri: `${thing}-${place}.md`.replaceAll(' ', '-').toLowerCase(),
        text: `# The ${thing} in ${place}\n\nThe ${thing} in ${place} is inspected every ${weeks} weeks.\n\nIts keys hang in the office. Whoever takes them signs the list beside the door.`,
        question: `How often is the ${thing} in ${place} inspected?`,
      };
    }),
  );
}

/** Puts the people and the documents into an empty database. */
export async function fillCompany(database: DatabaseClient, embedder: Embedder): Promise<void> {
  const people = Array.from({ length: USERS }, (_, index) => ({ email: emailOf(index), name: `Person ${index}` }));
  await database.owner(async (query) => {
    await query(`insert into tenants (tenant_id) values ('acme')`);
    await query(
      `insert into people (tenant_id, email, name, role, directory)
         select 'acme', email, name, 'analyst', 'test' from jsonb_to_recordset($1::jsonb) as r(email text, name text)`,
      [JSON.stringify(people)],
    );
  });
  const corpus = createCorpus(database, { tenantId: 'acme', embedder });
  for (const { uri, text } of documents()) {
    await corpus.add(uri, text, { acl: acl({ allow: ['verbatim:everyone'], level: 'internal' }) });
  }
  await corpus.refresh();
}

function emailOf(index: number): string {
  return `person${index}@acme.example`;
}

/** Puts the people into the workspace: all in each channel, and each in a conversation of their own with the bot. */
export function fillWorkspace(emulator: SlackEmulator): LoadCompany {
  const users = Array.from({ length: USERS }, (_, index) => `U0PERSON${index}`);
  users.forEach((user, index) => {
    emulator.addUser(user, { email: emailOf(index) });
    emulator.channels.set(`D${user.slice(1)}`, [user, emulator.botUserId]);
  });
  emulator.membersPerPage = 200; // as Slack gives them
  const channels = Array.from({ length: CHANNELS }, (_, index) => `C0LOAD${index}`);
  for (const channel of channels) emulator.channels.set(channel, [...users, emulator.botUserId]);
  return { channels, users, questions: documents().map(({ question }) => question) };
}

/** A connection to the database of a running instance, or to one that no instance has opened yet. */
export async function connectTo(environment: Readonly<Record<string, string>>): Promise<{
  readonly database: DatabaseClient;
  close(): Promise<void>;
}> {
  const { DATABASE_URL: connectionString, VERBATIM_DATA_DIR: dataDir = '' } = environment;
  const server = connectionString === undefined ? await openEmbedded({ dataDir }) : null;
  const database = createDatabase(
    server ? { connection: server.connection } : { connectionString: connectionString ?? '' },
  );
  return {
    database,
    async close() {
      await database.close();
      await server?.close();
    },
  };
}
