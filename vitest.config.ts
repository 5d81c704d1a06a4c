import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/helpers/global-setup.ts'],
    // The first file that opens an embedded database creates its cluster, on a busy machine beside others that do the same.
    testTimeout: 120_000,
    hookTimeout: 180_000,
  },
});
