import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import type { RolloutRecord } from '@/lib/api/record';
import type { Clock } from '@/server/shared/clock';
import { type Logger, silentLogger } from '@/server/shared/log';
import type { Recorder } from '@/server/recorder/recorder';
import { MemoryArchive } from '@/server/recorder/testing/memory-archive';
import {
  newImage,
  rollout,
  ROLLOUTS,
  RolloutSandbox,
  workload,
} from '@/sandbox/controllers/kruise/testing/rollout-sandbox';
import { sandboxCluster } from '@/server/runtime/sandbox-cluster';
import { recorderOf } from '@/server/recorder/testing/recorder-of';

const STEPS = [
  { replicas: 1, pause: {} },
  { replicas: '50%', pause: {} },
  { replicas: '100%', pause: { duration: 0 } },
];
const canary = { canary: { enableExtraWorkloadForCanary: true, steps: STEPS } };
const partition = { canary: { steps: STEPS } };

const deployment = { apiVersion: 'apps/v1', kind: 'Deployment' };
const cloneSet = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet' };
const statefulSet = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet' };
const daemonSet = { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'DaemonSet' };

interface WorkloadCase {
  ref: { apiVersion: string; kind: string };
  strategy: JsonObject | null;
}

/** Each has a scenario of its own, and time passes for all at once. */
const workloadCases: Readonly<Record<string, WorkloadCase>> = {
  back: { ref: deployment, strategy: canary },
  jump: { ref: deployment, strategy: partition },
  gone: { ref: deployment, strategy: partition },
  unseen: { ref: deployment, strategy: partition },
  stepped: { ref: statefulSet, strategy: partition },
  clones: { ref: cloneSet, strategy: null },
  ordered: { ref: statefulSet, strategy: null },
  everywhere: { ref: daemonSet, strategy: null },
};

let sandbox: RolloutSandbox;
let watch: RecorderUnderTest;

beforeAll(async () => {
  sandbox = await RolloutSandbox.start();
  watch = new RecorderUnderTest(sandbox);
  await watch.begin();
  for (const [name, { ref }] of Object.entries(workloadCases)) await create(name, ref);
  await sandbox.pass(20);
  for (const [name, { ref, strategy }] of Object.entries(workloadCases)) {
    const body = strategy === null ? null : rollout(name, { ...ref, name }, strategy);
    if (body !== null) await sandbox.create('/apis/rollouts.kruise.io/v1beta1', 'rollouts', body);
  }
  await sandbox.pass(5);
  for (const [name, { ref }] of Object.entries(workloadCases))
    await sandbox.merge(pathOf(ref, name), newImage('app:v2'));
  await sandbox.pass(30);
  for (const name of ['back', 'stepped']) await approve(name);
  await status('jump', { nextStepIndex: 3 });
  await sandbox.remove(`${ROLLOUTS}/gone`);
  await sandbox.pass(30);
  await sandbox.merge(pathOf(deployment, 'back'), newImage('app:v1'));
  await approve('stepped');
  await sandbox.pass(30);
  await watch.end();
  await approve('unseen');
  await sandbox.pass(20);
  await approve('unseen');
  await sandbox.pass(10);
  await watch.begin();
  await sandbox.pass(20);
}, 120_000);

afterAll(async () => {
  await watch.end();
  await sandbox.close();
});

/** The recorder of the scenario; it can stop watching. */
class RecorderUnderTest {
  readonly archive = new MemoryArchive();
  readonly problems: unknown[] = [];
  readonly #play: RolloutSandbox;
  readonly #cluster;
  #recorder: Recorder | null = null;
  #ticks = 0;

  constructor(stage: RolloutSandbox) {
    this.#play = stage;
    this.#cluster = sandboxCluster(stage.api);
    stage.onMoment = () => this.settled();
  }

  async begin(): Promise<void> {
    const { clock } = this.#play;
    const pace: Clock = {
      now: () => clock.now(),
      sleep: (_ms, signal) => {
        this.#ticks += 1;
        return setTimeout(1, undefined, { signal });
      },
    };
    const log: Logger = { ...silentLogger, error: (...summarize) => this.problems.push(summarize) };
    const recorder = recorderOf(this.#cluster, this.archive, pace, { log });
    recorder.start();
    this.#recorder = recorder;
    while (recorder.state.state !== 'recording') await setTimeout(1);
    await this.settled();
  }

  async end(): Promise<void> {
    await this.#recorder?.stop();
    this.#recorder = null;
  }

  /** A tick that began before an observation does not count. */
  async settled(): Promise<void> {
    if (this.#recorder === null) return;
    const enough = this.#ticks + 2;
    while (this.#ticks < enough) await setTimeout(1);
  }

  records(name: string): RolloutRecord[] {
    expect(this.problems).toEqual([]);
    return [...this.archive.records.values()]
      .filter(({ workload: { name: own } }) => own === name)
      .sort((a, b) => a.activation - b.activation);
  }
}

function collectionOf({ apiVersion, kind }: WorkloadCase['ref']): string {
  return `/apis/${apiVersion}/namespaces/default/${kind.toLowerCase()}s`;
}

function pathOf(ref: WorkloadCase['ref'], name: string): string {
  return `${collectionOf(ref)}/${name}`;
}

async function create(name: string, ref: WorkloadCase['ref']): Promise<void> {
  const { spec, ...rest } = workload(name, 3, 'app:v1') as { spec: JsonObject };
  const { replicas: _replicas, ...unsized } = spec;
  const sized = ref === daemonSet ? unsized : ref === statefulSet ? { ...spec, serviceName: name } : spec;
  await sandbox.send('POST', collectionOf(ref), { ...rest, spec: sized });
}

async function status(name: string, members: JsonObject): Promise<void> {
  await sandbox.merge(`${ROLLOUTS}/${name}/status`, { status: { canaryStatus: members } });
}

function approve(name: string): Promise<void> {
  return status(name, { currentStepState: 'StepReady' });
}

/** Image, outcome, and of each step its state and how many pods it started; how many belong to none. */
function summarize({ images, outcome, steps, progressiveRollout: known }: RolloutRecord): string {
  const words = steps.map(({ state, pods }) => `${state} ${pods.length}`).join(', ');
  const rest = known === null ? '' : `; ${known.unassigned.length} besides; ${known.result}`;
  return `${images[0]?.image} ${outcome}: ${words}${rest}`;
}

test.each([
  [
    'back',
    'app:v2 rolledBack: completed 1, abandoned 1, skipped 0; 0 besides; rolledBack',
    'app:v1 completed: ',
  ],
  ['jump', 'app:v2 completed: completed 1, skipped 0, completed 2; 0 besides; completed'],
  ['gone', 'app:v2 completed: abandoned 1, skipped 0, skipped 0; 2 besides; deleted'],
  ['unseen', 'app:v2 completed: completed 1, unknown 1, completed 1; 0 besides; completed'],
  ['stepped', 'app:v2 completed: completed 1, completed 1, completed 1; 0 besides; completed'],
  ['clones', 'app:v2 completed: completed 1, completed 1, completed 1'],
  ['ordered', 'app:v2 completed: completed 1, completed 1, completed 1'],
  ['everywhere', 'app:v2 completed: completed 1, completed 1, completed 1'],
])('of %s the records have the outcome', (name, ...wanted) => {
  expect(watch.records(name).slice(1).map(summarize)).toEqual(wanted);
});

test('archives a template that nothing but a canary ever ran, and what changed in it', () => {
  const [, aborted, back] = watch.records('back');
  expect(aborted?.to).toMatchObject({ number: null, id: null });
  expect(watch.archive.bodies.get(aborted?.to.hash ?? '')).toMatchObject({
    spec: { containers: [{ image: 'app:v2' }] },
  });
  expect([aborted?.summary, back?.summary]).toEqual(['image v1 → v2', 'image v2 → v1']);
  expect(aborted?.spans.map(({ kind, reason }) => `${kind}: ${reason}`)).toEqual([
    'held: Step 1 of 3 is waiting for approval.',
    'held: Step 2 of 3 is waiting for approval.',
  ]);
});

test('derives what was skipped, and what was not observed, from what took place', () => {
  const [, jumped] = watch.records('jump');
  expect(jumped?.progressiveRollout?.jumps).toEqual([{ from: 1, to: 3, at: expect.any(String) as string }]);
  const [, unseen] = watch.records('unseen');
  expect(unseen?.unwatched).toHaveLength(1);
  expect(unseen?.steps.map(({ startedAt, endedAt }) => [startedAt !== null, endedAt !== null])).toEqual([
    [true, false],
    [false, false],
    [false, false],
  ]);
});
