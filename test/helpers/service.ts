// The whole service in this process, on a database of its own, with people and documents through its own doors.
import { readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { openProduct, type Product } from '../../src/product.ts';
import { hashPassword, storePassword } from '../../src/service/passwords.ts';
import { type Service, type ServiceOptions, startService } from '../../src/service/start-service.ts';
import { importPeople } from './operations.ts';
import { processDatabase } from './process-database.ts';
import { createWordEmbedder } from './word-embedder.ts';

/** A running service of the tenants `acme` and `other`, each with the people of `importPeople`. */
export interface TestService {
  readonly product: Product;
  readonly service: Service;
  readonly url: string;
  /** A token for `ann`, `bob`, `eve` (admin), `gus` (guest) of `acme`, or of another tenant. */
  tokenOf(name: string, tenantId?: string): Promise<string>;
  givePassword(name: string, password: string): Promise<void>;
  close(): Promise<void>;
}

const SECRET = 'a secret of the tests that is long enough';

export async function testService({
  environment = {},
  mount,
}: {
  environment?: Readonly<Record<string, string>>;
  mount?: ServiceOptions['mount'];
} = {}): Promise<TestService> {
  const place = await processDatabase();
  const config = readConfig({
    ...place.environment,
    VERBATIM_PORT: '0',
    VERBATIM_TENANT: 'acme',
    VERBATIM_TOKEN_SECRET: SECRET,
    VERBATIM_RATE_PER_MINUTE: '10000',
    ...environment,
  });
  // The real model would only make each start slower.
  const embedder = { ...createWordEmbedder(), close: async () => undefined };
  const product = await openProduct(config, createLogger({ level: 'fatal' }), { embedder });
  for (const tenantId of ['acme', 'other']) await importPeople(product.database, tenantId);
  await product.startWorkers();
  const service = await startService(product, { tenantId: config.tenantId, ...(mount ? { mount } : {}) });
  const emailOf = (name: string) => `${name}@x.example`;
  return {
    product,
    service,
    url: service.url,
    async tokenOf(name, tenantId = 'acme') {
      const person = await service.parts.people.find(tenantId, emailOf(name));
      if (!person) throw new Error(`${name} is not one of the people`);
      return service.parts.sessions.issue(person);
    },
    async givePassword(name, password) {
      const digest = await hashPassword(password);
      await product.database.transaction((query) => storePassword(query, 'acme', emailOf(name), digest));
    },
    async close() {
      await service.drain();
      await product.close();
      await place.close();
    },
  };
}
