import { afterAll, beforeAll, describe, vi } from 'vitest';
import { needs } from '@/e2e/cluster/needs';
import { runKruiseControllers } from '@/e2e/cluster/sandbox-controllers';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import { createNamespace } from '@/e2e/controlplane/kube-client';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { testCluster } from '@/e2e/controlplane/test-cluster';
import { waitFor } from '@/e2e/controlplane/wait';
import { installKruise } from '@/e2e/support/install-crds';
import { untilRecorder } from '@/e2e/records/recorder-state';
import { untilNextSecond } from '@/e2e/support/next-second';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import type { RecordAnswer, RecordList } from '@/lib/api/records';
import type { RolloutDetail } from '@/lib/api/rollouts';
import type { RolloutHistoryList } from '@/lib/api/rollout-histories';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { conditionAt, numberAt, objectsAt, textAt } from '@/lib/kube/read';

/** Next to the real controllers, on a busy machine. */
const TIMEOUT_MS = 90_000;
vi.setConfig({ testTimeout: 3 * TIMEOUT_MS });

const NAMESPACE = 'recorded';
const ROLLOUTS = `/apis/rollouts.kruise.io/v1beta1/namespaces/${NAMESPACE}/rollouts`;
const HISTORIES = `/apis/rollouts.kruise.io/v1alpha1/namespaces/${NAMESPACE}/rollouthistories`;
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
const BATCH = 'rollouts.kruise.io/rollout-batch-id';

/**
 * The pods of the last step exist for seconds: on a busy machine, shorter-lived ones end before any watch reports
 * them.
 */
const STEPS = [
  { replicas: 1, pause: {} },
  { replicas: '50%', pause: {} },
  { replicas: '100%', pause: { duration: 3 } },
];
/** A record states that a step continues by itself, but not after how long. */
const RECORDED_STEPS = [...STEPS.slice(0, 2), { replicas: '100%', pause: { duration: 0 } }];
const canary = { canary: { enableExtraWorkloadForCanary: true, steps: STEPS } };

let cluster: ControlPlane;
let shiplog: Shiplog;
const afterwards: (() => Promise<unknown>)[] = [];

const canRun = await needs('Records of progressive rollouts', 'simulatedPods');

beforeAll(async () => {
  if (!canRun) return;
  cluster = await startControlPlane();
  const client = cluster.client();
  await installKruise(client);
  if (testCluster() === 'real') afterwards.push(await runKruiseControllers(cluster));
  await createNamespace(client, NAMESPACE);
  shiplog = await startShiplog({
    kubeconfig: cluster.kubeconfigs.admin,
    env: { SHIPLOG_WRITE_ROLLOUTHISTORY: '1' },
  });
  await untilRecorder(shiplog, 'recording');
});

afterAll(async () => {
  await shiplog?.stop();
  for (const stop of afterwards) await stop();
  await cluster?.stop();
});

const kinds = {
  Deployment: { apiVersion: 'apps/v1', resource: 'deployments.apps' },
  CloneSet: { apiVersion: 'apps.kruise.io/v1beta1', resource: 'clonesets.apps.kruise.io' },
};

/** A workload of four pods with a Rollout of its name, and the actions on them. */
class SteppedRollout {
  readonly name: string;
  readonly #kind: keyof typeof kinds;
  readonly #sub: 'canaryStatus' | 'blueGreenStatus';
  readonly #strategy: JsonObject;
  readonly #steps: number;
  #writtenMs = 0;

  constructor(name: string, kind: keyof typeof kinds, strategy: JsonObject, steps = 3) {
    this.name = name;
    this.#kind = kind;
    this.#strategy = strategy;
    this.#sub = 'blueGreen' in strategy ? 'blueGreenStatus' : 'canaryStatus';
    this.#steps = steps;
  }

  get #path(): string {
    const { apiVersion } = kinds[this.#kind];
    return `/apis/${apiVersion}/namespaces/${NAMESPACE}/${this.#kind.toLowerCase()}s`;
  }

  async create(): Promise<void> {
    const { name } = this;
    const client = cluster.client();
    const { apiVersion } = kinds[this.#kind];
    const labels = { app: name };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'app:v1' }] } };
    const spec = { replicas: 4, selector: { matchLabels: labels }, template };
    await client.create(this.#path, { apiVersion, kind: this.#kind, metadata: { name }, spec });
    await client.create(ROLLOUTS, {
      apiVersion: 'rollouts.kruise.io/v1beta1',
      kind: 'Rollout',
      metadata: { name },
      spec: { workloadRef: { apiVersion, kind: this.#kind, name }, strategy: this.#strategy },
    });
    await this.until(`Healthy ${this.#steps} Completed`);
    await this.recorded(['app:v1 completed']);
    await this.#untilHeldBack();
    this.#writtenMs = Date.now();
  }

  /** A policy takes effect after a moment. */
  async #untilHeldBack(): Promise<void> {
    const path = `${this.#path}/${this.name}?dryRun=All`;
    await waitFor(
      async () => {
        const { metadata } = await cluster.client().patch<KubeObject>(path, imageOf('app:probe'));
        return metadata.annotations?.['rollouts.kruise.io/in-progressing'] !== undefined;
      },
      { what: 'rollouts are held back', timeoutMs: TIMEOUT_MS },
    );
  }

  async ship(image: string): Promise<void> {
    await untilNextSecond(this.#writtenMs);
    const path = `${this.#path}/${this.name}?fieldManager=kubectl-edit`;
    await cluster.client().patch(path, imageOf(image));
    this.#writtenMs = Date.now();
  }

  async approve(): Promise<void> {
    await cluster.client().patch(`${ROLLOUTS}/${this.name}/status`, {
      status: { [this.#sub]: { currentStepState: 'StepReady' } },
    });
  }

  async jump(to: number): Promise<void> {
    const status = { [this.#sub]: { nextStepIndex: to } };
    await cluster.client().patch(`${ROLLOUTS}/${this.name}/status`, { status });
  }

  /** Returns when the controller has observed it. */
  async setPaused(paused: boolean): Promise<void> {
    const path = `${ROLLOUTS}/${this.name}`;
    await cluster.client().patch(path, { spec: { strategy: { paused } } });
    await waitFor(
      async () => {
        const { status } = await cluster.client().get<KubeObject>(path);
        return (conditionAt(status, 'Progressing')?.reason === 'Paused') === paused;
      },
      { what: paused ? 'the Rollout is held' : 'it goes on', timeoutMs: TIMEOUT_MS },
    );
  }

  /** Rolls out the rest at once. */
  async remove(): Promise<void> {
    await cluster.client().remove(`${ROLLOUTS}/${this.name}`);
  }

  /** `Progressing 2 StepPaused` */
  async until(wanted: string): Promise<void> {
    let last = '';
    await waitFor(
      async () => {
        const { status } = await cluster.client().get<KubeObject>(`${ROLLOUTS}/${this.name}`);
        const index = numberAt(status, this.#sub, 'currentStepIndex');
        last = `${textAt(status, 'phase')} ${index} ${textAt(status, this.#sub, 'currentStepState')}`;
        return last === wanted;
      },
      { what: `${this.name} is at ${wanted}`, timeoutMs: TIMEOUT_MS, detail: () => `It is at ${last}.` },
    );
  }

  /** Names of the pods of a batch, by their current labels. */
  async podsOf(batch: number): Promise<string[]> {
    const { items } = await cluster.client().list(`${PODS}?labelSelector=app=${this.name},${BATCH}=${batch}`);
    return (items as unknown as KubeObject[])
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.name)
      .sort();
  }

  /** The records in order, once they are as expected: image and outcome. */
  async recorded(wanted: readonly string[]): Promise<RecordAnswer[]> {
    let items: RecordList['items'] = [];
    const outcomes = () => items.map(({ images, outcome }) => `${images[0]?.image} ${outcome}`);
    const path = `/api/records?namespace=${NAMESPACE}&name=${this.name}&resource=${kinds[this.#kind].resource}`;
    await waitFor(
      async () => {
        ({ items } = (await shiplog.get(path)) as RecordList);
        return outcomes().toSorted().join() === wanted.toSorted().join();
      },
      {
        what: `${this.name} is recorded as it was`,
        timeoutMs: TIMEOUT_MS,
        detail: () => outcomes().join(', '),
      },
    );
    const records = await Promise.all(
      items.map(async ({ id }) => (await shiplog.get(`/api/records/${id}`)) as RecordAnswer),
    );
    return records.sort((a, b) => a.activation - b.activation);
  }

  read(): Promise<RolloutDetail> {
    return shiplog.get(`/api/rollouts/rollouts.rollouts.kruise.io/${NAMESPACE}/${this.name}`);
  }
}

function imageOf(image: string): JsonObject {
  return { spec: { template: { spec: { containers: [{ name: 'main', image }] } } } };
}

/** Of each step its state and the number of pods that it created. */
function stepsOf(record: RecordAnswer | undefined): string[] | undefined {
  return record?.steps.map(({ state, pods }) => `${state} ${pods.length}`);
}

function namesOf(record: RecordAnswer | undefined): string[][] | undefined {
  return record?.steps.map(({ pods }) => pods.map(({ name }) => name).sort());
}

/** Of each step of a RolloutHistory its index and the names of its pods. */
function podsIn({ status }: KubeObject): (number | string)[][] {
  return objectsAt(status, 'canarySteps').map((step) => [
    numberAt(step, 'canaryStepIndex') ?? 0,
    ...objectsAt(step, 'pods')
      .map((pod) => textAt(pod, 'name') ?? '')
      .sort(),
  ]);
}

describe.runIf(canRun).concurrent('the record of a progressive rollout', (it) => {
  it('of a canary has the pods of every step, though none of them exists at the end', async ({ expect }) => {
    const stepped = new SteppedRollout('web', 'Deployment', canary);
    await stepped.create();
    await stepped.ship('app:v2');
    await stepped.until('Progressing 1 StepPaused');
    const first = await stepped.podsOf(1);
    const [, open] = await stepped.recorded(['app:v1 completed', 'app:v2 null']);
    const actor = { name: 'kubectl-edit', source: 'managedFields', manager: 'kubectl-edit' };
    expect(open).toMatchObject({ actor });
    // The record names the rollout from its first step on.
    const read = await waitFor(
      async () => {
        const answer = await stepped.read();
        return answer.record === null ? undefined : answer;
      },
      { what: 'the rollout leads to its record', timeoutMs: TIMEOUT_MS },
    );
    expect(read).toMatchObject({
      record: { id: open?.id, actor },
      rollout: { run: { writer: { manager: 'kubectl-edit' } } },
    });
    await stepped.approve();
    await stepped.until('Progressing 2 StepPaused');
    const second = await stepped.podsOf(2);
    await stepped.approve();
    const [, record] = await stepped.recorded(['app:v1 completed', 'app:v2 completed']);
    expect(stepsOf(record)).toEqual(['completed 1', 'completed 1', 'completed 2']);
    expect(namesOf(record)?.slice(0, 2)).toEqual([first, second]);
    expect(record).toMatchObject({
      to: { number: 2 },
      progressiveRollout: { style: 'canary', result: 'completed', jumps: [] },
      diff: { changes: [{ after: 'app:v2' }] },
    });
    expect(record?.progressiveRollout?.unassigned).toHaveLength(4);

    const shape = (await shiplog.get(`/api/records/${record?.id}?format=rollouthistory`)) as KubeObject;
    expect(shape).toMatchObject({
      kind: 'RolloutHistory',
      spec: {
        rollout: { name: 'web', data: { strategy: { canary: { steps: RECORDED_STEPS } } } },
        workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        service: { name: '' },
      },
      status: { phase: 'completed' },
    });
    expect(podsIn(shape)).toEqual(namesOf(record)?.map((pods, offset) => [offset + 1, ...pods]));
    const written = await waitFor(
      async () => {
        const items = (await cluster.client().list(HISTORIES)).items as unknown as KubeObject[];
        const isOurs = ({ metadata }: KubeObject) =>
          metadata.annotations?.['shiplog.dev/record'] === record?.id;
        return items.find((item) => isOurs(item) && textAt(item.status, 'phase') === 'completed');
      },
      { what: 'the rollout stands in the cluster', timeoutMs: TIMEOUT_MS },
    );
    expect(written.spec).toEqual(shape.spec);
    expect(written.status).toEqual(shape.status);
    const joined = await waitFor(
      async () => {
        const { items } = (await shiplog.get(
          `/api/rollouthistories?namespace=${NAMESPACE}`,
        )) as RolloutHistoryList;
        return items.find(({ name, record: own }) => name === written.metadata.name && own !== null);
      },
      { what: 'what was written is listed with its record', timeoutMs: TIMEOUT_MS },
    );
    expect(joined.record).toEqual({ id: record?.id });
    const { rolloutHistories } = (await shiplog.get(`/api/records/${record?.id}`)) as RecordAnswer;
    expect(rolloutHistories).toContainEqual({ namespace: NAMESPACE, name: written.metadata.name });
  });

  it('that was rolled back in its second step says so, and what it ran', async ({ expect }) => {
    const stepped = new SteppedRollout('shop', 'Deployment', canary);
    await stepped.create();
    await stepped.ship('app:v2');
    await stepped.until('Progressing 1 StepPaused');
    await stepped.approve();
    await stepped.until('Progressing 2 StepPaused');
    const pods = [await stepped.podsOf(1), await stepped.podsOf(2), []];
    await stepped.recorded(['app:v1 completed', 'app:v2 null']);
    await stepped.ship('app:v1');
    const [, taken, back] = await stepped.recorded([
      'app:v1 completed',
      'app:v2 rolledBack',
      'app:v1 completed',
    ]);
    expect(stepsOf(taken)).toEqual(['completed 1', 'abandoned 1', 'skipped 0']);
    expect(namesOf(taken)).toEqual(pods);
    expect(taken).toMatchObject({
      to: { number: null },
      revertedBy: back?.id,
      progressiveRollout: { result: 'rolledBack' },
      summary: 'image v1 → v2',
      diff: { changes: [{ after: 'app:v2' }] },
    });
  });

  it('that another version supersedes ends there, and that one starts over and jumps', async ({ expect }) => {
    const stepped = new SteppedRollout('api', 'Deployment', canary);
    await stepped.create();
    await stepped.ship('app:v2');
    await stepped.until('Progressing 1 StepPaused');
    await stepped.recorded(['app:v1 completed', 'app:v2 null']);
    await stepped.ship('app:v3');
    await stepped.recorded(['app:v1 completed', 'app:v2 superseded', 'app:v3 null']);
    await waitFor(async () => (await stepped.read()).rollout.steps[0]?.state === 'waiting', {
      what: 'v3 waits in its first step',
      timeoutMs: TIMEOUT_MS,
    });
    await waitFor(
      async () => {
        const records = await stepped.recorded(['app:v1 completed', 'app:v2 superseded', 'app:v3 null']);
        return stepsOf(records[2])?.join() === 'running 1,planned 0,planned 0';
      },
      { what: 'the first step of v3 is recorded', timeoutMs: TIMEOUT_MS },
    );
    const [, before] = await stepped.recorded(['app:v1 completed', 'app:v2 superseded', 'app:v3 null']);
    expect(stepsOf(before)).toEqual(['abandoned 1', 'skipped 0', 'skipped 0']);

    await stepped.until('Progressing 1 StepPaused');
    // Held, so that the recorder cannot miss that it was requested.
    await stepped.setPaused(true);
    await stepped.jump(3);
    await waitFor(
      async () => {
        const records = await stepped.recorded(['app:v1 completed', 'app:v2 superseded', 'app:v3 null']);
        return records[2]?.progressiveRollout?.jumps.length === 1;
      },
      { what: 'the jump is recorded', timeoutMs: TIMEOUT_MS },
    );
    await stepped.setPaused(false);
    const ended = await stepped.recorded(['app:v1 completed', 'app:v2 superseded', 'app:v3 completed']);
    expect(ended[2]?.steps.map(({ state }) => state)).toEqual(['completed', 'skipped', 'completed']);
    expect(ended[2]?.steps[1]?.pods).toEqual([]);
    expect(ended[2]?.progressiveRollout).toMatchObject({ result: 'completed', jumps: [{ from: 1, to: 3 }] });
  });

  it('that is blue-green has all pods in its first step', async ({ expect }) => {
    const steps = ['0%', '100%'].map((traffic) => ({ replicas: '100%', traffic, pause: {} }));
    const stepped = new SteppedRollout('both', 'Deployment', { blueGreen: { steps } }, 2);
    await stepped.create();
    await stepped.ship('app:v2');
    for (const step of [1, 2]) {
      await stepped.until(`Progressing ${step} StepPaused`);
      await stepped.approve();
    }
    const [, record] = await stepped.recorded(['app:v1 completed', 'app:v2 completed']);
    expect(stepsOf(record)).toEqual(['completed 4', 'completed 0']);
    expect(record?.progressiveRollout).toMatchObject({
      style: 'blueGreen',
      result: 'completed',
      unassigned: [],
    });
  });

  it('of a CloneSet that its partition moves, and of one whose Rollout is deleted midway', async ({
    expect,
  }) => {
    const stepped = new SteppedRollout('clones', 'CloneSet', { canary: { steps: STEPS } });
    await stepped.create();
    await stepped.ship('app:v2');
    for (const step of [1, 2]) {
      await stepped.until(`Progressing ${step} StepPaused`);
      await stepped.approve();
    }
    await stepped.until('Healthy 3 Completed');
    const pods = await Promise.all([1, 2, 3].map((batch) => stepped.podsOf(batch)));
    const [, record] = await stepped.recorded(['app:v1 completed', 'app:v2 completed']);
    expect(stepsOf(record)).toEqual(['completed 1', 'completed 1', 'completed 2']);
    expect(namesOf(record)).toEqual(pods);
    expect(record?.progressiveRollout).toMatchObject({ style: 'partition', unassigned: [] });

    await stepped.ship('app:v3');
    await stepped.until('Progressing 1 StepPaused');
    await stepped.recorded(['app:v1 completed', 'app:v2 completed', 'app:v3 null']);
    await stepped.remove();
    const [, , cut] = await stepped.recorded(['app:v1 completed', 'app:v2 completed', 'app:v3 completed']);
    expect(cut?.progressiveRollout?.result).toBe('deleted');
    expect(stepsOf(cut)?.[0]).toBe('abandoned 1');
  });
});
