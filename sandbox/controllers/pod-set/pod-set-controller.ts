import { deepEqual, type JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import type { Worklist } from '@/server/controllers/engine/work-queue';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import type { ObjectChange } from '@/sandbox/controllers/runtime/informer';
import { claim, ownersConcerned } from '@/sandbox/controllers/runtime/owners';
import {
  type PodReporter,
  type PodVerb,
  recordPod,
  reportPod,
} from '@/sandbox/controllers/runtime/pod-control';
import type { Draft, Manager, Resource } from '@/sandbox/controllers/runtime/resource';
import { isControlledBy } from '@/sandbox/controllers/objects/owner';
import {
  isAvailable,
  isDeleting,
  isReady,
  isTerminal,
  nextAvailableIn,
  type Pod,
  type PodTemplateSpec,
} from '@/sandbox/controllers/objects/pod';
import type { ControllerRevision } from '@/sandbox/controllers/objects/workloads';
import {
  asNoticed,
  canChangeInPlace,
  changeInPlace,
  type InPlace,
  openGate,
} from '@/sandbox/controllers/pod-set/in-place';
import {
  chooseRevisions,
  type ChosenRevisions,
  type Recorded,
  REVISION_LABEL,
  templateOf,
  truncateHistory,
} from '@/sandbox/controllers/revisions/controller-revisions';
import type { Member, Moves, NewPod } from '@/sandbox/engine/pod-set';

export interface PodSet extends Recorded {
  spec: Recorded['spec'] & { minReadySeconds?: number };
}

/** A set, and what its strategy may need to know, at one moment. */
export interface Pass<T extends PodSet> {
  readonly manager: ControllerManager;
  /** With the defaults of its kind. */
  readonly set: T;
  readonly revisions: ChosenRevisions;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

interface NewPodFacts {
  readonly place: string;
  /** Counts the pods that are created at once. */
  readonly index: number;
  readonly revision: ControllerRevision;
  readonly template: PodTemplateSpec;
}

/** What distinguishes one kind of sets of pods from another. */
export interface PodSetStrategy<T extends PodSet> {
  /** `{plural}.{group}`: a kind of other projects is played while its definition exists. */
  readonly kind: string;
  /** The source of its events. */
  readonly component: string;
  plan(pass: Pass<T>, members: readonly Member<Pod>[]): Moves<Pod>;
  /** A new pod, without the labels of its revision. May create what the pod needs. */
  draft(pass: Pass<T>, pod: NewPodFacts): Draft | Promise<Draft>;
  status(pass: Pass<T>, pods: readonly Pod[]): T['status'];
  readonly fieldManager?: Manager;
  withDefaults?(set: T): T;
  /** Recorded as of a StatefulSet unless the kind does it in another way. */
  chooseRevisions?(manager: ControllerManager, sets: Resource<T>, set: T): Promise<ChosenRevisions>;
  prune?(pass: Pass<T>, pods: readonly Pod[]): Promise<void>;
  /** The labels of a pod with its revision; its name unless the kind has others. */
  revisionLabels?(revision: ControllerRevision): Record<string, string>;
  /** Whether a pod that the selector matches can be one of the set. */
  isMember?(set: T, pod: Pod): boolean;
  /** The place of a pod; its name unless the kind has other places. */
  placeOf?(pod: Pod): string;
  /** In the order in which they are deleted. */
  sort?(pods: readonly Pod[], now: number): Pod[];
  /** A person wants this one deleted. */
  isNamed?(set: T, pod: Pod): boolean;
  inPlace?(set: T): InPlace;
  /** The message of an event, about an error if there is one. */
  message?(set: T, verb: PodVerb, pod: string, error: string | undefined): string;
  /** Calls back when the owners of an object, or all sets, have to look at their pods again. */
  watchMore?(manager: ControllerManager, onChange: (change?: ObjectChange<KubeObject>) => void): void;
}

function withRules<T extends PodSet>(strategy: PodSetStrategy<T>): Required<PodSetStrategy<T>> {
  return {
    fieldManager: 'kruise-manager',
    withDefaults: (set) => set,
    chooseRevisions,
    prune: ({ manager, set, revisions }, pods) => truncateHistory(manager, set, revisions, pods),
    revisionLabels: ({ metadata }) => ({ [REVISION_LABEL]: metadata.name }),
    isMember: () => true,
    placeOf: ({ metadata }) => metadata.name,
    sort: (pods) => [...pods],
    isNamed: () => false,
    inPlace: () => 'never',
    message: (_set, verb, pod, error) =>
      error === undefined ? `succeed to ${verb} pod ${pod}` : `failed to ${verb} pod ${pod}: ${error}`,
    watchMore: () => undefined,
    ...strategy,
  };
}

/** Keeps the pods of all sets of a kind. */
export function runPodSets<T extends PodSet>(manager: ControllerManager, strategy: PodSetStrategy<T>): void {
  const rules = withRules(strategy);
  const kind = manager.follow<T>(strategy.kind);
  const work = manager.register(async (key) => {
    if (kind.resource !== undefined)
      await new PodSetController(manager, rules, kind.resource).sync(key, work);
  });
  kind.onChange(({ object, before }) => {
    const state = object ?? before;
    if (state !== undefined) work.add(keyOf(state));
  });
  const addOwners = (change: ObjectChange<KubeObject>) => {
    if (kind.resource === undefined) return;
    for (const key of ownersConcerned(kind.resource, change)) work.add(key);
  };
  manager.pods.store.onChange(addOwners);
  rules.watchMore(manager, (change) => {
    if (change !== undefined) return addOwners(change);
    for (const set of kind.resource?.store.all() ?? []) work.add(keyOf(set));
  });
}

/** Of all kinds; a DaemonSet ignores the first. */
const DEFAULTS: JsonObject = { replicas: 1, revisionHistoryLimit: 10 };

class PodSetController<T extends PodSet> {
  readonly #manager: ControllerManager;
  readonly #rules: Required<PodSetStrategy<T>>;
  readonly #sets: Resource<T>;

  constructor(manager: ControllerManager, rules: Required<PodSetStrategy<T>>, sets: Resource<T>) {
    this.#manager = manager;
    this.#rules = rules;
    this.#sets = sets;
  }

  /** The status is written even when the rest fails. */
  async sync(key: ObjectKey, work: Worklist): Promise<void> {
    const stored = this.#sets.store.get(key);
    if (stored === undefined || isDeleting(stored)) return;
    const manager = this.#manager;
    const spec = { ...DEFAULTS, ...stored.spec };
    const set = this.#rules.withDefaults({ ...stored, spec, status: stored.status ?? {} });
    const revisions = await this.#rules.chooseRevisions(manager, this.#sets, set);
    const pass = { manager, set, revisions, now: manager.now() };
    try {
      await this.#move(pass);
    } finally {
      const status = this.#rules.status(pass, await this.#claimPods(set));
      if (!deepEqual(status, set.status))
        await this.#sets.as(this.#rules.fieldManager).replaceStatus({ ...set, status });
    }
    const pods = await this.#claimPods(set);
    await this.#rules.prune(pass, pods);
    const waitMs = nextAvailableIn(pods, set.spec.minReadySeconds, manager.now());
    if (waitMs !== undefined) work.addAfter(key, waitMs);
  }

  async #claimPods(set: T): Promise<Pod[]> {
    const pods = await claim({
      owner: set,
      owners: this.#sets,
      resource: this.#manager.pods,
      matches: (pod) => this.#rules.isMember(set, pod),
    });
    return pods.map(asNoticed);
  }

  async #move(pass: Pass<T>): Promise<void> {
    const { manager, set } = pass;
    for (const pod of await this.#claimPods(set)) if (!isDeleting(pod)) await openGate(manager, pod);
    const pods = this.#rules.sort(await this.#claimPods(set), pass.now);
    const members = pods.map((pod) => this.#count(pass, pod));
    const { create, remove, update } = this.#rules.plan(pass, members);
    await manager.each([...create.entries()], ([index, pod]) => this.#create(pass, pod, index));
    await manager.each(remove, (pod) => this.#remove(set, pod));
    for (const pod of update) await this.#update(pass, pod);
  }

  #count({ set, revisions, now }: Pass<T>, pod: Pod): Member<Pod> {
    return {
      pod,
      place: this.#rules.placeOf(pod),
      isUpdated: this.#isAt(pod, revisions.update),
      isReady: isReady(pod),
      isAvailable: isAvailable(pod, set.spec.minReadySeconds, now),
      isTerminating: isDeleting(pod),
      hasEnded: isTerminal(pod),
      isNamed: this.#rules.isNamed(set, pod),
    };
  }

  #isAt(pod: Pod, revision: ControllerRevision): boolean {
    return pod.metadata.labels?.[REVISION_LABEL] === this.#rules.revisionLabels(revision)[REVISION_LABEL];
  }

  async #create(pass: Pass<T>, { place, isUpdated }: NewPod, index: number): Promise<void> {
    const { manager, set, revisions } = pass;
    const revision = isUpdated ? revisions.update : revisions.current;
    const template = templateOf(revision) ?? set.spec.template;
    await this.#report(set, 'create', place, async () => {
      const { metadata, spec = {} } = await this.#rules.draft(pass, { place, index, revision, template });
      const labels = { ...(metadata.labels as object), ...this.#rules.revisionLabels(revision) };
      const pods = manager.pods.as(this.#rules.fieldManager);
      const pod = await pods.create(set.metadata.namespace, { metadata: { ...metadata, labels }, spec });
      return pod.metadata.name;
    });
  }

  async #remove(set: T, pod: Pod): Promise<void> {
    const { name } = pod.metadata;
    await this.#report(set, 'delete', name, async () =>
      (await this.#manager.pods.delete(pod)) ? name : undefined,
    );
  }

  /** In place where the set and the two templates allow it, else by a new pod. */
  async #update({ manager, set, revisions }: Pass<T>, pod: Pod): Promise<void> {
    const { name } = pod.metadata;
    const policy = this.#rules.inPlace(set);
    const own = manager.revisions.store
      .inNamespace(set.metadata.namespace)
      .find((revision) => isControlledBy(revision, set) && this.#isAt(pod, revision));
    const [from, to] = [own, revisions.update].map((revision) => revision && templateOf(revision));
    const isPossible = from !== undefined && to !== undefined && canChangeInPlace(from, to);
    if (policy === 'never' || (policy === 'ifPossible' && !isPossible)) await this.#remove(set, pod);
    else if (!isPossible)
      recordPod(manager, this.#reporter(set), 'update', name, 'it can not be updated in place');
    else
      await this.#report(set, 'update', name, async () => {
        const labels = this.#rules.revisionLabels(revisions.update);
        await changeInPlace(manager, pod, { from, to }, labels[REVISION_LABEL] ?? '', labels);
        return name;
      });
  }

  #report(set: T, verb: PodVerb, pod: string, act: () => Promise<string | undefined>): Promise<void> {
    return reportPod(this.#manager, this.#reporter(set), verb, pod, act);
  }

  #reporter(set: T): PodReporter {
    const { component, message } = this.#rules;
    return { about: set, component, message: (...event) => message(set, ...event) };
  }
}
