import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    tsconfigPaths: true,
    alias: {
      'server-only': fileURLToPath(new URL('./test/empty.ts', import.meta.url)),
      'fast-check': fileURLToPath(new URL('./test/seeded-fast-check.mjs', import.meta.url)),
    },
  },
  test: {
    // Vitest reserves one core for itself, which is nearly idle while files run.
    maxWorkers: availableParallelism(),
    // No test changes what another file reads, and loading everything again for each took most of the time.
    isolate: false,
    // A shared machine may be slow; a hanging test still ends.
    testTimeout: 30_000,
    setupFiles: './test/async-timeout.ts',
    environment: 'node', // a component test starts with: // @vitest-environment jsdom
    include: [
      '{app,components,lib,sandbox,server,scripts,test}/**/*.test.{ts,tsx}',
      'e2e/controlplane/**/*.test.ts',
    ],
  },
});
