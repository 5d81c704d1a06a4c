// An embedder from a directory with an ONNX model, run in this process by a package that is not among ours: it brings
// several hundred megabytes of run-time libraries, which only those pay who choose it.
import { basename, dirname, resolve } from 'node:path';
import type { Embedder } from '../../retrieval/ports.ts';
import { loadPackage, ProviderError } from './provider-error.ts';
import { unitVectors } from './unit-vectors.ts';

const PACKAGE = '@huggingface/transformers';

interface Transformers {
  readonly env: { allowRemoteModels: boolean; allowLocalModels: boolean; localModelPath: string };
}

/**
 * Makes an embedder from `directory`, laid out as on the Hugging Face hub (`config.json`, `tokenizer.json`,
 * `onnx/model.onnx`); nothing is downloaded, and nothing loaded before the first text. Vectors are the means of the tokens'
 * vectors, as sentence-transformers have them.
 * @throws ProviderError from `embed`: `provider_package_missing` that names the package, or `provider_failed` when the model
 * cannot be read.
 */
export function createTransformersEmbedder(directory: string): Embedder {
  const sized = { id: `transformers:${directory}`, dimensions: null };
  let loaded: ReturnType<typeof loadModel> | undefined;
  return {
    ...sized,
    embed: (texts) =>
      unitVectors(sized, texts, async (written) => {
        loaded ??= loadModel(directory);
        const embeddings = await loaded;
        try {
          return await embeddings.embedDocuments([...written]);
        } catch {
          // Without the cause: the library's messages may repeat a text.
          const message = `${sized.id} could not embed; check that the directory holds an ONNX model`;
          throw new ProviderError('provider_failed', message);
        }
      }),
  };
}

async function loadModel(directory: string) {
  // By a variable: the compiler must not look for a package that need not be there.
  const name: string = PACKAGE;
  const { env } = await loadPackage<Transformers>(PACKAGE, () => import(name));
  const path = resolve(directory);
  Object.assign(env, { allowRemoteModels: false, allowLocalModels: true, localModelPath: dirname(path) });
  const { HuggingFaceTransformersEmbeddings } = await loadPackage(
    '@langchain/community',
    () => import('@langchain/community/embeddings/huggingface_transformers'),
  );
  return new HuggingFaceTransformersEmbeddings({ model: basename(path), batchSize: 16, maxRetries: 0 });
}
