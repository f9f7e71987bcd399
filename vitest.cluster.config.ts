import { defineConfig } from 'vitest/config';
import base from './vitest.config';

/** Every suite on each cluster, as `npm run soak` wants it; else each where it says most. */
const hasEverything = process.env.SHIPLOG_EVERYTHING === '1';
const all = 'e2e/cluster/**/*.test.ts';
/** Waiting for what a dead connection takes is most of it, and as long on either cluster. */
const outages = ['e2e/cluster/reliability.test.ts'];
const aboutKubernetes = [
  ...outages,
  'e2e/cluster/{histories,rollback,archived,archive-rollback,argo-rollouts,oam,owners}.test.ts',
];
/** They start both clusters and compare what those answer and hold. */
const comparisons = ['e2e/sandbox/{answers,kubectl,templates}.test.ts'];
/** What the ledger says of an hour of things that happen. */
const scenarios = 'e2e/ledger/scenarios.test.ts';
/** And of releases in steps. */
const releases = 'e2e/ledger/releases.test.ts';
const conformance = ['e2e/controllers/**/*.test.ts'];
/** They bring a sandbox of their own, on a clock of its own. */
const months = ['e2e/ledger/month.test.ts'];
/** What becomes of the ledger when processes, disks and databases fail. */
const failures = ['e2e/ledger/{kill,replicas,failures,notifications}.test.ts'];

const patient = {
  ...base.test,
  isolate: true,
  testTimeout: 300_000,
  hookTimeout: 600_000,
  teardownTimeout: 30_000,
};

/** One suite, two clusters: every file runs on the sandbox, and on the real control plane what is about Kubernetes. */
export default defineConfig({
  ...base,
  test: {
    // Each has a cluster and a Shiplog of its own, and waits for them a third of the time.
    maxWorkers: 3,
    projects: [
      project(
        'sandbox',
        [all, 'e2e/sandbox/**/*.test.ts', releases, ...months, ...failures],
        [...comparisons, ...(hasEverything ? [] : outages)],
      ),
      project('real', [
        ...(hasEverything ? [all] : aboutKubernetes),
        ...comparisons,
        ...conformance,
        scenarios,
        releases,
      ]),
    ],
  },
});

function project(cluster: 'sandbox' | 'real', include: string[], exclude: string[] = []) {
  const env = { SHIPLOG_TEST_CLUSTER: cluster };

  return { ...base, test: { ...patient, name: cluster, include, exclude, env } };
}
