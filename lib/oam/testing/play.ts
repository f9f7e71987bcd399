import { FINALIZER, nextMove } from '@/lib/oam/next-move';
import {
  parseRollout,
  type Rollout,
  type RolloutStatus,
  type WorkloadKindName,
  writeStatus,
} from '@/lib/oam/rollout';
import { type Answer, type Move } from '@/lib/oam/turn';
import { patchOf, type RolledWorkload, rolledWorkload, type Write } from '@/lib/oam/workload';
import { deepEqual, isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { numberAt, objectAt, textAt } from '@/lib/workloads/read';

/** A move, and the Rollout that it was decided for. */
export interface Decided {
  readonly rollout: KubeObject;
  readonly move: Move;
}

/** Workloads whose pods come and go a step at a time, and a Rollout that is kept as JSON between two moves. */
export class Play {
  readonly objects = new Map<string, KubeObject>();
  rollout: KubeObject | undefined;
  nowMs = Date.parse('2026-03-01T12:00:00Z');
  /** What webhooks and metrics answer, by their name. */
  readonly answers = new Map<string, Answer>();
  readonly moves: Move[] = [];
  /** Workloads that component revisions describe, by their name. */
  readonly components = new Map<string, JsonObject>();
  /** Of ControllerRevisions, by their name. */
  readonly templates = new Map<string, JsonObject>();
  #version = 1;

  /** With all its pods ready, or as many as told. */
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

  get parsed(): Rollout | undefined {
    return this.rollout === undefined ? undefined : parseRollout(this.rollout);
  }

  get status(): RolloutStatus | undefined {
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
    if (rollout !== undefined) this.#keep({ ...rollout, spec: { ...rollout.spec, ...spec } });
  }

  delete(): void {
    const { rollout } = this;
    if (rollout === undefined) return;
    if (rollout.metadata.finalizers === undefined) this.rollout = undefined;
    else
      this.#keep({
        ...rollout,
        metadata: { ...rollout.metadata, deletionTimestamp: '2026-03-01T13:00:00Z' },
      });
  }

  /** One move, of which so many effects take place before the controller dies. */
  move(spare = Infinity): void {
    const decided = this.decide();
    if (decided !== undefined) this.carryOut(decided, spare);
  }

  /** What a controller is about to do that has seen what is there now. */
  decide(): Decided | undefined {
    const { rollout } = this;
    return rollout === undefined ? undefined : { rollout, move: this.#decide() };
  }

  /** Up to so many effects, and up to the first that meets another version than the one that was seen. */
  carryOut({ rollout, move }: Decided, spare = Infinity): void {
    this.moves.push(move);
    let left = spare;
    for (const write of move.writes) {
      if (left <= 0 || !this.#write(write)) return;
      left -= 1;
    }
    // As JSON, since that is all that outlives a controller.
    const status = JSON.parse(JSON.stringify(writeStatus(move.status))) as JsonObject;
    let seen: KubeObject | undefined = rollout;
    if (!deepEqual(status, writeStatus(parseRollout(rollout).status))) {
      if (left <= 0 || !this.#isAsIt(seen)) return;
      left -= 1;
      seen = this.#keep({ ...seen, status });
    }
    if (move.finalizer === 'keep' || left <= 0 || !this.#isAsIt(seen)) return;
    if (move.finalizer === 'drop') this.rollout = undefined;
    else this.#keep({ ...seen, metadata: { ...seen.metadata, finalizers: [FINALIZER] } });
  }

  #isAsIt(seen: KubeObject): boolean {
    return this.rollout?.metadata.resourceVersion === seen.metadata.resourceVersion;
  }

  #keep(rollout: KubeObject): KubeObject {
    this.#version += 1;
    const metadata = { ...rollout.metadata, resourceVersion: String(this.#version) };
    return (this.rollout = { ...rollout, metadata });
  }

  /** Pods of one Deployment: it sees its spec, pods go at once, so many become ready, so many are made. */
  live(name: string, ready = Infinity, made = Infinity): void {
    const object = this.objects.get(name);
    if (object === undefined) return;
    const wanted = numberAt(object.spec, 'replicas') ?? 0;
    const had = numberAt(object.status, 'replicas') ?? 0;
    const replicas = Math.min(wanted, had + made);
    const readyReplicas = Math.min(replicas, (numberAt(object.status, 'readyReplicas') ?? 0) + ready);
    const { generation = 1 } = object.metadata;
    object.status = { observedGeneration: generation, replicas, readyReplicas, updatedReplicas: replicas };
  }

  liveAll(): void {
    for (const name of this.objects.keys()) this.live(name);
  }

  /** Moves, pods and time in turn until the condition holds. Throws when it never does. */
  until(isThere: () => boolean, look: () => void = () => undefined): void {
    for (let turn = 0; turn < 2_000; turn += 1) {
      if (isThere()) return;
      this.move();
      look();
      this.liveAll();
      look();
      this.nowMs += 5_000;
    }
    throw new Error(`It does not come to that from ${JSON.stringify(this.rollout?.status)}`);
  }

  #decide(): Move {
    const answers = new Map<string, Answer>();
    for (;;) {
      const move = nextMove(
        {
          rollout: this.parsed as Rollout,
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
      if (move.asks.length === 0) return move;
      for (const check of move.asks) {
        const name = check.is === 'webhook' ? check.webhook.name : check.metric.name;
        answers.set(check.id, this.answers.get(name) ?? { is: 'agreed' });
      }
    }
  }

  get #component(): JsonObject | undefined {
    const target = this.parsed?.target;
    return target?.by === 'revision' ? this.components.get(target.revision) : undefined;
  }

  /** Whether it was taken. */
  #write(write: Write): boolean {
    if (write.do === 'create') return true;
    const { workload, wanted } = write;
    const object = this.objects.get(workload.name);
    if (object === undefined) return false;
    const patch = patchOf(workload, wanted);
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

/** A member of null is one to take away. */
function without(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter((entry): entry is [string, Json] => entry[1] !== null),
  );
}
