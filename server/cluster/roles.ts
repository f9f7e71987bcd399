import { z } from 'zod';
import { type KubeObject } from '@/lib/kube/object';
import { type ReflectorChange } from '@/server/cluster/reflector-store';
import { type RightsChange } from '@/server/cluster/rights-changes';

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
