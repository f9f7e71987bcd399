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
