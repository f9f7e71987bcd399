import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { at } from '@/lib/workloads/testing/objects';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import { sampleActivation, sampleIncarnation } from '@/server/archive/testing/samples';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import { loadMemory } from '@/server/recorder/load-memory';
import type { Recorder } from '@/server/recorder/recorder';
import {
  AdoptingController,
  type RecordingKind,
  type Template,
} from '@/server/recorder/testing/adopting-controller';
import { MemoryArchive } from '@/server/recorder/testing/memory-archive';
import { recorderOf } from '@/server/recorder/testing/recorder-of';

const NOON = Date.parse(at(0));

const kinds: readonly RecordingKind[] = [
  { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' },
  { apiVersion: 'apps/v1', kind: 'StatefulSet', plural: 'statefulsets' },
  { apiVersion: 'apps/v1', kind: 'DaemonSet', plural: 'daemonsets' },
  { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', plural: 'clonesets' },
];

type Action =
  | { do: 'change' | 'create'; template: Template }
  | {
      do:
        | 'orphan'
        | 'delete'
        | 'save'
        | 'restoreRevisions'
        | 'restoreWorkload'
        | 'restoreBeside'
        | 'sync'
        | 'settle'
        | 'restart';
    }
  | { do: 'stop' | 'start' };

const template = fc.constantFrom<Template>('a', 'b', 'c', 'd');
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('change' as const), template }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('create' as const), template }) },
  { weight: 6, arbitrary: fc.constant<Action>({ do: 'settle' }) },
  { weight: 2, arbitrary: fc.constant<Action>({ do: 'sync' }) },
  { weight: 3, arbitrary: fc.constant<Action>({ do: 'orphan' }) },
  { weight: 1, arbitrary: fc.constant<Action>({ do: 'delete' }) },
  { weight: 2, arbitrary: fc.constant<Action>({ do: 'save' }) },
  { weight: 2, arbitrary: fc.constant<Action>({ do: 'restoreRevisions' }) },
  { weight: 3, arbitrary: fc.constant<Action>({ do: 'restoreWorkload' }) },
  { weight: 2, arbitrary: fc.constant<Action>({ do: 'restoreBeside' }) },
  { weight: 2, arbitrary: fc.constant<Action>({ do: 'restart' }) },
);
const away: fc.Arbitrary<Action> = fc.constantFrom<Action>({ do: 'stop' }, { do: 'start' });

/** A workload, and a recorder that restarts over one archive. */
class Scenario {
  readonly clock = new VirtualClock(NOON);
  readonly cluster = new FakeCluster();
  readonly archive = new MemoryArchive();
  readonly controller: AdoptingController;
  #recorder: Recorder | null = null;

  constructor(kind: RecordingKind) {
    this.controller = new AdoptingController(this.cluster, () => this.clock.now(), kind);
  }

  async start(): Promise<void> {
    if (this.#recorder !== null) return;
    this.#recorder = recorderOf(this.cluster, this.archive, this.clock);
    this.#recorder.start();
    await this.clock.advance(1_000);
  }

  async stop(): Promise<void> {
    await this.#recorder?.stop();
    this.#recorder = null;
  }

  async play(actions: readonly Action[], pauses: readonly number[]): Promise<void> {
    for (const [index, each] of actions.entries()) {
      await this.#apply(each);
      await this.clock.advance(pauses[index % pauses.length] ?? 0);
    }
  }

  async #apply(action: Action): Promise<void> {
    const { controller } = this;
    switch (action.do) {
      case 'create':
        if (!controller.exists) controller.create(action.template);
        return;
      case 'change':
        return controller.change(action.template);
      case 'orphan':
      case 'delete':
        return controller.delete(action.do === 'orphan');
      case 'save':
        return controller.save();
      case 'restoreRevisions':
        controller.restoreRevisions();
        return;
      case 'restoreBeside':
        return controller.restoreBeside();
      case 'restoreWorkload':
        if (!controller.exists) controller.restoreWorkload();
        return;
      case 'sync':
        return controller.sync();
      case 'settle':
        for (let step = 0; step < 5; step += 1) {
          controller.sync();
          await this.clock.advance(100);
        }
        return;
      case 'restart':
        await this.stop();
        return this.start();
      case 'stop':
        return this.stop();
      case 'start':
        return this.start();
    }
  }

  get records(): string[] {
    return this.archive
      .recordsOfName('checkout')
      .map(({ from, to }) => `${this.#templateOf(from?.hash)} → ${this.#templateOf(to.hash)}`);
  }

  #templateOf(hash = ''): string {
    return /checkout:(\w)/.exec(JSON.stringify(this.archive.bodies.get(hash)))?.[1] ?? '';
  }
}

async function played(
  kind: RecordingKind,
  actions: readonly Action[],
  pauses: readonly number[],
): Promise<Scenario> {
  const scenario = new Scenario(kind);
  await scenario.start();
  await scenario.play([{ do: 'create', template: 'a' }, { do: 'settle' }, ...actions], pauses);
  await scenario.start();
  await scenario.clock.advance(2_000);
  await scenario.stop();
  return scenario;
}

/** As a StatefulSet does, whose controller looks at its revisions when something else has changed. */
const adoptedWithNextChange: Action[] = [
  { do: 'change', template: 'b' },
  { do: 'settle' },
  { do: 'save' },
  { do: 'delete' },
  { do: 'create', template: 'c' },
  { do: 'settle' },
  { do: 'restoreBeside' },
  { do: 'change', template: 'd' },
  { do: 'settle' },
];

test('no more than three earlier incarnations are read for what a workload may adopt', async () => {
  const archive = new MemoryArchive();
  const lease = await archive.leases.acquire('test', NOON, 'cluster');
  if (lease === null) throw new Error('no lease');
  for (const uid of ['one', 'two', 'three', 'four', 'five']) {
    const incarnation = sampleIncarnation('checkout', { cluster: 'cluster', uid });
    const activations = uid === 'one' ? [sampleActivation(incarnation, 1)] : [];
    await archive.record(lease, [{ incarnation, revisions: [], activations, records: [] }]);
  }
  const workload = sampleIncarnation('checkout', { cluster: 'cluster', uid: 'six' });
  const read: string[] = [];
  const memoryOf = (uid: string) => void read.push(uid);
  expect((await loadMemory(archive, workload, memoryOf)).earlier).toBeNull();
  expect(read).toEqual(['five', 'four', 'three']);
});

const pauses = fc.array(fc.constantFrom(0, 300, 1_000, 4_000), { minLength: 1, maxLength: 7 });

describe.each(kinds)('of a $kind', (kind) => {
  test('those template changes are recorded as rollouts that reached pods, whatever was orphaned, adopted, restored or rolled back', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { minLength: 8, maxLength: 30, size: 'max' }),
        pauses,
        async (actions, waits) => {
          const { controller, records } = await played(kind, actions, waits);
          expect(records.sort()).toEqual(controller.changes.sort());
        },
      ),
      { numRuns: 100, examples: [[adoptedWithNextChange, [1_000]]] },
    );
  });

  test('no rollout is invented for what happened while nothing recorded', async () => {
    const any = fc.oneof({ weight: 6, arbitrary: action }, { weight: 1, arbitrary: away });
    await fc.assert(
      fc.asyncProperty(
        fc.array(any, { minLength: 8, maxLength: 30, size: 'max' }),
        pauses,
        async (actions, waits) => {
          const { controller, records } = await played(kind, actions, waits);
          expect(records.length, records.join(', ')).toBeLessThanOrEqual(controller.changes.length);
        },
      ),
      { numRuns: 100 },
    );
  });
});
