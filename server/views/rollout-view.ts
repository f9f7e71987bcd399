import 'server-only';
import { LRUCache } from 'lru-cache';
import { AppError } from '@/lib/errors';
import { withBlockedPods } from '@/lib/rollout/blocked-pods';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RolloutInput, RolloutSystem } from '@/lib/rollout/system';
import type { RolloutFacts, ComponentFacts, RolloutObject } from '@/lib/rollout/rollout-facts';
import { systemOf } from '@/lib/rollout/systems/table';
import { notAfter } from '@/lib/engine/status';
import type { WorkloadKind } from '@/lib/workloads/kind';
import { kindOf } from '@/lib/workloads/kinds/table';
import type { Workload, TemplateFacts } from '@/lib/history/workload';
import type { Cluster } from '@/server/cluster/cluster';
import type { RolloutKey } from '@/server/cluster/rollout-index';
import type { RolloutRevision } from '@/lib/api/rollouts';

/** A rollout in its current state, with what it was derived from. */
export interface RolloutView {
  system: RolloutSystem;
  input: RolloutInput;
  rollout: ProgressiveRollout;
}

/** The views of the workloads, derived from the same cache. */
export interface WorkloadViews {
  view(workload: Workload): Pick<RolloutFacts, 'history' | 'pods'> & { kind: WorkloadKind };
}

/** Of everything that a view is derived from. */
interface Version {
  rollout: number;
  object: string;
  /** Its uid, or a key for one that does not exist. */
  workload: string;
  ofWorkload: number;
  /** Of the other workloads and of the component, each with its own key. */
  others: string;
}

interface CachedView {
  version: Version;
  /** Milliseconds since the epoch. */
  until: number;
  view: RolloutView;
}

/** A view holds the pods of a rollout; this many views are some tens of MB at most. */
const VIEWS_MAX = 5_000;

/** Derives rollouts from the cache, once per version of their sources. */
export class RolloutViews {
  readonly #cluster: Cluster;
  readonly #views: WorkloadViews;
  readonly #now: () => number;
  readonly #cache = new LRUCache<string, CachedView>({ max: VIEWS_MAX });

  constructor(cluster: Cluster, views: WorkloadViews, now: () => number = Date.now) {
    this.#cluster = cluster;
    this.#views = views;
    this.#now = now;
  }

  view(object: RolloutObject): RolloutView {
    const version = this.#versionOf(object);
    const known = this.#cache.get(object.uid);
    if (known !== undefined && isSameVersion(known.version, version) && known.until > this.#now())
      return known.view;
    const view = deriveRolloutView(this.#cluster, this.#views, object, this.#now());
    this.#cache.set(object.uid, { version, until: view.system.validUntil(view.input), view });
    return view;
  }

  /** Derives those that are due again, and returns the ones whose state has changed. */
  outdated(): RolloutKey[] {
    const changed: RolloutKey[] = [];
    for (const [uid, { until, view }] of [...this.#cache.entries()]) {
      if (until > this.#now()) continue;
      const { resource, namespace, name } = view.rollout;
      const object = this.#cluster.rollouts.rollout(resource, namespace, name);
      if (object?.uid !== uid) this.#cache.delete(uid);
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

  /** Most have none, and a list reads all of its rollouts. */
  #othersVersion(object: RolloutObject): string {
    if (object.others.length === 0 && object.component === null) return '';
    const { cache } = this.#cluster;
    return [
      ...othersOf(this.#cluster, object).map((other) => `${other.uid} ${cache.versionOf(other)}`),
      ...revisionsOf(this.#cluster, object).map(({ uid, bodyId }) => `${uid} ${bodyId}`),
    ].join();
  }
}

function isSameVersion(a: Version, b: Version): boolean {
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
  views: WorkloadViews,
  object: RolloutObject,
  nowMs: number,
): RolloutView {
  const system = systemOf(object.resource);
  if (system === undefined)
    throw new AppError('not_found', `${object.resource} is not a rollout resource that Shiplog knows.`);
  const workload = workloadOf(cluster, object);
  const now = new Date(nowMs).toISOString();
  const input: RolloutInput = {
    object,
    workload:
      workload === undefined
        ? { state: stateOfKind(cluster, object) }
        : { state: 'found', facts: workloadFactsOf(views, workload) },
    auxiliaries:
      workload === undefined
        ? []
        : cluster.cache.childrenOf(workload).map((part) => workloadFactsOf(views, part)),
    relatedObjects: cluster.rollouts.relatedObjectsOf(object),
    others: othersOf(cluster, object).map((other) => workloadFactsOf(views, other)),
    ...(object.component !== null && { component: componentOf(cluster, object) }),
    observedMs: cluster.rollouts.observedAt(object),
    now,
  };
  const derived = notAfter(system.derive(input), now);
  const steps = derived.steps.map((step) => notAfter(step, now));
  return { system, input, rollout: withBlockedPods({ ...derived, steps }, input.workload) };
}

export function workloadFactsOf(views: WorkloadViews, workload: Workload): RolloutFacts {
  const { kind, history, pods } = views.view(workload);
  return { workload, history, pods, desired: kind.settings(workload).desiredPods };
}

function workloadOf({ cache }: Cluster, { namespace, workload }: RolloutObject): Workload | undefined {
  return workload.resource === null ? undefined : cache.workload(workload.resource, namespace, workload.name);
}

function othersOf({ cache }: Cluster, { namespace, others }: RolloutObject): Workload[] {
  return others.flatMap(({ resource, name }) => cache.workload(resource, namespace, name) ?? []);
}

function revisionsOf({ cache }: Cluster, { namespace, component }: RolloutObject) {
  return component === null ? [] : cache.revisionsOfComponent(namespace, component);
}

function componentOf(cluster: Cluster, object: RolloutObject): ComponentFacts {
  const revisions = revisionsOf(cluster, object);
  const histories = new Set(revisions.map((revision) => cluster.cache.workloadOfSource(revision)));
  // Several owners have revisions of one component: no page shows all of them.
  const [history, ...more] = histories;
  return {
    history:
      history === undefined || more.length > 0 ? null : { resource: history.resource, name: history.name },
    revisions,
  };
}

/** A workload that is not in the cache is missing only where the cache is complete for it. */
function stateOfKind(
  { cache }: Cluster,
  { namespace, workload: { resource } }: RolloutObject,
): 'missing' | 'unknown' {
  if (resource === null || kindOf(resource) === undefined) return 'unknown';
  const state = cache.states(namespace).find((entry) => entry.resource === resource);
  return state?.synced === true && state.problem === null ? 'missing' : 'unknown';
}

export interface RolloutSides {
  before: TemplateFacts;
  after: TemplateFacts;
}

/** What the pods run before a rollout and after it; null where one of the two is unknown. */
export function sidesOfRollout({ system, rollout, input }: RolloutView): RolloutSides | null {
  const sides = system.sides?.(input) ?? null;
  if (sides !== null) return sides;
  if (input.workload.state !== 'found') return null;
  const { workload, history } = input.workload.facts;
  const factsOf = (revision: RolloutRevision | null): TemplateFacts | undefined =>
    revision?.pending === true ? workload : history.revisions.find(({ id }) => id === revision?.id)?.source;
  const [before, after] = [factsOf(rollout.revisions.stable), factsOf(rollout.revisions.updated)];
  return before === undefined || after === undefined ? null : { before, after };
}
