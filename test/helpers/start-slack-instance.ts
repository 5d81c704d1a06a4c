// The service with Slack as a process of its own, which may be killed: it prints its address and ends with SIGTERM.
// Argument: `words` for the embedder of the tests, `builtin` for the product's own.
import { readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { openProduct } from '../../src/product.ts';
import { mountAdapters } from '../../src/service/mount.ts';
import { startService } from '../../src/service/start-service.ts';
import { createWordEmbedder } from './word-embedder.ts';

const config = readConfig(process.env);
const overrides =
  process.argv[2] === 'words' ? { embedder: { ...createWordEmbedder(), close: async () => undefined } } : {};
const product = await openProduct(config, createLogger({ level: config.logLevel ?? 'error' }), {
  ...overrides,
  serving: true,
});
await product.startWorkers();
const { tenantId } = config;
const service = await startService(product, { tenantId, mount: (parts) => mountAdapters(parts, tenantId) });
process.once('SIGTERM', () => {
  void service
    .drain()
    .then(() => product.close())
    // With a profiler an end by itself is needed, and no timer of a library may prevent it.
    .finally(() => process.exit(0));
});
process.stdout.write(`${JSON.stringify({ url: service.url })}\n`);
