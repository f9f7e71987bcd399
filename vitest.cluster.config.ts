import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config';

/** The suites against a real control plane. One after the other: they share two cores with it. */
const config = mergeConfig(
  base,
  defineConfig({
    test: { fileParallelism: false, testTimeout: 120_000, hookTimeout: 600_000, teardownTimeout: 30_000 },
  }),
);
config.test = { ...config.test, include: ['e2e/controlplane/**/*.test.ts', 'e2e/cluster/**/*.test.ts'] };

export default config;
