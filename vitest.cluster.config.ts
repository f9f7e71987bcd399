import { defineConfig } from 'vitest/config';
import base from './vitest.config';

/** Every suite on each cluster for `npm run soak`; else each where it is most useful. */
const hasEverything = process.env.SHIPLOG_EVERYTHING === '1';
const all = 'e2e/cluster/**/*.test.ts';
/** Most of it is the timeout of a dead connection, which is as long on either cluster. */
const outages = ['e2e/cluster/{reliability,clusters}.test.ts'];
const aboutKubernetes = [
  ...outages,
  'e2e/cluster/{histories,rollback,archived,archive-rollback,argo-rollouts,oam,owners,viewers}.test.ts',
];
/** They give roles, which the sandbox does not have. */
const aboutRoles = ['e2e/cluster/impersonation.test.ts'];
/** They start both clusters and compare their answers and objects. */
const comparisons = ['e2e/sandbox/{answers,kubectl,templates}.test.ts'];
/** The records of an hour of changes. */
const scenarios = 'e2e/records/scenarios.test.ts';
/** And of progressive rollouts. */
const releases = 'e2e/records/releases.test.ts';
const conformance = ['e2e/controllers/**/*.test.ts'];
/** They have their own sandbox, on a clock of its own. */
const months = ['e2e/records/month.test.ts'];
/** Records and sessions when processes, disks and databases fail, of one cluster and of several. */
const failures = ['e2e/records/{kill,clusters,replicas,sessions,failures,notifications}.test.ts'];
/** The container, which needs any cluster to connect to. */
const image = ['e2e/image/**/*.test.ts'];

const patient = {
  ...base.test,
  isolate: true,
  testTimeout: 900_000,
  hookTimeout: 900_000,
  teardownTimeout: 30_000,
};

/** One suite, two clusters: every file runs on the sandbox, and those about Kubernetes on the real control plane. */
export default defineConfig({
  ...base,
  test: {
    // Each has its own cluster and Shiplog, and waits for them a third of the time.
    maxWorkers: 3,
    projects: [
      project(
        'sandbox',
        [all, 'e2e/sandbox/**/*.test.ts', releases, ...months, ...failures, ...image],
        [...comparisons, ...aboutRoles, ...(hasEverything ? [] : outages)],
      ),
      project('real', [
        ...(hasEverything ? [all] : aboutKubernetes),
        ...comparisons,
        ...aboutRoles,
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
