import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NativeKind, nativeKinds, resourceOf, rolledOut } from '@/e2e/cluster/fixtures';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { seedNamespace } from '@/e2e/controlplane/seed';
import { waitFor } from '@/e2e/controlplane/wait';
import { untilRecorder } from '@/e2e/records/recorder-state';
import { untilNextSecond } from '@/e2e/support/next-second';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import type { RecordAnswer, RecordList } from '@/lib/api/records';
import type { JsonObject } from '@/lib/kube/json';

const NAMESPACE = 'scenarios';
let cluster: ControlPlane;
let shiplog: Shiplog;

beforeAll(async () => {
  cluster = await startControlPlane();
  shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin });
  await untilRecorder(shiplog, 'recording');
  await seedNamespace(cluster, NAMESPACE);
});

afterAll(async () => {
  await shiplog?.stop();
  await cluster?.stop();
});

/** One workload of a kind, and the actions on it. */
class WorkloadDriver {
  readonly kind: NativeKind;
  readonly name: string;
  #writtenMs = 0;

  constructor(kind: NativeKind, name: string) {
    this.kind = kind;
    this.name = `${kind}-${name}`;
  }

  get #collection(): string {
    return `/apis/apps/v1/namespaces/${NAMESPACE}/${this.kind}s`;
  }

  async create(tag: string, spec: JsonObject = {}): Promise<void> {
    const labels = { app: this.name };
    const kinds = { deployment: 'Deployment', statefulset: 'StatefulSet', daemonset: 'DaemonSet' };
    await cluster.client().create(this.#collection, {
      apiVersion: 'apps/v1',
      kind: kinds[this.kind],
      metadata: { name: this.name },
      spec: {
        ...(this.kind === 'daemonset' ? {} : { replicas: 3 }),
        ...(this.kind === 'statefulset' ? { serviceName: this.name } : {}),
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: `web:${tag}` }] } },
        ...spec,
      },
    });
    this.#writtenMs = Date.now();
  }

  async change(spec: JsonObject): Promise<void> {
    await untilNextSecond(this.#writtenMs);
    const path = `${this.#collection}/${this.name}?fieldManager=kubectl-edit`;
    await cluster.client().patch(path, { spec }, 'merge-patch');
    this.#writtenMs = Date.now();
  }

  ship(tag: string): Promise<void> {
    return this.change({ template: { spec: { containers: [{ name: 'app', image: `web:${tag}` }] } } });
  }

  untilComplete(): Promise<void> {
    return rolledOut(cluster, this.kind, NAMESPACE, this.name);
  }

  async remove(): Promise<void> {
    await cluster.client().remove(`${this.#collection}/${this.name}`);
  }

  /** Until that many rollouts are recorded, and the last one is recorded as held. */
  async untilHeld(expected: readonly string[]): Promise<void> {
    const ask = async () => (await this.recorded(expected)).at(-1)?.spans.at(-1);
    const isHeld = async () => {
      const span = await ask();
      return span?.kind === 'held' && span.to === null;
    };
    await waitFor(isHeld, { what: `${this.name} is held` });
  }

  /** Until these are recorded; each line is number, image and outcome, in the order of the rollouts. */
  async recorded(expected: readonly string[]): Promise<RecordAnswer[]> {
    let items: RecordList['items'] = [];
    const outcomes = () =>
      items.map(({ to, images, outcome }) => `${to.number} ${images[0]?.image} ${outcome}`).sort();
    const path = `/api/records?namespace=${NAMESPACE}&name=${this.name}&resource=${resourceOf(this.kind)}`;
    const ask = async () => {
      ({ items } = (await shiplog.get(path)) as RecordList);
      return JSON.stringify(outcomes()) === JSON.stringify(expected);
    };
    await waitFor(ask, {
      what: `${this.name} is recorded as it was`,
      detail: () => outcomes().join(', '),
    });
    const records = await Promise.all(
      items.map(async ({ id }) => (await shiplog.get(`/api/records/${id}`)) as RecordAnswer),
    );
    expect(records.flatMap(({ unwatched }) => unwatched)).toEqual([]);
    return records.sort((a, b) => a.activation - b.activation);
  }
}

/** In order. The simulated kubelet ends a pod by its name, sometimes its successor too: then a name occurs twice. */
function namesOf({ pods }: RecordAnswer['steps'][number]): string[] {
  return [...new Set(pods.map(({ name }) => name))].sort();
}

test.concurrent.each(nativeKinds)('a %s that is changed, and changed back', async (kind) => {
  const actor = new WorkloadDriver(kind, 'back');
  await actor.create('1');
  await actor.untilComplete();
  await actor.recorded(['1 web:1 completed']);
  await actor.ship('2');
  await actor.untilComplete();
  const isAttributed = async () =>
    (await actor.recorded(['1 web:1 completed', '2 web:2 completed']))[1]?.actor !== null;
  await waitFor(isAttributed, { what: 'the author of the second rollout is known' });
  await actor.ship('1');
  await actor.untilComplete();
  const records = await actor.recorded(['1 web:1 completed', '2 web:2 completed', '3 web:1 completed']);
  expect(records.map(({ from }) => from?.number ?? null)).toEqual([null, 1, 2]);
  expect(records[1]?.actor).toMatchObject({ name: 'kubectl-edit', source: 'managedFields' });
  expect(new Set(records[1]?.steps.flatMap(namesOf)).size).toBe(3);
});

test.concurrent.each(nativeKinds)('a %s whose new pods hang, and that is rolled back', async (kind) => {
  const actor = new WorkloadDriver(kind, 'hang');
  await actor.create('1');
  await actor.untilComplete();
  await actor.recorded(['1 web:1 completed']);
  await actor.ship('2-hang');
  await actor.recorded(['1 web:1 completed', '2 web:2-hang null']);
  await actor.ship('1');
  const line = kind === 'statefulset' ? '3 web:1 null' : '3 web:1 completed';
  await actor.recorded(['1 web:1 completed', '2 web:2-hang rolledBack', line]);
});

test.concurrent.each(nativeKinds)('a %s that is deleted midway', async (kind) => {
  const actor = new WorkloadDriver(kind, 'gone');
  await actor.create('1');
  await actor.untilComplete();
  await actor.recorded(['1 web:1 completed']);
  await actor.ship('2-hang');
  await actor.recorded(['1 web:1 completed', '2 web:2-hang null']);
  await actor.remove();
  await actor.recorded(['1 web:1 completed', '2 web:2-hang failed']);
});

test.concurrent('a Deployment that is paused, given a template, and resumed', async () => {
  const actor = new WorkloadDriver('deployment', 'paused');
  await actor.create('1');
  await actor.untilComplete();
  await actor.recorded(['1 web:1 completed']);
  await actor.change({ paused: true });
  await actor.ship('2');
  await actor.change({ paused: false });
  await actor.untilComplete();
  await actor.recorded(['1 web:1 completed', '2 web:2 completed']);
});

test.concurrent('a StatefulSet that is rolled out in parts', async () => {
  const actor = new WorkloadDriver('statefulset', 'parts');
  await actor.create('1', { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } });
  await actor.untilComplete();
  await actor.recorded(['1 web:1 completed']);
  await actor.ship('2');
  await actor.untilComplete();
  await actor.untilHeld(['1 web:1 completed', '2 web:2 null']);
  await actor.change({ updateStrategy: { rollingUpdate: { partition: 0 } } });
  const [, whole] = await actor.recorded(['1 web:1 completed', '2 web:2 completed']);
  expect(whole?.steps.map(({ name }) => name)).toEqual(['Partition 2', 'Partition 0']);
  const [firstNames, rest] = (whole?.steps ?? []).map(namesOf);
  expect(firstNames).toEqual([`${actor.name}-2`]);
  expect(rest?.filter((name) => name !== `${actor.name}-2`)).toEqual([`${actor.name}-0`, `${actor.name}-1`]);
});
