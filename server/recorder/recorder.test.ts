import { afterEach, describe, expect, test, vi } from 'vitest';
import { AppError } from '@/lib/errors';
import type { JsonObject } from '@/lib/kube/json';
import type { RecordedProgressiveRollout } from '@/lib/api/record';
import { at, template, WORKLOAD_UID } from '@/lib/workloads/testing/objects';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import { deployment, path, replicaSetOf } from '@/server/actions/testing/shop';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import type { AuditedAction } from '@/server/recorder/own-actions';
import type { Recorder } from '@/server/recorder/recorder';
import { MemoryArchive } from '@/server/recorder/testing/memory-archive';
import { recorderOf } from '@/server/recorder/testing/recorder-of';

const NOON = Date.parse(at(0));

let stage: TestBench;

const rollout: RecordedProgressiveRollout = {
  ...{ system: 'openkruise', resource: 'rollouts.rollouts.kruise.io', name: 'checkout', uid: 'ro', id: 'r' },
  ...{ style: 'partition', routes: [], plan: [], planEditedAt: null, jumps: [], result: null },
  unassigned: [],
};

class TestBench {
  readonly clock = new VirtualClock();
  readonly cluster = new FakeCluster();
  readonly archive = new MemoryArchive();
  readonly actions: AuditedAction[] = [];
  /** Resolves when the actions are known. */
  learning: Promise<void> | null = null;
  readonly recorders: Recorder[] = [];

  /** At noon. */
  async open(): Promise<void> {
    await this.clock.advance(NOON - this.clock.now());
  }

  async record(): Promise<Recorder> {
    const recorder = recorderOf(this.cluster, this.archive, this.clock, {
      actionsOf: () => this.actions,
      loadActions: () => this.learning,
    });
    this.recorders.push(recorder);
    recorder.start();
    await this.clock.advance(1_000);
    return recorder;
  }

  /** Revisions 1 to `last`, of which the last is the target with this many of two pods ready. */
  async show(last: number, ready: number, body: JsonObject = template(String(last))): Promise<void> {
    for (let number = 1; number <= last; number += 1) {
      const isTarget = number === last;
      this.cluster.put(replicaSetOf(number, isTarget ? body : template(String(number)), isTarget ? 2 : 0));
    }
    this.cluster.put(deployment(body, { generation: last, updated: 2, ready, total: 2 }));
    await this.clock.advance(60_000);
  }

  get records() {
    return this.archive.recordsOfName('checkout');
  }

  get outcomes() {
    return this.records.map(({ to, outcome }) => `${to.number} ${outcome}`);
  }
}

async function open(): Promise<TestBench> {
  stage = new TestBench();
  await stage.open();
  return stage;
}

afterEach(async () => {
  for (const recorder of stage.recorders) await recorder.stop();
});

const down = () => new AppError('archive_unavailable', 'The disk is full.', { retry: true });

describe('a recorder', () => {
  test('fills the archive with what an adopted cluster proves, bodies included', async () => {
    const { archive } = await open();
    await stage.show(3, 2);
    await stage.record();
    expect(stage.outcomes).toEqual(['1 unknown', '2 unknown', '3 completed']);
    expect(
      (await archive.revisions.of({ cluster: 'cluster', uid: WORKLOAD_UID })).map(({ numbers }) => numbers),
    ).toEqual([[3], [2], [1]]);
    expect(archive.bodies.size).toBe(3);
    expect(stage.records[2]).toMatchObject({
      summary: 'image 2 → 3',
      images: [{ container: 'app', image: 'checkout:3' }],
      workload: { cluster: 'cluster', resource: 'deployments.apps', kind: 'Deployment', name: 'checkout' },
    });
  });

  test('archives no template that contains the content of a Secret', async () => {
    const { archive } = await open();
    const secret = {
      kind: 'Secret',
      metadata: { name: 'db' },
      stringData: { password: 'not-for-the-archive' },
    };
    await stage.show(2, 2, { ...template('2'), objects: [secret] });
    await stage.record();
    expect(stage.outcomes).toEqual(['1 unknown', '2 completed']);
    expect(await archive.revisions.of({ cluster: 'cluster', uid: WORKLOAD_UID })).toHaveLength(2);
    expect(archive.bodies.size).toBe(1);
  });

  test('compares large templates in many slices, and records what changed all the same', async () => {
    await open();
    await stage.show(1, 2);
    await stage.record();
    const keyed = Array.from({ length: 5_000 }, (_, index) => [`key-${index}`, 'x'] as const);
    const { spec, ...others } = template('2');
    const large = { ...others, spec: { ...(spec as JsonObject), nodeSelector: Object.fromEntries(keyed) } };
    await stage.show(2, 2, large);
    await vi.waitFor(async () => {
      await stage.clock.advance(1_000);
      expect(stage.records).toHaveLength(2);
    });
    expect(stage.records[1]?.summary).toMatch(/^image 1 → 2; .*; 4997 more$/);
  });

  test('follows a rollout to its end', async () => {
    await open();
    await stage.show(1, 2);
    await stage.record();
    await stage.show(2, 0);
    expect(stage.records[1]).toMatchObject({ outcome: null, unwatched: [], to: { number: 2 } });
    await stage.show(2, 2);
    expect(stage.records[1]).toMatchObject({ outcome: 'completed', endedAt: '2026-08-01T12:02:01.000Z' });
  });

  test.each([
    ['over', 2],
    ['open', 0],
  ])(
    'over an unchanged cluster adds, ends and renumbers nothing: by an earlier version, the last rollout %s',
    async (_, ready) => {
      const { archive } = await open();
      await stage.show(2, 2);
      const first = await stage.record();
      await stage.show(3, ready);
      await first.stop();
      // It stored the bytes of templates alone.
      for (const [id, { from, to, ...record }] of archive.records) {
        const [before, after] = [from, to].map((ref) => ref && { ...ref, meaning: undefined });
        if (after != null) archive.records.set(id, { ...record, from: before ?? null, to: after });
      }
      const told = () =>
        stage.records.map(({ id, activation, from, to, outcome, endedAt, summary }) => [
          ...[id, activation, from?.number, from?.hash, to.number, to.hash, outcome, endedAt, summary],
        ]);
      const known = told();
      await stage.record();
      await stage.clock.advance(60_000);
      expect(told()).toEqual(known);
    },
  );

  test('names the person behind a rollout that is over before the archive says who acted', async () => {
    const { actions, clock, cluster } = await open();
    await stage.show(1, 2);
    await stage.record();
    const { promise, resolve } = Promise.withResolvers<void>();
    stage.learning = promise;
    const startedAt = new Date(clock.now()).toISOString();
    const set = replicaSetOf(2, template('2'), 2);
    const workload = deployment(template('2'), { generation: 2, updated: 2, ready: 2, total: 2 });
    const fieldsV1 = { 'f:spec': { 'f:template': {} } };
    const managedFields = [{ manager: 'shiplog', operation: 'Update', time: startedAt, fieldsV1 }];
    cluster.put(replicaSetOf(1, template('1'), 0));
    cluster.put({ ...set, metadata: { ...set.metadata, creationTimestamp: startedAt } });
    cluster.put({ ...workload, metadata: { ...workload.metadata, managedFields } });
    await clock.advance(5_000);
    actions.push({
      id: 'restart',
      uid: WORKLOAD_UID,
      actor: 'ada',
      reason: 'stale pool',
      toId: null,
      startedAt,
    });
    stage.learning = null;
    resolve();
    await clock.advance(5_000);
    expect(stage.records[1]).toMatchObject({
      outcome: 'completed',
      actor: { name: 'ada', source: 'shiplog' },
      cause: 'stale pool',
    });
  });

  test('continues where another one ended, and marks what was not observed', async () => {
    await open();
    await stage.show(1, 2);
    const first = await stage.record();
    await stage.show(2, 0);
    await first.stop();
    await stage.show(2, 0);
    await stage.record();
    await stage.show(2, 2);
    expect(stage.outcomes).toEqual(['1 completed', '2 completed']);
    expect(stage.records[1]?.unwatched).toHaveLength(1);
  });

  test('knows what changed against a revision that was pruned while no recorder was watching', async () => {
    await open();
    await stage.show(1, 2);
    const first = await stage.record();
    await first.stop();
    const { name } = replicaSetOf(1, template('1')).metadata;
    stage.cluster.remove(path.replace('deployments/checkout', `replicasets/${name}`));
    stage.cluster.put(replicaSetOf(2, template('2'), 2));
    stage.cluster.put(deployment(template('2'), { generation: 2, updated: 2, ready: 2, total: 2 }));
    await stage.record();
    expect(stage.records.map(({ from, summary }) => [from?.number, summary])).toEqual([
      [undefined, 'starts with checkout:1'],
      [1, 'image 1 → 2'],
    ]);
  });
});

describe('an archive that fails', () => {
  test('is reported, and gets what was observed meanwhile', async () => {
    await open();
    await stage.show(1, 2);
    const recorder = await stage.record();
    stage.archive.failure = down();
    await stage.show(2, 0);
    expect(recorder.state).toMatchObject({ state: 'interrupted', reason: 'The disk is full.' });
    await stage.show(2, 2);
    await stage.show(3, 0);
    expect(stage.outcomes).toEqual(['1 completed']);
    stage.archive.failure = null;
    await stage.clock.advance(5_000);
    expect(recorder.state.state).toBe('recording');
    expect(stage.outcomes).toEqual(['1 completed', '2 completed', '3 null']);
    expect(stage.records.slice(1).flatMap(({ unwatched }) => unwatched)).toEqual([]);
    expect(stage.archive.bodies.size).toBe(3);
  });

  test('is retried at the start', async () => {
    await open();
    stage.archive.failure = down();
    await stage.show(1, 2);
    const recorder = await stage.record();
    expect(recorder.state.state).toBe('interrupted');
    stage.archive.failure = null;
    await stage.clock.advance(5_000);
    expect(stage.outcomes).toEqual(['1 completed']);
  });
});

describe('several recorders', () => {
  test('write one at a time, and the next takes over', async () => {
    await open();
    await stage.show(1, 2);
    const first = await stage.record();
    const second = await stage.record();
    expect([first.state.state, second.state.state]).toEqual(['recording', 'standby']);
    await first.stop();
    await stage.clock.advance(5_000);
    expect(second.state.state).toBe('recording');
    await stage.show(2, 2);
    expect(stage.outcomes).toEqual(['1 completed', '2 completed']);
    expect(stage.records[1]?.unwatched).toEqual([]);
  });

  test('of two clusters on one archive both record', async () => {
    await open();
    await stage.archive.leases.acquire('theirs', stage.clock.now(), 'their-cluster');
    const recorder = await stage.record();
    expect(recorder.state.state).toBe('recording');
    expect(recorder.lease?.cluster).toBe('cluster');
    expect(stage.archive.clustersSeen).toEqual(['cluster']);
  });

  test('record under no lease until they know their cluster, and under its own from then on', async () => {
    await open();
    const { identity } = stage.cluster;
    Object.assign(identity, { version: null, id: 'guess' });
    const recorder = await stage.record();
    expect([recorder.state.state, recorder.lease]).toEqual(['starting', null]);
    Object.assign(identity, { version: 'v1', id: 'cluster' });
    await stage.clock.advance(5_000);
    expect([recorder.state.state, recorder.lease?.cluster]).toEqual(['recording', 'cluster']);
    Object.assign(identity, { id: 'other' });
    await stage.clock.advance(5_000);
    expect([recorder.state.state, recorder.lease?.cluster]).toEqual(['recording', 'other']);
  });
});

describe('a workload', () => {
  test('that is deleted ends its rollout, and a new one of its name begins a new incarnation', async () => {
    await open();
    await stage.show(1, 2);
    await stage.record();
    await stage.show(2, 0);
    stage.cluster.remove(path);
    await stage.clock.advance(60_000);
    expect(stage.outcomes).toEqual(['1 completed', '2 failed']);
    expect(stage.archive.incarnationsByUid.get(WORKLOAD_UID)?.deletedAt).not.toBeNull();
    const created = deployment(template('1'));
    stage.cluster.put({ ...created, metadata: { ...created.metadata, uid: 'uid-2' } });
    await stage.clock.advance(60_000);
    expect(
      [...stage.archive.incarnationsByUid.values()].map(({ uid, deletedAt }) => [uid, deletedAt === null]),
    ).toEqual([
      [WORKLOAD_UID, false],
      ['uid-2', true],
    ]);
  });

  test('that is deleted without its pods has not failed: another one may adopt and complete what it began', async () => {
    await open();
    await stage.show(1, 2);
    await stage.record();
    await stage.show(2, 0);
    const status = { generation: 2, updated: 2, ready: 0, total: 2 };
    const { metadata, ...rest } = deployment(template('2'), status);
    stage.cluster.put({ ...rest, metadata: { ...metadata, finalizers: ['orphan'] } });
    stage.cluster.remove(path);
    await stage.clock.advance(60_000);
    expect(stage.outcomes).toEqual(['1 completed', '2 superseded']);
  });

  test('that was deleted while no recorder was watching is missed', async () => {
    await open();
    await stage.show(1, 0);
    const first = await stage.record();
    await first.stop();
    await stage.clock.advance(60_000);
    stage.cluster.remove(path);
    await stage.record();
    expect(stage.records[0]).toMatchObject({ outcome: 'unknown', endedAt: null });
  });

  test("that can't be read is not taken for deleted", async () => {
    await open();
    await stage.show(1, 2);
    await stage.record();
    stage.cluster.states = stage.cluster.states.map((state) => ({ ...state, problem: 'forbidden' }));
    stage.cluster.remove(path);
    await stage.clock.advance(60_000);
    expect(stage.archive.incarnationsByUid.get(WORKLOAD_UID)?.deletedAt).toBeNull();
  });

  test("that can't be read is not loaded from the archive", async () => {
    await open();
    await stage.show(1, 2);
    const first = await stage.record();
    await first.stop();
    stage.cluster.states = stage.cluster.states.map((state) => ({ ...state, problem: 'forbidden' }));
    stage.cluster.remove(path);
    const loading = vi.spyOn(stage.archive.revisions, 'of');
    const second = await stage.record();
    expect([second.state.state, loading.mock.calls]).toEqual(['recording', []]);
  });
});

test("the rollout that drives a workload is not taken for deleted while it can't be read", async () => {
  await open();
  await stage.show(1, 2);
  const first = await stage.record();
  await stage.show(2, 0);
  await first.stop();
  const known = stage.records[1];
  if (known === undefined) throw new Error('Nothing is recorded.');
  stage.archive.records.set(known.id, { ...known, progressiveRollout: rollout });
  const readable = stage.cluster.states;
  stage.cluster.states = [...readable, { resource: rollout.resource, synced: true, problem: 'forbidden' }];
  await stage.record();
  await stage.show(2, 1);
  expect(stage.records[1]?.progressiveRollout?.result).toBeNull();
  stage.cluster.states = [...readable, { resource: rollout.resource, synced: true, problem: null }];
  await stage.show(2, 0);
  expect(stage.records[1]?.progressiveRollout?.result).toBe('deleted');
});

test('recording has begun when the cluster has been read, not before', async () => {
  await open();
  const at = stage.clock.now();
  stage.cluster.connection = { state: 'unreachable', message: 'gone', observedAt: at, since: at };
  await stage.show(1, 2);
  const recorder = await stage.record();
  expect(recorder.state.state).toBe('starting');
  stage.cluster.connection = { state: 'connected', message: null, observedAt: at, since: at };
  await stage.clock.advance(5_000);
  expect(recorder.state.state).toBe('recording');
  expect(stage.outcomes).toEqual(['1 completed']);
});

test('a lost connection is a gap of exactly that time', async () => {
  await open();
  await stage.show(1, 2);
  await stage.record();
  await stage.show(2, 0);
  const lost = stage.clock.now();
  stage.cluster.connection = { state: 'unreachable', message: 'gone', observedAt: lost, since: lost };
  await stage.clock.advance(60_000);
  stage.cluster.connection = { state: 'connected', message: null, observedAt: lost, since: lost };
  await stage.clock.advance(60_000);
  const [gap] = stage.records[1]?.unwatched ?? [];
  expect(gap?.from).toBe(new Date(lost).toISOString());
  expect(Date.parse(gap?.to ?? '') - lost).toBeLessThan(62_000);
});
