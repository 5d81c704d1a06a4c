// A thread does not inherit the loader that runs TypeScript, so it starts here. Also right when it was inherited.
import { register } from 'tsx/esm/api';

register();
await import('./parse-worker.ts');
