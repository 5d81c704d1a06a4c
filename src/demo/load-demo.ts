// The demo company: an invented one with people, groups, policies that contradict each other, and secrets.
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { importDirectory } from '../../ingest/directory.ts';
import { readDirectoryFile } from '../../ingest/directory-file.ts';
import { parseAccessLevel, parsePrincipal } from '../../retrieval/access-policy.ts';
import { type IngestedDocument, type IngestRunOptions, type Intake, ingestAll } from '../ingest-run.ts';
import type { Product } from '../product.ts';

const COMPANY = new URL('company/', import.meta.url);
const DEMO = 'demo';

const principals = z.array(z.string()).default([]);
const manifest = z.array(
  z
    .object({
      path: z.string(),
      uri: z.string(),
      title: z.string().optional(),
      allow: principals,
      require: principals,
      deny: principals,
      grant: principals,
      level: z.string().optional(),
      effectiveFrom: z.string().date().optional(),
      effectiveTo: z.string().date().optional(),
    })
    .strict(),
);

const questions = z.array(
  z
    .object({
      text: z.string(),
      as: z.string(),
      with: z.array(z.string()).default([]),
      expect: z.enum(['answered', 'refused']),
    })
    .passthrough(),
);

/** A question that the demo company can be asked, and by whom. */
export interface DemoQuestion {
  readonly text: string;
  readonly as: string;
  /** The others who see the answer. */
  readonly with: readonly string[];
  readonly expect: 'answered' | 'refused';
}

/** Imports the demo's people and ingests its documents. Repeating it changes nothing. */
export async function loadDemo(
  product: Product,
  { tenantId, onProgress }: Pick<IngestRunOptions, 'tenantId' | 'onProgress'>,
): Promise<IngestedDocument[]> {
  const directory = readDirectoryFile(await readFile(new URL('people.json', COMPANY), 'utf8'));
  const { channels } = readDirectoryFile(await readFile(new URL('channels.json', COMPANY), 'utf8'));
  await product.database.transaction((query) =>
    importDirectory(query, { ...directory, channels }, { tenantId, name: DEMO, merge: false, force: true }),
  );
  const entries = await readManifest();
  const options: IngestRunOptions = { tenantId, submittedBy: DEMO, sourceId: DEMO, embedLater: true };
  return ingestAll(product, entries.map(toIntake), { ...options, ...(onProgress ? { onProgress } : {}) });
}

async function readManifest(): Promise<z.infer<typeof manifest>> {
  return manifest.parse(JSON.parse(await readFile(new URL('documents.json', COMPANY), 'utf8')));
}

/** How many documents the demo company has. */
export async function demoDocumentCount(): Promise<number> {
  return (await readManifest()).length;
}

function toIntake(entry: z.infer<typeof manifest>[number]): Intake {
  const { path, uri, title, effectiveFrom, effectiveTo } = entry;
  return {
    uri,
    fileName: basename(path),
    ...(title === undefined ? {} : { title }),
    ...(effectiveFrom === undefined ? {} : { effectiveFrom: new Date(effectiveFrom) }),
    // The last day counts.
    ...(effectiveTo === undefined ? {} : { effectiveTo: new Date(Date.parse(effectiveTo) + 86_400_000) }),
    acl: {
      allow: entry.allow.map(parsePrincipal),
      require: entry.require.map(parsePrincipal),
      deny: entry.deny.map(parsePrincipal),
      grant: entry.grant.map(parsePrincipal),
      level: entry.level === undefined ? null : parseAccessLevel(entry.level),
    },
    read: async () => ({ bytes: await readFile(new URL(path, COMPANY)), mediaType: '' }),
  };
}

/** Questions to try, in the order of the file. */
export async function demoQuestions(): Promise<DemoQuestion[]> {
  return questions.parse(JSON.parse(await readFile(new URL('questions.json', COMPANY), 'utf8')));
}
