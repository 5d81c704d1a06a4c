// What may be typed first. Each command is loaded when it is typed: all of them together load the service, the platforms and
// the benchmark's LangChain, which took 3.6 s of CPU before `--help` said a word (Node 20, two cores).
import type { Command } from 'commander';
import type { CliContext } from './run-cli.ts';

interface ListedCommand {
  readonly name: string;
  /** The command's own, for the list of commands. */
  readonly description: string;
  readonly load: () => Promise<(program: Command, context: CliContext) => void>;
}

/** All commands, in the order of `verbatim --help`. */
export const COMMANDS: readonly ListedCommand[] = [
  {
    name: 'start',
    description: 'run the product: the pages, the API and the workers; in a terminal, answer questions typed here',
    load: async () => (await import('./start-command.ts')).addStartCommand,
  },
  {
    name: 'ask',
    description: 'answer a question with quotes from documents that everyone named may read',
    load: async () => (await import('./ask-command.ts')).addAskCommand,
  },
  {
    name: 'search',
    description: 'list the chunks that a question finds, with what each search contributed',
    load: async () => (await import('./search-command.ts')).addSearchCommand,
  },
  {
    name: 'ingest',
    description: 'read files, folders, URLs or standard input into the documents that answers quote',
    load: async () => (await import('./ingest-command.ts')).addIngestCommand,
  },
  {
    name: 'forget',
    description: 'remove a document and everything made from it; a folder or URI prefix removes all below it',
    load: async () => (await import('./forget-command.ts')).addForgetCommand,
  },
  {
    name: 'directory',
    description: 'people and groups',
    load: async () => (await import('./directory-command.ts')).addDirectoryCommand,
  },
  {
    name: 'status',
    description: 'sources, documents, failures, queue and people',
    load: async () => (await import('./status-command.ts')).addStatusCommand,
  },
  {
    name: 'reembed',
    description: 'make the vectors of the configured embedder beside the old ones, then search with them',
    load: async () => (await import('./reembed-command.ts')).addReembedCommand,
  },
  {
    name: 'migrate',
    description: 'bring the database schema up to date (every command does so by itself)',
    load: async () => (await import('./migrate-command.ts')).addMigrateCommand,
  },
  {
    name: 'manifest',
    description: 'print what a chat platform is told about the app',
    load: async () => (await import('./manifest-command.ts')).addManifestCommand,
  },
  {
    name: 'demo',
    description: 'load the demo company into a tenant (npm start does so by itself on an empty embedded database)',
    load: async () => (await import('./demo-command.ts')).addDemoCommand,
  },
  {
    name: 'eval',
    description: 'measure how well questions are found, answered and refused',
    load: async () => (await import('./eval-command.ts')).addEvalCommand,
  },
  {
    name: 'bench',
    description:
      'measure retrieval at size, beside plain pgvector and LangChain on the same rows; ingest; start-up; memory',
    load: async () => (await import('./bench-command.ts')).addBenchCommand,
  },
  {
    name: 'token',
    description: 'print a token of the API that holds for 8 hours, and nothing else',
    load: async () => (await import('./token-command.ts')).addTokenCommand,
  },
  {
    name: 'user',
    description: 'how people sign in',
    load: async () => (await import('./user-command.ts')).addUserCommand,
  },
  {
    name: 'worker',
    description: 'index documents beside services on the same server, without answering anything, until stopped',
    load: async () => (await import('./worker-command.ts')).addWorkerCommand,
  },
];
