import { defineConfig } from 'vitest/config';
import base from './vitest.config';

/** Every suite on each cluster for `npm run soak`; else each where it is most useful. */
const hasEverything = process.env.SHIPLOG_EVERYTHING === '1';
const all = 'e2e/cluster/**/*.test.ts';
/** Most of it is the timeout of a dead connection, which is as long on either cluster. */
const outages = ['e2e/cluster/{reliability,clusters}.test.ts'];
const aboutKubernetes = [
  ...outages,
  'e2e/cluster/{histories,archived,archive-rollback,altered-rollback,adoption,argo-rollouts,oam,owners,viewers}.test.ts',
];
/** They give roles, which the sandbox does not have. */
const aboutRoles = ['e2e/cluster/{gitops-owners,impersonation,references,rights-in-one-cluster}.test.ts'];
/** They need Server-Side Apply as the API server does it. */
const aboutApply = ['e2e/cluster/helm-upgrades.test.ts'];
/** They start both clusters and compare their answers and objects. */
const comparisons = ['e2e/sandbox/{answers,kubectl}.test.ts'];
/** The records of an hour of changes. */
const scenarios = 'e2e/records/scenarios.test.ts';
/** And of progressive rollouts. */
const progressiveRollouts = 'e2e/records/progressive-rollouts.test.ts';
/** What the controllers of the real control plane do, and the OAM controller beside them. */
const conformance = ['e2e/{controllers,oam}/**/*.test.ts'];
const chart = 'e2e/chart/**/*.test.ts';
/** With the roles that the chart renders and no others, on the real control plane alone. */
const leastRights = hasEverything ? all : 'e2e/cluster/rollback.test.ts';
/** Those of its defaults do not suffice for what has to be enabled. */
const aboutFeatures = ['e2e/cluster/{oam,viewers,written-history}.test.ts'];
/** It defines kinds of its own, which no role of the chart knows. */
const aboutAnyKind = 'e2e/cluster/owners.test.ts';
/** They have their own sandbox, on a clock of its own. */
const months = ['e2e/records/month.test.ts'];
/** Records and sessions when processes, disks and databases fail, of one cluster and of several. */
const failures = ['e2e/records/{kill,clusters,replicas,sessions,failures,notifications}.test.ts'];
/** The container, which needs any cluster to connect to. */
const image = ['e2e/image/**/*.test.ts'];

const patient = {
  ...base.test,
  // Each file has its own cluster and Shiplog, and waits for them a third of the time. Projects do not inherit it.
  maxWorkers: 3,
  isolate: true,
  testTimeout: 900_000,
  hookTimeout: 900_000,
  teardownTimeout: 30_000,
};

/** One suite, two clusters: every file runs on the sandbox, and those about Kubernetes on the real control plane. */
export default defineConfig({
  ...base,
  test: {
    projects: [
      project(
        'sandbox',
        [all, 'e2e/sandbox/**/*.test.ts', progressiveRollouts, ...months, ...failures, ...image],
        [...comparisons, ...aboutRoles, ...aboutApply, ...(hasEverything ? [] : outages)],
      ),
      project('real', [
        ...(hasEverything ? [all] : aboutKubernetes),
        ...comparisons,
        ...aboutRoles,
        ...aboutApply,
        ...conformance,
        chart,
        scenarios,
        progressiveRollouts,
      ]),
      project('account', [leastRights], [...aboutFeatures, aboutAnyKind], account('chart')),
      ...(hasEverything ? [project('account-features', aboutFeatures, [], account('chart-features'))] : []),
    ],
  },
});

function account(roles: 'chart' | 'chart-features') {
  return { SHIPLOG_TEST_CLUSTER: 'real', SHIPLOG_TEST_ACCOUNT: roles };
}

function project(
  name: string,
  include: string[],
  exclude: string[] = [],
  env: Record<string, string> = { SHIPLOG_TEST_CLUSTER: name },
) {
  return { ...base, test: { ...patient, name, include, exclude, env } };
}
