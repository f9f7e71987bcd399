import 'server-only';
import { resourcePath, type ResourceType } from '@/lib/kube/resource';
import { Reflector } from '@/server/cluster/reflector';
import type { ReflectorChange } from '@/server/cluster/reflector-store';
import type { RightsChange } from '@/server/cluster/rights-changes';
import type { Transport } from '@/server/cluster/transport';
import { warnOnce } from '@/server/cluster/warn-once';
import type { Clock } from '@/server/shared/clock';
import type { Logger } from '@/server/shared/log';
import { z } from 'zod';
import type { KubeObject } from '@/lib/kube/object';

/** A role, or a binding to it. */
export interface Role {
  /** Null: of the whole cluster. */
  readonly namespace: string | null;
  /** `ClusterRole view`, or `Role shop/deployer`. */
  readonly role: string;
  /** Of a binding; a role has those of its bindings. */
  readonly subjects: ReadonlySet<string> | null;
}

/** https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-subjects */
const bindingSchema = z.object({
  roleRef: z.object({ kind: z.string(), name: z.string() }),
  subjects: z.array(z.object({ kind: z.string(), name: z.string() })).nullish(),
});

export function bindingOf(object: KubeObject): Role {
  const { namespace } = object.metadata;
  const { roleRef, subjects } = bindingSchema.parse(object);
  return {
    namespace: namespace ?? null,
    role: `${roleRef.kind} ${roleRef.kind === 'Role' ? `${namespace}/` : ''}${roleRef.name}`,
    subjects: new Set(subjects?.map(({ kind, name }) => `${kind} ${name}`)),
  };
}

export function roleOf(kind: string, { metadata: { name, namespace } }: KubeObject): Role {
  return {
    namespace: namespace ?? null,
    role: `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`,
    subjects: null,
  };
}

/** Whose rights may be others now; null where there is none. `known` has the bindings, the changed one too. */
export function rightsChangeOf(change: ReflectorChange<Role>, known: Iterable<Role>): RightsChange | null {
  const { namespace, role, subjects } = change.value;
  if (subjects === null) {
    const own = [...known].filter((binding) => binding.role === role);
    return changeFor(namespace, new Set(own.flatMap((binding) => [...(binding.subjects ?? [])])));
  }
  if (change.type !== 'updated') return changeFor(namespace, subjects);
  const { previous } = change;
  const before = previous.subjects ?? new Set<string>();
  const all = [...subjects, ...before];
  const isSame = (subject: string) => role === previous.role && subjects.has(subject) && before.has(subject);
  return changeFor(namespace, new Set(all.filter((subject) => !isSame(subject))));
}

function changeFor(namespace: string | null, subjects: ReadonlySet<string>): RightsChange | null {
  return subjects.size === 0 ? null : { namespace, subjects };
}

interface RightsWatchOptions {
  transport: Pick<Transport, 'text' | 'stream' | 'server'>;
  /** Empty: the whole cluster. */
  namespaces: readonly string[];
  onChange: (change: RightsChange) => void;
  log: Logger;
  clock: Clock;
}

const group = 'rbac.authorization.k8s.io';
const typeOf = (plural: string, kind: string): ResourceType => ({
  ...{ id: `${plural}.${group}`, group, versions: ['v1'], plural, kind },
});
const ofNamespaces = [typeOf('roles', 'Role'), typeOf('rolebindings', 'RoleBinding')];
const ofCluster = [
  typeOf('clusterroles', 'ClusterRole'),
  typeOf('clusterrolebindings', 'ClusterRoleBinding'),
];

/**
 * Follows roles and their bindings, so that a right which is given or taken counts at once. Of a role it reads the metadata
 * alone: what someone may do is for the API server to say.
 * https://kubernetes.io/docs/reference/access-authn-authz/rbac/
 */
export class RightsWatch {
  readonly #options: RightsWatchOptions;
  readonly #reflectors: Reflector<Role>[] = [];

  constructor(options: RightsWatchOptions) {
    this.#options = options;
  }

  /** Returns at once. Retries at growing intervals where the cluster does not allow it. */
  start(): void {
    const { namespaces } = this.#options;
    const everywhere = namespaces.length === 0;
    for (const type of everywhere ? [...ofNamespaces, ...ofCluster] : ofNamespaces) {
      for (const namespace of everywhere ? [undefined] : namespaces) this.#follow(type, namespace);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#reflectors.map((reflector) => reflector.stop()));
  }

  #follow(type: ResourceType, namespace: string | undefined): void {
    const { transport, clock, log } = this.#options;
    const isBinding = type.kind.endsWith('Binding');
    const reflector = new Reflector<Role>({
      ...{ transport, clock, log },
      path: resourcePath(type, 'v1', namespace),
      metadataOnly: !isBinding,
      ingest: isBinding ? bindingOf : (object) => roleOf(type.kind, object),
      onChange: (change) => {
        if (reflector.state.synced) this.#onChange(change);
      },
      onState: warnOnce(log, `changes of ${type.plural} count after a minute only`, { namespace }),
    });
    this.#reflectors.push(reflector);
    reflector.start();
  }

  #onChange(change: ReflectorChange<Role>): void {
    const known = this.#reflectors.flatMap(({ store }) => [...store.values()]);
    const rightsChange = rightsChangeOf(change, known);
    if (rightsChange !== null) this.#options.onChange(rightsChange);
  }
}
