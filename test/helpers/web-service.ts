// The whole service on an embedded database with a small company, as browsers and requests meet it.
import { rm } from 'node:fs/promises';
import { importDirectory } from '../../ingest/directory.ts';
import type { Role } from '../../retrieval/model.ts';
import { readConfig } from '../../src/config.ts';
import { type Intake, ingestAll } from '../../src/ingest-run.ts';
import { openProduct, type Product } from '../../src/product.ts';
import { type Service, startService } from '../../src/service/start-service.ts';
import { createWebPages } from '../../src/web.ts';
import { acl } from './corpus.ts';
import { migratedDataDir } from './embedded-template.ts';
import { createTestLogger } from './test-logger.ts';
import { createWordEmbedder } from './word-embedder.ts';

export const TENANT = 'default';

/** The quoted sentence of `leave.md`, which every member may read. */
export const LEAVE = 'Every employee has thirty days of annual leave in a year.';
/** Of `bonus.md`, which finance may read. */
export const BONUS = 'The bonus pool of the finance department holds nine hundred thousand euros.';
/** Of `crane.txt`: markup that a page must show and not run. */
export const CRANE = 'The crane carries <b>twelve</b> tons <script>document.title="run"</script> and **not** more.';

const DOCUMENTS: readonly { uri: string; title: string; text: string; allow: string[]; deny?: string[] }[] = [
  {
    uri: 'demo://people/leave.md',
    title: 'Annual leave',
    text: `# Annual leave\n\n## Who decides\n\nYour manager decides within a week.\n\n${'## Before\n\nPlan early.\n\n'.repeat(12)}## How much\n\n${LEAVE} Unused days end in March.\n\n## Table\n\n| Country | Extra days |\n| --- | --- |\n| Ireland | 1 |\n| Japan | 2 |\n`,
    allow: ['verbatim:everyone'],
  },
  {
    uri: 'demo://finance/bonus.md',
    title: 'Bonus pool',
    text: `# Bonus pool\n\n${BONUS}\n`,
    allow: ['verbatim:group:finance'],
  },
  {
    uri: 'demo://yard/crane.txt',
    title: 'Crane <img src=x onerror=alert(1)>',
    text: `# Load\n\n${CRANE}\n`,
    allow: ['verbatim:everyone'],
  },
  {
    uri: 'demo://yard/gate.md',
    title: 'Gate',
    text: '# Gate\n\nThe gate of the yard closes at nine in the evening.\n',
    allow: ['verbatim:everyone', 'verbatim:user:gus@x.example'],
  },
];

/** Ada is an admin, Ann is in finance, Ben is not, Gus is a guest, Lea has left. */
export const PEOPLE = ['ada', 'ann', 'ben', 'gus', 'lea'] as const;

/** The running service. */
export interface WebService {
  readonly url: string;
  readonly product: Product;
  readonly service: Service;
  /** Documents by the last part of their URI. */
  readonly documentIds: ReadonlyMap<string, string>;
  /** Makes a document what the text says, and waits until it is live. */
  put(uri: string, text: string, allow: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

/** Starts it on any free port. `demo`: people pick who they are; without, they need a password. */
export async function startWebService({ demo = true }: { demo?: boolean } = {}): Promise<WebService> {
  const dataDir = await migratedDataDir();
  const config = readConfig({ VERBATIM_DATA_DIR: dataDir, VERBATIM_PORT: '0' });
  const product = await openProduct(config, createTestLogger().logger, {
    embedder: { ...createWordEmbedder(), close: async () => {} },
    serving: true,
  });
  await importPeople(product, demo ? 'demo' : 'import');
  const results = await ingestAll(product, DOCUMENTS.map(toIntake), { tenantId: TENANT, submittedBy: 'test' });
  const service = await startService(product, {
    tenantId: TENANT,
    mount: (parts) => ({ webRouter: createWebPages(parts, { tenantId: TENANT }) }),
  });
  return {
    url: service.url,
    product,
    service,
    documentIds: new Map(results.map(({ uri, documentId }) => [uri.split('/').at(-1) ?? uri, documentId])),
    async put(uri, text, allow) {
      const intake = toIntake({ uri, title: uri.split('/').at(-1) ?? uri, text, allow: [...allow] });
      const [result] = await ingestAll(product, [intake], { tenantId: TENANT, submittedBy: 'test' });
      return result?.documentId ?? '';
    },
    async close() {
      await service.drain();
      await product.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function toIntake({ uri, title, text, allow, deny = [] }: (typeof DOCUMENTS)[number]): Intake {
  return {
    uri,
    title,
    fileName: uri.split('/').at(-1) ?? 'page.md',
    // Finance has a floor: a level that is given would ask for a role too.
    acl: acl({ allow, deny, ...(uri.includes('/finance/') ? {} : { level: 'public' }) }),
    read: async () => ({ bytes: Buffer.from(text), mediaType: '' }),
  };
}

async function importPeople({ database }: Product, name: string): Promise<void> {
  const person = (each: (typeof PEOPLE)[number], role: Role, more: { guest?: boolean; active?: boolean } = {}) => ({
    email: `${each}@x.example`,
    name: `${each.charAt(0).toUpperCase()}${each.slice(1)} Example`,
    role,
    active: true,
    guest: false,
    ...more,
  });
  const directory = {
    people: [
      person('ada', 'admin'),
      person('ann', 'analyst'),
      person('ben', 'analyst'),
      person('gus', 'intern', { guest: true }),
      person('lea', 'exec', { active: false }),
    ],
    groups: [{ id: 'finance', name: 'Finance', members: ['ann@x.example', 'lea@x.example'] }],
    channels: [
      { id: 'town-square', name: 'town-square', purpose: 'Everybody', members: ['everyone'] },
      { id: 'finance', name: 'finance', purpose: 'The books', members: ['group:finance'] },
      {
        id: 'yard',
        name: 'yard',
        purpose: 'With a guest',
        members: ['ann@x.example', 'ben@x.example', 'gus@x.example'],
      },
    ],
  };
  await database.transaction((query) =>
    importDirectory(query, directory, { tenantId: TENANT, name, merge: false, force: true }),
  );
}
