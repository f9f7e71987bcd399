import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { seedNamespace } from '@/e2e/controlplane/seed';
import { testCluster } from '@/e2e/controlplane/test-cluster';
import {
  BIG_INTEGER,
  kubectl,
  manifestOf,
  type NativeKind,
  nativeKinds,
  readObject,
  resourceOf,
  rolledOut,
  until,
} from '@/e2e/cluster/fixtures';
import { needs } from '@/e2e/cluster/needs';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import type { RecordItem, RecordList } from '@/lib/api/records';
import type { WorkloadDetail } from '@/lib/api/workloads';
import type { KubeObject } from '@/lib/kube/object';

const namespace = 'adoption';
const ARGO_CD = 'argocd-controller';
const ADOPTED =
  /^Adopted from an earlier (Deployment|StatefulSet|DaemonSet) of this name \(deleted .+ UTC\)\.$/;
/** The sandbox has no server-side apply. */
const canRun = (await needs('Adoption', 'kubectl')) && testCluster() !== 'sandbox';

let cluster: ControlPlane;
let shiplog: Shiplog;

beforeAll(async () => {
  if (!canRun) return;
  cluster = await startControlPlane();
  await seedNamespace(cluster, namespace);
  shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin });
});

afterAll(async () => {
  await shiplog?.stop();
  await cluster?.stop();
});

/** What is said of a revision; null: nothing. */
type Explanation = RegExp | null;

function isExplained(text: string | null, expected: Explanation): boolean {
  return expected === null ? text === null : text !== null && expected.test(text);
}

/** A workload, what writes to it, and what Shiplog says of it. */
class Subject {
  readonly kind: NativeKind;
  readonly name: string;

  constructor(kind: NativeKind, name: string) {
    this.kind = kind;
    this.name = name;
  }

  async create(tag: string): Promise<void> {
    await kubectl(cluster, ['create', '-f', '-'], this.#manifest(tag));
    await this.#rolledOut();
  }

  async setImage(tag: string): Promise<void> {
    await this.begin(tag);
    await this.#rolledOut();
  }

  async begin(tag: string): Promise<void> {
    await untilLater();
    await this.#run('set', 'image', `${this.kind}/${this.name}`, `app=${image(tag)}`);
  }

  /** As a sync of Argo CD with server-side apply. */
  async sync(tag: string): Promise<void> {
    await untilLater();
    const asArgoCd = ['--server-side', '--force-conflicts', `--field-manager=${ARGO_CD}`];
    await kubectl(cluster, ['apply', ...asArgoCd, '-f', '-'], this.#manifest(tag));
    await this.#rolledOut();
  }

  async orphan(): Promise<void> {
    await untilLater();
    await this.#run('delete', this.kind, this.name, '--cascade=orphan');
  }

  /** What a backup has of it, in the order in which Velero restores it: pods, revisions, the workload. */
  async save(): Promise<KubeObject[]> {
    const sources = this.kind === 'deployment' ? 'replicasets' : 'controllerrevisions';
    const lists = await Promise.all(
      ['pods', sources, this.kind].map((kind) =>
        this.#run('get', kind, '-l', `app=${this.name}`, '-o', 'json'),
      ),
    );
    return lists.flatMap((list) => JSON.parse(list).items).map(restorable);
  }

  async restore(items: readonly KubeObject[]): Promise<void> {
    const isWorkload = ({ kind }: KubeObject) => kind.toLowerCase() === this.kind;
    await this.#createAll(items.filter((item) => !isWorkload(item)));
    await untilLater();
    await this.#createAll(items.filter(isWorkload));
    await this.#rolledOut();
  }

  /** With everything that it owns. */
  async delete(): Promise<void> {
    await this.#run('delete', this.kind, this.name, '--cascade=foreground');
  }

  /** The page, once it is complete on the revision of that number and explains all of them so, the newest first. */
  async shown(number: number, explanations: readonly Explanation[]): Promise<WorkloadDetail> {
    const { object } = await readObject(cluster, this.kind, namespace, this.name);
    const told = new Set<string | null>();
    const detail = await until(`${this.kind} ${this.name} is complete on revision ${number}`, async () => {
      const answer: WorkloadDetail = await shiplog.get(
        `/api/workloads/${resourceOf(this.kind)}/${namespace}/${this.name}`,
      );
      const { workload, revisions } = answer;
      if (workload.uid !== object.metadata.uid) throw new Error('the deleted one is shown');
      const texts = revisions.map(({ explanation }) => explanation);
      for (const text of texts) told.add(text);
      const isShown =
        workload.state === 'complete' &&
        workload.targetRevision === number &&
        texts.length === explanations.length &&
        texts.every((text, index) => isExplained(text, explanations[index] ?? null));
      if (!isShown) throw new Error(`${workload.state}, ${workload.targetRevision}: ${texts.join(' ')}`);
      return answer;
    });
    expect([...told].filter((text) => text?.includes('rollback'))).toEqual([]);
    return detail;
  }

  /** The rollouts that are recorded, once there are so many and all have ended, but for those in progress. */
  async records(count: number, inProgress = 0): Promise<readonly RecordItem[]> {
    return until(`${count} rollouts of ${this.kind} ${this.name} are recorded`, async () => {
      const query = `namespace=${namespace}&resource=${resourceOf(this.kind)}&name=${this.name}`;
      const { items }: RecordList = await shiplog.get(`/api/records?${query}`);
      const texts = items.map(({ from, to, outcome }) => `${from?.number} → ${to.number} ${outcome}`);
      if (items.length !== count || items.filter(({ endedAt }) => endedAt === null).length !== inProgress)
        throw new Error(texts.join(', '));
      return items;
    });
  }

  async #createAll(items: readonly KubeObject[]): Promise<void> {
    if (items.length === 0) return;
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    await kubectl(cluster, ['create', '--field-manager=velero-server', '-f', '-'], list);
  }

  #manifest(tag: string): string {
    const manifest = JSON.parse(
      manifestOf(this.kind, namespace, this.name, image(tag)).replace(BIG_INTEGER, '30'),
    );
    manifest.metadata.labels = { app: this.name };
    return JSON.stringify(manifest);
  }

  #run(...args: string[]): Promise<string> {
    return kubectl(cluster, ['-n', namespace, ...args]);
  }

  #rolledOut(): Promise<void> {
    return rolledOut(cluster, this.kind, namespace, this.name);
  }
}

const image = (tag: string) => `registry.example.com/app:${tag}`;

/** Until the next write is later than what exists by more than clocks, and times in whole seconds, may differ. */
async function untilLater(): Promise<void> {
  const at = Date.now() + 3_500;
  await until('the change has its own time', () => Promise.resolve(Date.now() >= at));
}

/** Without its owner and node, and what the cluster gave it. */
function restorable({ apiVersion, kind, metadata, spec, ...object }: KubeObject): KubeObject {
  const { name, labels, annotations } = metadata;
  const { status: _, ...rest } = object;
  const kept = { apiVersion, kind, metadata: { name, namespace, labels, annotations }, ...rest };
  const { nodeName: _node, ...ownSpec } = spec ?? {};
  return JSON.parse(JSON.stringify(spec === undefined ? kept : { ...kept, spec: ownSpec }));
}

const numbersOf = ({ revisions }: WorkloadDetail) => revisions.map(({ number }) => number);
const leadingTo = (number: number, records: readonly RecordItem[]) =>
  records.find(({ to }) => to.number === number);
const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);

describe.runIf(canRun)('adoption', () => {
  it.concurrent.each(nativeKinds)(
    'a %s that is created again over its orphans has no rollout but those of its template changes',
    async (kind) => {
      const subject = new Subject(kind, `orphaned-${kind}`);
      await subject.create('1.0');
      for (const tag of ['1.1', '1.2']) await subject.setImage(tag);
      const before = await subject.shown(3, [null, null, null]);
      const records = await subject.records(3);

      await subject.orphan();
      await subject.sync('1.2');
      const adopted = await subject.shown(3, [ADOPTED, ADOPTED, ADOPTED]);
      expect(idsOf(adopted.revisions)).toEqual(idsOf(before.revisions));
      expect(adopted.workload.lastRollout).toBeNull();
      expect(adopted.gaps).toEqual([]);

      await subject.setImage('1.3');
      await subject.shown(4, [null, ADOPTED, ADOPTED, ADOPTED]);
      const changed = await subject.records(4);
      expect(idsOf(changed)).toEqual(expect.arrayContaining(idsOf(records)));
      expect(leadingTo(4, changed)).toMatchObject({ from: { number: 3 }, outcome: 'completed' });

      await subject.sync('1.1');
      await subject.shown(5, [/put back as 5 by argocd-controller at/, null, ADOPTED, ADOPTED]);
      const last = leadingTo(5, await subject.records(5));
      expect(last).toMatchObject({ from: { number: 4 }, actor: { manager: ARGO_CD } });

      await subject.orphan();
      await subject.sync('1.2');
      const again = /put back as 6 by argocd-controller at .+\. Adopted from an earlier/;
      await subject.shown(6, [again, ADOPTED, ADOPTED, ADOPTED]);
      expect(leadingTo(6, await subject.records(6))).toMatchObject({ from: { number: 5 } });
    },
  );

  it.concurrent.each(nativeKinds)(
    'a %s that is deleted without its pods has no failed rollout: the next one completes it',
    async (kind) => {
      const subject = new Subject(kind, `continued-${kind}`);
      await subject.create('1.0');
      await subject.records(1);
      await subject.begin('1.1-slow');
      await subject.records(2, 1);
      await subject.orphan();
      await subject.sync('1.1-slow');
      const records = await subject.records(2);
      expect(records.map(({ outcome }) => outcome)).toEqual(['superseded', 'completed']);
    },
  );

  it.concurrent.each(nativeKinds)(
    'a %s that is restored from a backup has no rollout but those of its template changes',
    async (kind) => {
      const subject = new Subject(kind, `restored-${kind}`);
      await subject.create('1.0');
      await subject.records(1);
      await subject.setImage('1.1');
      await subject.records(2);
      await subject.sync('1.0');
      const before = await subject.shown(3, [/put back as 3 by argocd-controller at/, null]);
      const records = await subject.records(3);

      const backup = await subject.save();
      await subject.delete();
      await subject.restore(backup);
      const restored = await subject.shown(3, [ADOPTED, ADOPTED]);
      expect(numbersOf(restored)).toEqual(numbersOf(before));
      expect(restored.workload.lastRollout).toBeNull();

      await subject.setImage('1.2');
      await subject.shown(4, [null, ADOPTED, ADOPTED]);
      const changed = await subject.records(4);
      expect(idsOf(changed)).toEqual(expect.arrayContaining(idsOf(records)));
      expect(leadingTo(4, changed)).toMatchObject({ from: { number: 3 }, outcome: 'completed' });
    },
  );

  it.concurrent(
    'revisions of a backup that a statefulset adopts with its next change are no rollouts',
    async () => {
      const subject = new Subject('statefulset', 'beside');
      await subject.create('1.0');
      await subject.setImage('1.1');
      await subject.records(2);
      const backup = await subject.save();
      await subject.delete();
      await subject.create('1.2');
      await subject.records(3);

      await subject.restore(backup.filter(({ kind }) => kind === 'ControllerRevision'));
      await subject.setImage('1.3');
      const records = await subject.records(4);
      expect(records.map(({ outcome }) => outcome)).toEqual(Array(4).fill('completed'));
      expect(leadingTo(3, records)).toMatchObject({ from: { number: 1 } });
    },
  );
});
