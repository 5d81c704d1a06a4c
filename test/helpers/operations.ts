// The operations on a test's database, with an indexer that runs when the test says so.
import { importDirectory } from '../../ingest/directory.ts';
import type { Database } from '../../retrieval/ports.ts';
import { createOperations, type Operations } from '../../src/operations/create-operations.ts';

/** Operations whose queue nobody works on. */
export function testOperations(database: Database, largeAudiencePeople = 500): Operations {
  return createOperations({
    database,
    outbox: { send: async () => undefined },
    queue: { wake: () => undefined },
    config: { largeAudiencePeople },
  });
}

/** A tenant with somebody of each kind and one group. */
export async function importPeople(database: Database, tenantId: string): Promise<void> {
  const person = (email: string, role: 'intern' | 'manager' | 'admin', rest: object = {}) => ({
    email: `${email}@x.example`,
    name: email.charAt(0).toUpperCase() + email.slice(1),
    role,
    active: true,
    guest: false,
    ...rest,
  });
  const directory = {
    people: [
      person('ann', 'manager'),
      person('bob', 'intern'),
      person('eve', 'admin'),
      person('gus', 'intern', { guest: true }),
      person('zoe', 'manager', { active: false }),
    ],
    groups: [
      { id: 'finance', name: 'Finance', members: ['ann@x.example', 'group:auditors', 'zoe@x.example'] },
      { id: 'auditors', name: 'Auditors', members: ['gus@x.example'] },
    ],
  };
  await database.transaction((query) =>
    importDirectory(query, directory, { tenantId, name: 'test', merge: false, force: true }),
  );
}
