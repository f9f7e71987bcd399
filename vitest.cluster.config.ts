import { defineConfig } from 'vitest/config';
import base from './vitest.config';

const all = 'e2e/cluster/**/*.test.ts';
/** Those whose expectations are about Kubernetes itself; with SHIPLOG_EVERYTHING=1 all of them run on it. */
const aboutKubernetes = ['histories', 'reliability', 'rollback'].map((name) => `e2e/cluster/${name}.test.ts`);
/** They start both clusters and compare what those answer and hold. */
const comparisons = ['e2e/controllers/**/*.test.ts', 'e2e/sandbox/kubectl*.test.ts'];

/** One after the other: a suite, its cluster and Shiplog share two cores. */
const patient = {
  ...base.test,
  fileParallelism: false,
  testTimeout: 120_000,
  hookTimeout: 600_000,
  teardownTimeout: 30_000,
};

/** One suite, two clusters: every file runs on the sandbox, and on the real control plane what is about Kubernetes. */
export default defineConfig({
  ...base,
  test: {
    fileParallelism: false,
    projects: [
      project('sandbox', [all, 'e2e/sandbox/**/*.test.ts'], comparisons),
      project('real', [
        ...(process.env.SHIPLOG_EVERYTHING === '1' ? [all] : aboutKubernetes),
        ...comparisons,
      ]),
    ],
  },
});

function project(cluster: 'sandbox' | 'real', include: string[], exclude: string[] = []) {
  const env = { SHIPLOG_TEST_CLUSTER: cluster };

  return { ...base, test: { ...patient, name: cluster, include, exclude, env } };
}
