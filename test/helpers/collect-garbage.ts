import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects garbage now, and what becomes garbage with it: what a long run does at times that nobody knows. */
export const collectGarbage = runInNewContext('gc') as () => void;
