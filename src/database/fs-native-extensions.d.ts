// The package ships no types; only what data-directory.ts uses.
declare module 'fs-native-extensions' {
  /** Takes an exclusive lock on the open file; false when another file description holds one. */
  export function tryLock(fd: number): boolean;
  /** Releases it. */
  export function unlock(fd: number): void;
}
