import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject, ManagedFieldsEntry } from '@/lib/kube/object';
import { NAMESPACE } from '@/lib/workloads/testing/objects';
import { isoTime } from '@/lib/format/time';
import type { FakeCluster } from '@/server/actions/testing/fake-cluster';

/** How a kind records revisions. */
export interface RecordingKind {
  apiVersion: string;
  kind: 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'CloneSet';
  plural: string;
}

export type Template = 'a' | 'b' | 'c' | 'd';

interface Source {
  uid: string;
  template: Template;
  numbers: number[];
  createdAt: string;
  isOwned: boolean;
  writes: ManagedFieldsEntry[];
}

interface Owner {
  uid: string;
  template: Template;
  generation: number;
  createdAt: string;
  writtenAt: string;
}

interface Saved {
  template: Template;
  running: Template | null;
  sources: readonly { template: Template; numbers: readonly number[] }[];
}

const NAME = 'checkout';
const CONTROLLER = 'kube-controller-manager';

/**
 * A workload of two pods, its controller and its client, as far as revisions, adoption and numbering go; it notes the
 * template changes that reach pods.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/controller_ref_manager.go
 */
export class AdoptingController {
  /** Template changes that have reached pods, as "a → b". */
  readonly changes: string[] = [];
  readonly #cluster: FakeCluster;
  readonly #now: () => number;
  readonly #kind: RecordingKind;
  #owner: Owner | null = null;
  #sources: Source[] = [];
  #running: Template | null = null;
  #saved: Saved | null = null;
  #uids = 0;
  readonly #paths = new Set<string>();

  constructor(cluster: FakeCluster, now: () => number, kind: RecordingKind) {
    this.#cluster = cluster;
    this.#now = now;
    this.#kind = kind;
  }

  get exists(): boolean {
    return this.#owner !== null;
  }

  /** Anew, or from the orphans that are left. */
  create(template: Template): void {
    const at = this.#time();
    this.#owner = { uid: this.#uid(), template, generation: 1, createdAt: at, writtenAt: at };
    this.#publish();
  }

  change(template: Template): void {
    if (this.#owner === null || this.#owner.template === template) return;
    const { generation } = this.#owner;
    this.#owner = { ...this.#owner, template, generation: generation + 1, writtenAt: this.#time() };
    this.#publish();
  }

  /** With its pods and revisions, or without them. */
  delete(keepsDependents: boolean): void {
    this.#owner = null;
    this.#sources = keepsDependents
      ? this.#sources.map((source) => ({ ...source, isOwned: false, writes: source.writes }))
      : [];
    if (!keepsDependents) this.#running = null;
    this.#publish();
  }

  save(): void {
    if (this.#owner === null || !this.isSettled) return;
    this.#saved = structuredClone({
      template: this.#owner.template,
      running: this.#running,
      sources: this.#sources.map(({ template, numbers }) => ({ template, numbers })),
    });
  }

  /** Everything is deleted, and created again from the backup, revisions first, the newest before the others. */
  restoreRevisions(): boolean {
    if (this.#saved === null) return false;
    this.delete(false);
    this.#sources = this.#saved.sources
      .toReversed()
      .map(({ template, numbers }) => this.#restored(template, numbers));
    this.#running = this.#saved.running;
    this.#publish();
    return true;
  }

  /** Revisions of the backup are created beside those of the workload, under the numbers that they had. */
  restoreBeside(): void {
    const { sources = [] } = this.#saved ?? {};
    const missing = sources.filter(
      ({ template }) => !this.#sources.some((source) => source.template === template),
    );
    if (this.#owner === null) return;
    this.#sources.push(...missing.map(({ template, numbers }) => this.#restored(template, numbers)));
    this.#publish();
  }

  restoreWorkload(): void {
    if (this.#saved !== null) this.create(this.#saved.template);
  }

  get isSettled(): boolean {
    return this.#owner !== null && this.#running === this.#owner.template && this.#isNumbered();
  }

  /** One step of the controller: it adopts an orphan, or numbers the target and moves the pods to it. */
  sync(): void {
    if (this.#owner === null) return;
    const orphan = this.#sources.find(({ isOwned }) => !isOwned);
    if (orphan !== undefined) {
      orphan.isOwned = true;
      this.#note(orphan, { 'f:metadata': { 'f:ownerReferences': {} } });
    } else {
      const isNumbered = this.#number(this.#owner);
      // Pods that start from a restored revision start what had been the target: nothing changed.
      const { template } = this.#owner;
      if (this.#running === null ? isNumbered : this.#running !== template)
        this.changes.push(`${this.#running ?? ''} → ${template}`);
      this.#running = template;
    }
    this.#publish();
  }

  get #keepsNumbers(): boolean {
    return this.#kind.kind === 'Deployment';
  }

  #isNumbered(): boolean {
    const { target, highest } = this.#numbering();
    return target !== undefined && target.isOwned && (target.numbers.at(-1) ?? 0) >= highest;
  }

  #numbering() {
    const target = this.#sources.find(({ template }) => template === this.#owner?.template);
    const others = this.#sources.filter((source) => source !== target);
    return { target, highest: Math.max(0, ...others.flatMap(({ numbers }) => numbers.at(-1) ?? 0)) };
  }

  /** Whether the target has got a number. */
  #number({ template }: Owner): boolean {
    const { target, highest } = this.#numbering();
    if (target === undefined) {
      const source = { uid: this.#uid(), template, numbers: [highest + 1], isOwned: true, writes: [] };
      this.#sources.push({ ...source, createdAt: this.#time() });
      const created = this.#sources.at(-1);
      if (created !== undefined)
        this.#note(created, {
          ...this.#contentFields(),
          'f:metadata': { ...this.#numberFields(), 'f:ownerReferences': {} },
        });
      return true;
    }
    if ((target.numbers.at(-1) ?? 0) > highest) return false;
    target.numbers.push(highest + 1);
    this.#note(target, { ...this.#topFields(), 'f:metadata': this.#numberFields() });
    return true;
  }

  #restored(template: Template, numbers: readonly number[]): Source {
    const at = this.#time();
    return {
      uid: this.#uid(),
      template,
      numbers: [...numbers],
      createdAt: at,
      isOwned: false,
      writes: [entry('velero-server', at, { ...this.#contentFields(), 'f:metadata': this.#numberFields() })],
    };
  }

  #contentFields(): JsonObject {
    return this.#keepsNumbers ? { 'f:spec': { 'f:template': {} } } : { 'f:data': {}, ...this.#topFields() };
  }

  #topFields(): JsonObject {
    return this.#keepsNumbers ? {} : { 'f:revision': {} };
  }

  #numberFields(): JsonObject {
    return this.#keepsNumbers ? { 'f:annotations': { 'f:deployment.kubernetes.io/revision': {} } } : {};
  }

  /** Every write of a client moves the time of all its fields. */
  #note(source: Source, fields: JsonObject): void {
    const known = source.writes.find(({ manager }) => manager === CONTROLLER);
    const before = known?.fieldsV1;
    const metadata = { ...(before?.['f:metadata'] as JsonObject), ...(fields['f:metadata'] as JsonObject) };
    source.writes = [
      ...source.writes.filter((write) => write !== known),
      entry(CONTROLLER, this.#time(), { ...before, ...fields, 'f:metadata': metadata }),
    ];
  }

  #time(): string {
    return isoTime(Math.floor(this.#now() / 1_000) * 1_000).replace('.000', '');
  }

  #uid(): string {
    this.#uids += 1;
    return `uid-${this.#uids}`;
  }

  /** Shows the cluster the current state, in the order of the watch of each resource. */
  #publish(): void {
    const objects = [
      ...this.#sources.map((source) => this.#sourceObject(source)),
      ...(this.#owner === null ? [] : [this.#workloadObject(this.#owner)]),
    ];
    const paths = new Map(objects.map((object) => [this.#pathOf(object), object]));
    for (const path of this.#paths) {
      const present = paths.get(path);
      if (present?.metadata.uid === this.#cluster.get(path).metadata.uid) continue;
      this.#cluster.remove(path);
      this.#paths.delete(path);
    }
    for (const [path, object] of paths) {
      this.#cluster.put(object);
      this.#paths.add(path);
    }
  }

  #pathOf({ kind, metadata: { name } }: KubeObject): string {
    const base = `/namespaces/${NAMESPACE}`;
    if (kind === 'ReplicaSet') return `/apis/apps/v1${base}/replicasets/${name}`;
    if (kind === 'ControllerRevision') return `/apis/apps/v1${base}/controllerrevisions/${name}`;
    return `/apis/${this.#kind.apiVersion}${base}/${this.#kind.plural}/${name}`;
  }

  #workloadObject({ uid, template, generation, createdAt, writtenAt }: Owner): KubeObject {
    const { apiVersion, kind } = this.#kind;
    const isDone = this.#running === template;
    const updated = isDone ? 2 : 0;
    const name = this.#sources.find((source) => source.template === template && source.isOwned);
    const revision =
      name === undefined ? {} : { updateRevision: nameOf(name), currentRevision: nameOf(name) };
    return {
      apiVersion,
      kind,
      metadata: {
        ...{ name: NAME, namespace: NAMESPACE, uid, generation, resourceVersion: '1' },
        creationTimestamp: createdAt,
        managedFields: [entry('kubectl', writtenAt, { 'f:spec': { 'f:template': {} } })],
      },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: NAME } },
        template: templateOf(template),
        ...(kind === 'Deployment' ? {} : { updateStrategy: { type: 'RollingUpdate' } }),
      },
      status: {
        observedGeneration: generation,
        ...(kind === 'DaemonSet'
          ? { desiredNumberScheduled: 2, updatedNumberScheduled: updated, numberAvailable: 2, numberReady: 2 }
          : { replicas: 2, updatedReplicas: updated, readyReplicas: 2, availableReplicas: 2, ...revision }),
      },
    };
  }

  #sourceObject(source: Source): KubeObject {
    const { uid, template, numbers, createdAt, writes } = source;
    const { apiVersion, kind } = this.#kind;
    const ownerReferences =
      source.isOwned && this.#owner !== null
        ? [{ apiVersion, kind, name: NAME, uid: this.#owner.uid, controller: true }]
        : [];
    const metadata = {
      ...{ name: nameOf(source), namespace: NAMESPACE, uid, resourceVersion: '1', generation: 1 },
      ...{ creationTimestamp: createdAt, managedFields: writes, ownerReferences },
      labels: { app: NAME, 'controller-revision-hash': template, 'pod-template-hash': template },
    };
    const number = numbers.at(-1) ?? 0;
    if (!this.#keepsNumbers)
      return {
        ...{ apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata, revision: number },
        data: { spec: { template: { $patch: 'replace', ...templateOf(template) } } },
      };
    const replicas = this.#running === template ? 2 : 0;
    const annotations = {
      'deployment.kubernetes.io/revision': String(number),
      ...(numbers.length > 1 && {
        'deployment.kubernetes.io/revision-history': numbers.slice(0, -1).join(','),
      }),
    };
    return {
      ...{ apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { ...metadata, annotations } },
      spec: { replicas, selector: { matchLabels: { app: NAME } }, template: templateOf(template) },
      status: { replicas, readyReplicas: replicas, availableReplicas: replicas, observedGeneration: 1 },
    };
  }
}

function entry(manager: string, time: string, fieldsV1: JsonObject): ManagedFieldsEntry {
  return { manager, operation: 'Update', time, fieldsV1 };
}

function nameOf({ template }: Source): string {
  return `${NAME}-${template}`;
}

function templateOf(image: Template): JsonObject {
  return {
    metadata: { labels: { app: NAME } },
    spec: { containers: [{ name: 'app', image: `checkout:${image}` }] },
  };
}
