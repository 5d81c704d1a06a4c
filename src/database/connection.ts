// What the parts of the database layer share: where a server is, and where they log.

/** Where a PostgreSQL server listens. An absolute path as `host` is the directory of a Unix socket. */
export interface DatabaseConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** Set by `openEmbedded`: one PostgreSQL session serves every connection, without timers or cancellation. */
  readonly embedded?: true;
}

/** The two levels that the database layer logs at; a pino logger fits. Fields never hold values of statements. */
export interface DatabaseLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** The role of questions: may only read, under row-level security. Nobody logs in as it. */
export const READER_ROLE = 'verbatim_reader';

/** The role of the application: reads and writes its tables, owns none. Nobody logs in as it. */
export const APP_ROLE = 'verbatim_app';
