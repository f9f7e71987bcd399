/** Rights as in a Role; `*` stands for all. https://kubernetes.io/docs/reference/access-authn-authz/rbac/ */
export interface AccessRule {
  readonly groups: readonly string[];
  /** With their subresources: `deployments`, `deployments/scale`. */
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** The only namespace where the rights apply; every namespace if none is given. */
  readonly namespace?: string;
  readonly names?: readonly string[];
}

/** A caller that authenticates with a bearer token. */
export interface SandboxUser {
  readonly name: string;
  readonly groups: readonly string[];
  readonly rules: readonly AccessRule[];
}

/** The user after authentication and impersonation. */
export interface Caller {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

interface ResourceAttributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

const MASTERS = 'system:masters';
/** What every authenticated user may read. */
const PUBLIC_PATHS = ['/api', '/apis', '/healthz', '/livez', '/openapi', '/readyz', '/version'];
/** What every authenticated user may ask about themselves. */
const BASIC_RULES: readonly AccessRule[] = [
  {
    groups: ['authorization.k8s.io'],
    resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
    verbs: ['create'],
  },
  { groups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'], verbs: ['create'] },
];

/**
 * Authorizes by a table of users; a name that is not in it has only the rights of every authenticated user.
 */
export class AccessTable {
  readonly #users = new Map<string, SandboxUser>();

  constructor(users: readonly SandboxUser[]) {
    for (const user of users) this.#users.set(user.name, user);
  }

  mayAct(caller: Caller, attributes: ResourceAttributes): boolean {
    if (caller.groups.includes(MASTERS)) return true;
    return this.rulesOf(caller).some((rule) => isAllowed(rule, attributes));
  }

  mayRead(caller: Caller, path: string): boolean {
    if (caller.groups.includes(MASTERS)) return true;
    if (!caller.groups.includes('system:authenticated'))
      return ['/version', '/livez', '/readyz', '/healthz'].includes(path);
    return PUBLIC_PATHS.some((open) => path === open || path.startsWith(`${open}/`));
  }

  /** For lists of rights. */
  rulesOf(caller: Caller): AccessRule[] {
    const everything: AccessRule[] = [{ groups: ['*'], resources: ['*'], verbs: ['*'] }];
    const own = this.#users.get(caller.name)?.rules ?? [];
    return [
      ...(caller.groups.includes(MASTERS) ? everything : []),
      ...(caller.groups.includes('system:authenticated') ? BASIC_RULES : []),
      ...own,
    ];
  }
}

function isAllowed(rule: AccessRule, attributes: ResourceAttributes): boolean {
  const { verb, group, resource, subresource, namespace, name } = attributes;
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  return (
    covers(rule.verbs, verb) &&
    covers(rule.groups, group) &&
    (covers(rule.resources, full) || rule.resources.includes(`*/${subresource}`)) &&
    (rule.namespace === undefined || rule.namespace === namespace) &&
    (rule.names === undefined || rule.names.includes(name))
  );
}

function covers(allowed: readonly string[], value: string): boolean {
  return allowed.includes('*') || allowed.includes(value);
}

const READ = ['get', 'list', 'watch'];
const WORKLOADS = ['deployments', 'statefulsets', 'daemonsets'];
/** The right to patch them does not include approval, which is a write to their status. */
const ROLLOUTS = ['rollouts', 'batchreleases', 'rollouthistories', 'trafficroutings'];

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
  { name: 'admin', groups: [MASTERS], rules: [] },
  { name: 'seeder', groups: [MASTERS], rules: [] },
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
  { name: 'system:kube-controller-manager', groups: [MASTERS], rules: [] },
  { name: 'system:kube-scheduler', groups: [MASTERS], rules: [] },
  { name: 'system:kubelet', groups: [MASTERS], rules: [] },
];
