import { defineConfig } from 'vitest/config';
import cluster from '../../vitest.cluster.config';

/** The suites of the controllers, which need a real API server, or two. */
export default defineConfig({
  ...cluster,
  test: { ...cluster.test, include: ['e2e/controllers/**/*.test.ts'] },
});
