#!/usr/bin/env node
// TypeScript runs as it is: the loader is registered before the first file of ours is read.
import { register } from 'tsx/esm/api';

register();
await import('./main.ts');
