// Opens the embedded server where no other is configured. It stands apart from the product, whose code takes longer to load
// than the server to begin with its own start.
import type { DatabaseUnavailableError } from '../retrieval/errors.ts';
import type { Config } from './config.ts';
import type { DatabaseLogger } from './database/connection.ts';
import { type EmbeddedServer, openEmbedded } from './database/embedded.ts';
import type { Logger } from './logger.ts';

/** How a process uses the embedded server. */
export interface ServerUse {
  /** This process lasts: it owns the embedded database, and other commands connect to it. */
  readonly serving?: boolean;
  readonly onDatabaseExit?: (error: DatabaseUnavailableError) => void;
  /** Called once when another process must end first. */
  readonly onDatabaseWait?: (owner: { readonly pid: number; readonly waitMs: number }) => void;
}

/** A server on its way: null where DATABASE_URL names one that runs already. */
export interface OpeningServer {
  /** Resolves when the server starts on a thread of its own, or has failed to: this thread is free for something else. */
  readonly begun: Promise<void>;
  /** @throws DatabaseUnavailableError as `openEmbedded` */
  readonly opened: Promise<EmbeddedServer | null>;
}

/** Begins to open the embedded server. */
export function openServer(
  { dataDir, databaseUrl }: Config,
  logger: Logger,
  { serving = false, onDatabaseExit, onDatabaseWait }: ServerUse = {},
): OpeningServer {
  if (databaseUrl !== null) return { begun: Promise.resolve(), opened: Promise.resolve(null) };
  let begin: () => void = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const opened = openEmbedded({
    dataDir,
    logger: databaseLogger(logger, serving),
    // Only a process that lasts lends its database to others; two that last would compete for it.
    shared: serving,
    exclusive: serving,
    onStart: begin,
    ...(onDatabaseExit ? { onExit: onDatabaseExit } : {}),
    ...(onDatabaseWait ? { onWait: onDatabaseWait } : {}),
  });
  // Who awaits `opened` is told of a failure.
  opened.then(begin, begin);
  return { begun, opened };
}

/** A command ends with an error that says what it lost; lines of the log before it would say it twice. */
export function databaseLogger(logger: Logger, serving: boolean): DatabaseLogger {
  if (serving) return logger;
  const debug = (fields: object, message: string) => logger.debug(fields, message);
  return { info: debug, warn: debug };
}
