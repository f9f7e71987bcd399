import { FINALIZER, reconcileRollout } from '@/lib/oam/reconcile';
import {
  parseControlledRollout,
  type ControlledRollout,
  type OamRolloutStatus,
  type WorkloadKindName,
  writeStatus,
} from '@/lib/oam/rollout';
import type { CheckAnswer, ReconcileResult } from '@/lib/oam/reconcile-pass';
import { patchOf, type RolledWorkload, rolledWorkload, type WorkloadWrite } from '@/lib/oam/rolled-workload';
import { deepEqual, isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { numberAt, objectAt, textAt } from '@/lib/kube/read';

/** A reconcile, and the Rollout that it was computed for. */
export interface DecidedResult {
  readonly rollout: KubeObject;
  readonly result: ReconcileResult;
}

/**
 * Workloads whose pods start and end a step at a time, and a Rollout that is stored as JSON between two
 * reconciles.
 */
export class RolloutSimulation {
  readonly objects = new Map<string, KubeObject>();
  rollout: KubeObject | undefined;
  nowMs = Date.parse('2026-03-01T12:00:00Z');
  /** Answers of webhooks and metrics, by name. */
  readonly answers = new Map<string, CheckAnswer>();
  readonly results: ReconcileResult[] = [];
  /** Workloads that component revisions describe, by name. */
  readonly components = new Map<string, JsonObject>();
  /** Of ControllerRevisions, by name. */
  readonly templates = new Map<string, JsonObject>();
  #version = 1;

  /** With all its pods ready, or as many as given. */
  deploy(name: string, replicas: number, spec: JsonObject = {}): void {
    const metadata = {
      name,
      namespace: 'shop',
      uid: `uid-${name}`,
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '2026-03-01T11:00:00Z',
    };
    const template = { spec: { containers: [{ name: 'app', image: `${name}:1` }] } };
    const pods = { replicas, readyReplicas: replicas, updatedReplicas: replicas };
    this.objects.set(name, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: { replicas, template, ...spec },
      status: { observedGeneration: 1, ...pods },
    });
  }

  roll(spec: JsonObject): void {
    this.rollout = {
      apiVersion: 'standard.oam.dev/v1alpha1',
      kind: 'Rollout',
      metadata: {
        name: 'web',
        namespace: 'shop',
        uid: 'uid-rollout',
        resourceVersion: '1',
        creationTimestamp: '2026-03-01T12:00:00Z',
      },
      spec,
    };
  }

  get parsed(): ControlledRollout | undefined {
    return this.rollout === undefined ? undefined : parseControlledRollout(this.rollout);
  }

  get status(): OamRolloutStatus | undefined {
    return this.parsed?.status;
  }

  get workloads(): RolledWorkload[] {
    return [...this.objects.values()].map((object) =>
      rolledWorkload(object.kind as WorkloadKindName, object),
    );
  }

  size(name: string): number {
    return numberAt(this.objects.get(name)?.spec, 'replicas') ?? 0;
  }

  editPlan(plan: JsonObject): void {
    const spec = this.rollout?.spec ?? {};
    this.editSpec({ rolloutPlan: without({ ...objectAt(spec, 'rolloutPlan'), ...plan }) });
  }

  editSpec(spec: JsonObject): void {
    const { rollout } = this;
    if (rollout !== undefined) this.#store({ ...rollout, spec: { ...rollout.spec, ...spec } });
  }

  delete(): void {
    const { rollout } = this;
    if (rollout === undefined) return;
    if (rollout.metadata.finalizers === undefined) this.rollout = undefined;
    else
      this.#store({
        ...rollout,
        metadata: { ...rollout.metadata, deletionTimestamp: '2026-03-01T13:00:00Z' },
      });
  }

  /** One reconcile, of which so many effects take place before the controller dies. */
  reconcile(spare = Infinity): void {
    const decided = this.decide();
    if (decided !== undefined) this.apply(decided, spare);
  }

  /** The planned writes of a controller that has observed the current state. */
  decide(): DecidedResult | undefined {
    const { rollout } = this;
    return rollout === undefined ? undefined : { rollout, result: this.#decide() };
  }

  /** Up to so many effects, and up to the first version conflict. */
  apply({ rollout, result }: DecidedResult, spare = Infinity): void {
    this.results.push(result);
    let left = spare;
    for (const write of result.writes) {
      if (left <= 0 || !this.#write(write)) return;
      left -= 1;
    }
    // As JSON, since nothing else outlives a controller.
    const status = JSON.parse(JSON.stringify(writeStatus(result.status))) as JsonObject;
    let seen: KubeObject | undefined = rollout;
    if (!deepEqual(status, writeStatus(parseControlledRollout(rollout).status))) {
      if (left <= 0 || !this.#isUnchanged(seen)) return;
      left -= 1;
      seen = this.#store({ ...seen, status });
    }
    if (result.finalizer === 'keep' || left <= 0 || !this.#isUnchanged(seen)) return;
    if (result.finalizer === 'drop') this.rollout = undefined;
    else this.#store({ ...seen, metadata: { ...seen.metadata, finalizers: [FINALIZER] } });
  }

  #isUnchanged(seen: KubeObject): boolean {
    return this.rollout?.metadata.resourceVersion === seen.metadata.resourceVersion;
  }

  #store(rollout: KubeObject): KubeObject {
    this.#version += 1;
    const metadata = { ...rollout.metadata, resourceVersion: String(this.#version) };
    return (this.rollout = { ...rollout, metadata });
  }

  /**
   * Pods of one Deployment: its controller observes the spec, pods end at once, so many become ready, so many
   * are created.
   */
  advancePods(name: string, ready = Infinity, made = Infinity): void {
    const object = this.objects.get(name);
    if (object === undefined) return;
    const desired = numberAt(object.spec, 'replicas') ?? 0;
    const had = numberAt(object.status, 'replicas') ?? 0;
    const replicas = Math.min(desired, had + made);
    const readyReplicas = Math.min(replicas, (numberAt(object.status, 'readyReplicas') ?? 0) + ready);
    const { generation = 1 } = object.metadata;
    object.status = { observedGeneration: generation, replicas, readyReplicas, updatedReplicas: replicas };
  }

  advanceAllPods(): void {
    for (const name of this.objects.keys()) this.advancePods(name);
  }

  /** Reconciles, pods and time in turn until the condition holds. Throws when it never does. */
  runUntil(isThere: () => boolean, observe: () => void = () => undefined): void {
    for (let round = 0; round < 2_000; round += 1) {
      if (isThere()) return;
      this.reconcile();
      observe();
      this.advanceAllPods();
      observe();
      this.nowMs += 5_000;
    }
    throw new Error(`It does not come to that from ${JSON.stringify(this.rollout?.status)}`);
  }

  #decide(): ReconcileResult {
    const answers = new Map<string, CheckAnswer>();
    for (;;) {
      const result = reconcileRollout(
        {
          rollout: this.parsed as ControlledRollout,
          workload: (kind, name) => {
            const object = this.objects.get(name);
            return object?.kind === kind ? rolledWorkload(kind, object) : undefined;
          },
          revisionTemplate: (name) => this.templates.get(name),
          component: this.#component,
          nowMs: this.nowMs,
        },
        answers,
      );
      if (result.pendingChecks.length === 0) return result;
      for (const check of result.pendingChecks) {
        const name = check.is === 'webhook' ? check.webhook.name : check.metric.name;
        answers.set(check.id, this.answers.get(name) ?? { is: 'agreed' });
      }
    }
  }

  get #component(): JsonObject | undefined {
    const target = this.parsed?.target;
    return target?.by === 'revision' ? this.components.get(target.revision) : undefined;
  }

  /** Whether the write was accepted. */
  #write(write: WorkloadWrite): boolean {
    if (write.do === 'create') return true;
    const { workload, desired } = write;
    const object = this.objects.get(workload.name);
    if (object === undefined) return false;
    const patch = patchOf(workload, desired);
    const version = textAt(patch, 'metadata', 'resourceVersion');
    if (version !== undefined && version !== object.metadata.resourceVersion) return false;
    const annotations = merge(
      object.metadata.annotations ?? {},
      objectAt(patch, 'metadata', 'annotations') ?? {},
    );
    const labels = merge(object.metadata.labels ?? {}, objectAt(patch, 'metadata', 'labels') ?? {});
    this.#version += 1;
    const before = object.spec ?? {};
    object.spec = merge(before, objectAt(patch, 'spec') ?? {});
    const isOtherSpec = !deepEqual(before, object.spec);
    object.metadata = {
      ...object.metadata,
      annotations: annotations as Record<string, string>,
      labels: labels as Record<string, string>,
      resourceVersion: String(this.#version),
      generation: (object.metadata.generation ?? 1) + (isOtherSpec ? 1 : 0),
    };
    return true;
  }
}

/** https://www.rfc-editor.org/rfc/rfc7386 */
function merge(into: JsonObject, patch: JsonObject): JsonObject {
  const merged: JsonObject = { ...into };
  for (const [name, value] of Object.entries(patch)) {
    const inner = merged[name];
    merged[name] = isJsonObject(value) ? merge(isJsonObject(inner) ? inner : {}, value) : value;
  }
  return without(merged);
}

/** A member of null is removed. */
function without(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter((entry): entry is [string, Json] => entry[1] !== null),
  );
}
