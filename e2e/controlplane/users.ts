/**
 * The rights on the test cluster. The access tests need rights that differ in exactly one verb: `patcher` may not
 * update and `updater` may not patch.
 */
export type User =
  | 'admin'
  | 'viewer'
  | 'reader-shop'
  | 'reader-cart'
  | 'patcher'
  | 'updater'
  | 'operator'
  | 'nobody'
  // Writes test data; excluded from the audit log, so that seeding does not fill it.
  | 'seeder';

/** Components of the control plane, also excluded from the audit log. */
export type SystemUser = 'system:kube-controller-manager' | 'system:kube-scheduler' | 'kwok';

export const USERS: User[] = [
  'admin',
  'viewer',
  'reader-shop',
  'reader-cart',
  'patcher',
  'updater',
  'operator',
  'nobody',
  'seeder',
];
export const SYSTEM_USERS: SystemUser[] = ['system:kube-controller-manager', 'system:kube-scheduler', 'kwok'];

/** Users whose requests the audit log excludes. */
export const UNAUDITED: string[] = ['seeder', ...SYSTEM_USERS, 'system:apiserver'];

/** The namespace that `reader-shop` can read. */
export const READER_NAMESPACE = 'shop';

/**
 * With SHIPLOG_TEST_ACCOUNT, `admin`, as whom the suites run Shiplog, has the roles that the chart renders and no others:
 * `chart` those of its defaults, `chart-features` also those of impersonation and of every optional feature. kubectl then
 * runs as `seeder`.
 */
export function chartAccount(): 'chart' | 'chart-features' | undefined {
  const account = process.env.SHIPLOG_TEST_ACCOUNT || undefined;
  if (account === undefined || account === 'chart' || account === 'chart-features') return account;
  throw new RangeError(`SHIPLOG_TEST_ACCOUNT is ${account}; it is chart or chart-features.`);
}

function masters(): string[] {
  return [...(chartAccount() === undefined ? ['admin'] : []), 'seeder', ...SYSTEM_USERS];
}

/** The bearer token of a user; the cluster listens on loopback and exists for one test run. */
export function tokenOf(user: User | SystemUser): string {
  return `token-${user.replaceAll(':', '-')}`;
}

/**
 * The API server's static token file.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#static-token-file
 */
export function tokenFile(): string {
  return [...USERS, ...SYSTEM_USERS]
    .map(
      (user) =>
        `${tokenOf(user)},${user},uid-${user},"${masters().includes(user) ? 'system:masters' : 'shiplog-test'}"`,
    )
    .join('\n');
}

const READ = ['get', 'list', 'watch'];
const WORKLOADS = ['deployments', 'statefulsets', 'daemonsets'];
const ROLLOUTS = ['rollouts', 'batchreleases', 'rollouthistories', 'trafficroutings'];
const VIEW_NAMESPACED = [
  rule('apps', [...WORKLOADS, 'replicasets', 'controllerrevisions'], READ),
  rule('', ['pods', 'events', 'resourcequotas', 'limitranges'], READ),
  rule('policy', ['poddisruptionbudgets'], READ),
  rule('autoscaling', ['horizontalpodautoscalers'], READ),
];

/** Input for kubectl: the roles and bindings, after the namespace of {@link READER_NAMESPACE}. */
export function accessManifests(): string {
  const manifests = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: READER_NAMESPACE } },
    clusterRole('test-view-namespaced', VIEW_NAMESPACED),
    clusterRole('test-view', [...VIEW_NAMESPACED, rule('', ['namespaces', 'nodes'], READ)]),
    clusterRole('test-one-workload', [
      rule('apps', ['deployments'], ['list', 'watch']),
      { ...rule('apps', ['deployments'], ['get']), resourceNames: ['cart'] },
      rule('apps', ['replicasets'], READ),
      rule('', ['pods', 'events'], READ),
    ]),
    clusterRole('test-patch', [rule('apps', WORKLOADS, ['patch'])]),
    clusterRole('test-update', [rule('apps', WORKLOADS, ['update'])]),
    clusterRole('test-operate', [
      rule('apps', WORKLOADS, ['patch']),
      rule('', ['pods'], ['delete']),
      rule('', ['pods/log'], ['get']),
      rule('rollouts.kruise.io', ROLLOUTS, READ),
      rule('rollouts.kruise.io', ['rollouts'], ['patch']),
    ]),
    clusterBinding('viewer', 'test-view'),
    clusterBinding('reader-cart', 'test-one-workload'),
    clusterBinding('patcher', 'test-view'),
    clusterBinding('patcher', 'test-patch'),
    clusterBinding('updater', 'test-view'),
    clusterBinding('updater', 'test-update'),
    clusterBinding('operator', 'test-view'),
    clusterBinding('operator', 'test-operate'),
    {
      ...binding('RoleBinding', 'reader-shop', 'test-view-namespaced'),
      metadata: { name: 'reader-shop', namespace: READER_NAMESPACE },
    },
  ];

  return manifests.map((manifest) => JSON.stringify(manifest)).join('\n');
}

function rule(apiGroup: string, resources: string[], verbs: string[]): object {
  return { apiGroups: [apiGroup], resources, verbs };
}

function clusterRole(name: string, rules: object[]): object {
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules };
}

function clusterBinding(user: User, role: string): object {
  return { ...binding('ClusterRoleBinding', user, role), metadata: { name: `${user}-${role}` } };
}

function binding(kind: 'RoleBinding' | 'ClusterRoleBinding', user: User, role: string): object {
  const apiGroup = 'rbac.authorization.k8s.io';

  return {
    apiVersion: `${apiGroup}/v1`,
    kind,
    subjects: [{ kind: 'User', name: user, apiGroup }],
    roleRef: { kind: 'ClusterRole', name: role, apiGroup },
  };
}
