// Embedders that the configuration no longer names, while vectors of theirs are still searched.
import type { Clock, Embedder } from '../../retrieval/ports.ts';
import type { Config } from '../config.ts';
import type { Logger } from '../logger.ts';
import { type ClosableEmbedder, chooseEmbedder } from './choose-embedder.ts';

/** Makes embedders by their ids and keeps them. */
export interface OtherEmbedders {
  /** Null when it cannot be made here: its package, its key or its server is missing, or it is another version. */
  byId(id: string): Promise<Embedder | null>;
  close(): Promise<void>;
}

const PROVIDERS: readonly Config['embedder']['provider'][] = ['builtin', 'cohere', 'openai', 'ollama', 'transformers'];

// What could not be made is tried again after this long: a server may come back.
const RETRY_MS = 60_000;

/** Makes nothing before it is asked. */
export function createOtherEmbedders(
  config: Config,
  { logger, clock }: { logger: Logger; clock: Clock },
): OtherEmbedders {
  const made = new Map<string, { embedder: Promise<ClosableEmbedder | null>; at: number }>();

  async function make(id: string): Promise<ClosableEmbedder | null> {
    const [name = '', ...rest] = id.split(':');
    const provider = PROVIDERS.find((each) => each === name);
    if (!provider) return null;
    try {
      const choice = { provider, model: provider === 'builtin' ? null : rest.join(':') };
      const embedder = await chooseEmbedder({ ...config, embedder: choice }, { logger, clock });
      if (embedder.id === id) return embedder;
      await embedder.close();
    } catch (error) {
      logger.warn({ embedderId: id, err: error }, 'the embedder of the stored vectors cannot be used');
    }
    return null;
  }

  return {
    async byId(id) {
      const known = made.get(id);
      if (known && ((await known.embedder) || clock() - known.at < RETRY_MS)) return known.embedder;
      const embedder = make(id);
      made.set(id, { embedder, at: clock() });
      return embedder;
    },
    async close() {
      for (const { embedder } of made.values()) await (await embedder)?.close();
    },
  };
}
