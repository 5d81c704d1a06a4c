import { rm } from 'node:fs/promises';
import { isEmbedded, testDatabase } from './database.ts';
import { migratedDataDir } from './embedded-template.ts';

/** A migrated database that no connection is open to: for processes that tests start and kill. */
export interface ProcessDatabase {
  /** A data directory, or with TEST_DATABASE_URL a connection string. */
  readonly address: string;
  /** The address as the product's environment names it. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Makes one. The processes must have ended before `close`. */
export async function processDatabase(): Promise<ProcessDatabase> {
  if (!isEmbedded()) {
    const opened = await testDatabase();
    const address = opened.options.connectionString ?? '';
    return { address, environment: { DATABASE_URL: address }, close: () => opened.close() };
  }
  const address = await migratedDataDir();
  return {
    address,
    environment: { VERBATIM_DATA_DIR: address },
    close: () => rm(address, { recursive: true, force: true }),
  };
}
