import { controllerOf } from '@/lib/kube/object';
import type { PodSummary } from '@/lib/history/pod';
import type { RevisionSource, Workload } from '@/lib/history/workload';
import { nameKey } from '@/lib/kube/name-key';
import { matchesSelector, parseLabelSelector } from '@/lib/kube/selector';
import { componentOf } from '@/lib/producers/revision-group';
import type { WorkloadKind } from '@/lib/workloads/kind';
import { IndexedStore } from '@/server/cluster/indexed-store';

/** The objects that the reflectors read, by the keys that histories are assembled by. */
export class ClusterStores {
  /** The kinds of the table, by the id of their resource. */
  readonly kinds: ReadonlyMap<string, WorkloadKind>;
  readonly workloads: IndexedStore<Workload, 'name' | 'parent' | 'generator' | 'controller'>;
  readonly sources = new IndexedStore<RevisionSource, 'controller' | 'orphan' | 'component'>({
    controller: ({ controllerUid }) => keyOrNone(controllerUid),
    orphan: ({ resource, namespace, controllerUid }) =>
      controllerUid === null ? [scopeKey(resource, namespace)] : none,
    component: (source) => {
      const component = componentOf(source);
      return component === null ? none : [scopeKey(component, source.namespace)];
    },
  });
  readonly pods: IndexedStore<PodSummary, 'controller' | 'parent'>;
  readonly #generators: readonly NonNullable<WorkloadKind['generator']>[];
  readonly #parentsOfPod: readonly NonNullable<WorkloadKind['pods']['parentOf']>[];

  constructor(kinds: readonly WorkloadKind[]) {
    this.kinds = new Map(kinds.map((kind) => [kind.resource.id, kind]));
    this.#generators = kinds.flatMap(({ generator }) => generator ?? []);
    this.workloads = new IndexedStore({
      name: (workload) => (this.#isListed(workload) ? [nameKey(workload)] : none),
      parent: (workload) => keyOrNone(this.parentKeyOf(workload)),
      generator: (workload) => this.generatorKeysOf(workload),
      controller: (workload) => keyOrNone(controllerOf(workload.owners)?.uid),
    });
    this.#parentsOfPod = kinds.flatMap(({ pods }) => pods.parentOf ?? []);
    this.pods = new IndexedStore({
      controller: ({ controllerUid }) => keyOrNone(controllerUid),
      parent: (pod) => this.parentKeysOfPod(pod),
    });
  }

  /** Children are part of their parent, and objects of other kinds are listed for their revisions alone. */
  #isListed(workload: Workload): boolean {
    return this.kinds.has(workload.resource) && this.parentKeyOf(workload) === null;
  }

  /** Key of the workload that is the parent of this one. */
  parentKeyOf(workload: Workload): string | null {
    return keyOfNamed(this.kinds.get(workload.resource)?.parentOf?.(workload), workload)[0] ?? null;
  }

  /** Keys of the workloads that a pod names; most pods name none. */
  parentKeysOfPod(pod: PodSummary): readonly string[] {
    if (pod.metadataValues === undefined) return none;
    return this.#parentsOfPod.flatMap((parentOf) => keyOfNamed(parentOf(pod), pod));
  }

  /** Keys of the generators that this workload declares. */
  generatorKeysOf(workload: Workload): readonly string[] {
    if (workload.placeholder !== undefined || this.parentKeyOf(workload) !== null) return none;
    return this.#generators.flatMap((generator) => keyOfNamed(generator.of(workload), workload));
  }

  /** The listed workload of a name: the later one while another of that name is being deleted. */
  workloadNamed(key: string): Workload | undefined {
    return this.workloads.by('name', key).at(-1);
  }

  /** A workload that is itself among those read, not only named by revisions. */
  isPresent(uid: string): boolean {
    return this.kinds.has(this.workloads.get(uid)?.resource ?? '');
  }

  /** Revisions without a controller that match the workload's selector, and that of no older workload. */
  orphansOf(workload: Workload): readonly RevisionSource[] {
    const kind = this.kinds.get(workload.resource);
    if (kind === undefined) return none;
    const scope = scopeKey(kind.source.resource.id, workload.namespace);
    const selector = parseLabelSelector(workload.spec['selector']);
    const matching = this.sources
      .by('orphan', scope)
      .filter((orphan) => matchesSelector(selector, orphan.labels));
    if (matching.length === 0) return none;
    const older = this.claimantsIn(scope)
      .filter((other) => isOlder(other, workload))
      .map(({ spec }) => parseLabelSelector(spec['selector']));
    return matching.filter((orphan) => !older.some((other) => matchesSelector(other, orphan.labels)));
  }

  /** Workloads whose selectors revisions without a controller may match. */
  claimantsIn(scope: string): readonly Workload[] {
    return [...this.workloads.indexed('name')].filter(({ resource, namespace }) => {
      const source = this.kinds.get(resource)?.source.resource.id;
      return source !== undefined && scopeKey(source, namespace) === scope;
    });
  }
}

const none: readonly never[] = [];

/** The key of everything of a kind, or of a component, in one namespace. */
export function scopeKey(resource: string, namespace: string): string {
  return `${resource}/${namespace}`;
}

/** Of several workloads whose selectors match a revision, the oldest owns it. */
function isOlder(a: Workload, b: Workload): boolean {
  return a.createdAt === b.createdAt ? a.uid < b.uid : a.createdAt < b.createdAt;
}

function keyOfNamed(
  named: { resource: string; name: string } | null | undefined,
  { namespace }: { namespace: string },
): readonly string[] {
  return named == null ? none : [nameKey({ ...named, namespace })];
}

function keyOrNone(key: string | null | undefined): readonly string[] {
  return key == null ? none : [key];
}
