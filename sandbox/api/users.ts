import { type AccessRule, type SandboxUser } from '@/sandbox/api/access';

const READ = ['get', 'list', 'watch'];
const WORKLOADS = ['deployments', 'statefulsets', 'daemonsets'];
/** The right to patch them does not include approval, which is a write to their status. */
const ROLLOUTS = ['rollouts', 'batchreleases', 'rollouthistories', 'trafficroutings'];
const MASTERS = ['system:masters'];

/** The namespace that `reader-shop` may read. */
const READER_NAMESPACE = 'shop';

const VIEW_NAMESPACED: readonly AccessRule[] = [
  { groups: ['apps'], resources: [...WORKLOADS, 'replicasets', 'controllerrevisions'], verbs: READ },
  { groups: [''], resources: ['pods', 'events', 'resourcequotas', 'limitranges'], verbs: READ },
  { groups: ['policy'], resources: ['poddisruptionbudgets'], verbs: READ },
  { groups: ['autoscaling'], resources: ['horizontalpodautoscalers'], verbs: READ },
];
const VIEW: readonly AccessRule[] = [
  ...VIEW_NAMESPACED,
  { groups: [''], resources: ['namespaces', 'nodes'], verbs: READ },
];

/**
 * Users with rights that differ in as little as one verb; the last ones are components of the cluster itself.
 */
// prettier-ignore
export const DEFAULT_USERS: readonly SandboxUser[] = [
  { name: 'admin', groups: MASTERS, rules: [] },
  { name: 'seeder', groups: MASTERS, rules: [] },
  { name: 'viewer', groups: [], rules: VIEW },
  { name: 'reader-shop', groups: [], rules: VIEW_NAMESPACED.map((rule) => ({ ...rule, namespace: READER_NAMESPACE })) },
  {
    // Lists all workloads, and may open one of them.
    name: 'reader-cart',
    groups: [],
    rules: [
      { groups: ['apps'], resources: ['deployments'], verbs: ['list', 'watch'] },
      { groups: ['apps'], resources: ['deployments'], verbs: ['get'], names: ['cart'] },
      { groups: ['apps'], resources: ['replicasets'], verbs: READ },
      { groups: [''], resources: ['pods', 'events'], verbs: READ },
    ],
  },
  { name: 'patcher', groups: [], rules: [...VIEW, { groups: ['apps'], resources: WORKLOADS, verbs: ['patch'] }] },
  { name: 'updater', groups: [], rules: [...VIEW, { groups: ['apps'], resources: WORKLOADS, verbs: ['update'] }] },
  {
    name: 'operator',
    groups: [],
    rules: [
      ...VIEW,
      { groups: ['apps'], resources: WORKLOADS, verbs: ['patch'] },
      { groups: [''], resources: ['pods'], verbs: ['delete'] },
      { groups: [''], resources: ['pods/log'], verbs: ['get'] },
      { groups: ['rollouts.kruise.io'], resources: ROLLOUTS, verbs: READ },
      { groups: ['rollouts.kruise.io'], resources: ['rollouts'], verbs: ['patch'] },
    ],
  },
  { name: 'nobody', groups: [], rules: [] },
  { name: 'system:kube-controller-manager', groups: MASTERS, rules: [] },
  { name: 'system:kube-scheduler', groups: MASTERS, rules: [] },
  { name: 'system:kubelet', groups: MASTERS, rules: [] },
];
