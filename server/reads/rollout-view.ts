import 'server-only';
import { LRUCache } from 'lru-cache';
import { AppError } from '@/lib/errors';
import { withBlockedPods } from '@/lib/rollout/blocked-pods';
import { type Rollout } from '@/lib/rollout/rollout';
import {
  type ComponentFacts,
  type RolloutInput,
  type RolloutObject,
  type RolloutSystem,
  type WorkloadFacts,
} from '@/lib/rollout/system';
import { systemOf } from '@/lib/rollout/systems';
import { kindOf } from '@/lib/workloads/table';
import { type Workload } from '@/lib/workloads/workload';
import { type Cluster } from '@/server/cluster/cluster';
import { type RolloutKey } from '@/server/cluster/rollout-index';
import { type ViewCache } from '@/server/reads/view';

/** A rollout as it is now, with what it was derived from. */
export interface RolloutView {
  system: RolloutSystem;
  input: RolloutInput;
  rollout: Rollout;
}

/** Of everything that a view is made of. */
interface Version {
  rollout: number;
  object: string;
  /** Its uid, or what is known of one that is not there. */
  workload: string;
  ofWorkload: number;
  /** Of the other workloads and of the component, each with its own. */
  others: string;
}

interface Kept {
  version: Version;
  /** Milliseconds since the epoch. */
  until: number;
  view: RolloutView;
}

/** A view holds the pods of a release; so many are some tens of MB at most. */
const VIEWS_MAX = 5_000;

/** Derives rollouts from the cache, once per version of what they are made of. */
export class RolloutViews {
  readonly #cluster: Cluster;
  readonly #views: ViewCache;
  readonly #now: () => number;
  readonly #kept = new LRUCache<string, Kept>({ max: VIEWS_MAX });

  constructor(cluster: Cluster, views: ViewCache, now: () => number = Date.now) {
    this.#cluster = cluster;
    this.#views = views;
    this.#now = now;
  }

  view(object: RolloutObject): RolloutView {
    const version = this.#versionOf(object);
    const known = this.#kept.get(object.uid);
    if (known !== undefined && isSame(known.version, version) && known.until > this.#now()) return known.view;
    const view = deriveRolloutView(this.#cluster, this.#views, object, this.#now());
    this.#kept.set(object.uid, { version, until: view.system.validUntil(view.input), view });
    return view;
  }

  /** Judges those again whose time has come, and returns the ones of which something else is said now. */
  outdated(): RolloutKey[] {
    const changed: RolloutKey[] = [];
    for (const [uid, { until, view }] of [...this.#kept.entries()]) {
      if (until > this.#now()) continue;
      const { resource, namespace, name } = view.rollout;
      const object = this.#cluster.rollouts.rollout(resource, namespace, name);
      if (object?.uid !== uid) this.#kept.delete(uid);
      else if (this.view(object).rollout.message !== view.rollout.message)
        changed.push({ resource, namespace, name });
    }
    return changed;
  }

  #versionOf(object: RolloutObject): Version {
    const { cache, rollouts } = this.#cluster;
    const workload = workloadOf(this.#cluster, object);
    return {
      rollout: rollouts.versionOf(object),
      object: object.resourceVersion,
      workload: workload === undefined ? stateOfKind(this.#cluster, object) : workload.uid,
      ofWorkload: workload === undefined ? 0 : cache.versionOf(workload),
      others: this.#othersVersion(object),
    };
  }

  /** Of most there are none, and a list asks for all of its rollouts. */
  #othersVersion(object: RolloutObject): string {
    if (object.others === undefined && object.component === undefined) return '';
    const { cache } = this.#cluster;
    return [
      ...othersOf(this.#cluster, object).map((other) => `${other.uid} ${cache.versionOf(other)}`),
      ...revisionsOf(this.#cluster, object).map(({ uid, bodyId }) => `${uid} ${bodyId}`),
    ].join();
  }
}

function isSame(a: Version, b: Version): boolean {
  return (
    a.rollout === b.rollout &&
    a.object === b.object &&
    a.workload === b.workload &&
    a.ofWorkload === b.ofWorkload &&
    a.others === b.others
  );
}

export function deriveRolloutView(
  cluster: Cluster,
  views: Pick<ViewCache, 'view'>,
  object: RolloutObject,
  nowMs: number,
): RolloutView {
  const system = systemOf(object.resource);
  if (system === undefined)
    throw new AppError(
      'not_found',
      `Shiplog knows no system of rollouts with the resource ${object.resource}.`,
    );
  const workload = workloadOf(cluster, object);
  const input: RolloutInput = {
    object,
    workload:
      workload === undefined
        ? { state: stateOfKind(cluster, object) }
        : { state: 'found', facts: factsOf(views, workload) },
    auxiliaries:
      workload === undefined ? [] : cluster.cache.partsOf(workload).map((part) => factsOf(views, part)),
    beside: cluster.rollouts.besideOf(object),
    ...(object.others !== undefined && {
      others: othersOf(cluster, object).map((other) => factsOf(views, other)),
    }),
    ...(object.component !== undefined && { component: componentOf(cluster, object) }),
    seenMs: cluster.rollouts.seenAt(object),
    now: new Date(nowMs).toISOString(),
  };
  return { system, input, rollout: withBlockedPods(system.derive(input), input.workload) };
}

export function factsOf(views: Pick<ViewCache, 'view'>, workload: Workload): WorkloadFacts {
  const { kind, history, pods } = views.view(workload);
  return { workload, history, pods, desired: kind.desiredPods(workload) };
}

function workloadOf({ cache }: Cluster, { namespace, workload }: RolloutObject): Workload | undefined {
  return workload.resource === null ? undefined : cache.workload(workload.resource, namespace, workload.name);
}

function othersOf({ cache }: Cluster, { namespace, others = [] }: RolloutObject): Workload[] {
  return others.flatMap(({ resource, name }) => cache.workload(resource, namespace, name) ?? []);
}

function revisionsOf({ cache }: Cluster, { namespace, component }: RolloutObject) {
  return component === undefined ? [] : cache.revisionsOfComponent(namespace, component);
}

function componentOf(cluster: Cluster, object: RolloutObject): ComponentFacts {
  const revisions = revisionsOf(cluster, object);
  const histories = new Set(revisions.map((revision) => cluster.cache.historyOf(revision)));
  // Several owners have kept revisions of one component: no one page shows them all.
  const [history, ...more] = histories;
  return {
    history:
      history === undefined || more.length > 0 ? null : { resource: history.resource, name: history.name },
    revisions,
  };
}

/** A workload that is not in the cache is missing only where the cache would have it. */
function stateOfKind(
  { cache }: Cluster,
  { namespace, workload: { resource } }: RolloutObject,
): 'missing' | 'unknown' {
  if (resource === null || kindOf(resource) === undefined) return 'unknown';
  const state = cache.states(namespace).find((entry) => entry.resource === resource);
  return state?.synced === true && state.problem === null ? 'missing' : 'unknown';
}
