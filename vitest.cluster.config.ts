import { defineConfig } from 'vitest/config';
import base from './vitest.config';

/** The suites against a real control plane. One after the other: they share two cores with it. */
export default defineConfig({
  ...base,
  test: {
    include: ['e2e/cluster/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 600_000,
    teardownTimeout: 30_000,
  },
});
