// Embedders that the configuration no longer names, while vectors of theirs are still searched.
import type { Embedder } from '../../retrieval/ports.ts';
import type { Config } from '../config.ts';
import { type ClosableEmbedder, chooseEmbedder, type EmbedderParts } from './choose-embedder.ts';

/** Makes embedders by their ids and keeps them. */
export interface OtherEmbedders {
  /** Null when no provider has it, or only in another version. */
  byId(id: string): Embedder | null;
  close(): Promise<void>;
}

const PROVIDERS: readonly Config['embedder']['provider'][] = ['builtin', 'cohere', 'openai', 'ollama', 'transformers'];

/** Makes nothing before it is asked. */
export function createOtherEmbedders(config: Config, parts: EmbedderParts): OtherEmbedders {
  const made = new Map<string, ClosableEmbedder | null>();

  function make(id: string): ClosableEmbedder | null {
    const [name = '', ...rest] = id.split(':');
    const provider = PROVIDERS.find((each) => each === name);
    if (!provider) return null;
    const choice = { provider, model: provider === 'builtin' ? null : rest.join(':') };
    const embedder = chooseEmbedder({ ...config, embedder: choice }, parts);
    return embedder.id === id ? embedder : null;
  }

  return {
    byId(id) {
      const embedder = made.get(id) ?? make(id);
      made.set(id, embedder);
      return embedder;
    },
    async close() {
      for (const embedder of made.values()) await embedder?.close();
    },
  };
}
