// `--import tsx` does nothing in a worker thread, so the thread registers the TypeScript loader itself.
import { register } from 'tsx/esm/api';

register();
await import('./embedded-worker.ts');
