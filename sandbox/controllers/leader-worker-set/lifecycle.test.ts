import { afterEach, describe, expect, test } from 'vitest';
import { semanticText } from '@/lib/diff/normalize';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { imagesOf } from '@/lib/workloads/template-facts';
import { leaderWorkerSet } from '@/lib/workloads/kinds/leader-worker-set';
import { REVISION_KEY } from '@/lib/workloads/leader-worker-set/metadata';
import { groupTemplateLocation, recordedGroupTemplate } from '@/lib/workloads/leader-worker-set/template';
import { templateOfObject } from '@/lib/workloads/template-location';
import {
  groupTemplate,
  LLAMA,
  rolling,
  setImage,
  startServing,
} from '@/sandbox/controllers/leader-worker-set/testing/llama';
import { imageOf } from '@/sandbox/controllers/testing/pods';
import {
  deriveObservedState,
  type Objects,
  type ObservedState,
} from '@/sandbox/controllers/leader-worker-set/testing/observed-state';
import { type TestSandbox } from '@/sandbox/controllers/testing/test-sandbox';

let sandbox: TestSandbox;
afterEach(() => sandbox.close());

async function objects(): Promise<Objects> {
  return {
    sets: await sandbox.list('leaderworkersets', '/apis/leaderworkerset.x-k8s.io/v1'),
    statefulSets: await sandbox.list('statefulsets'),
    revisions: await sandbox.list('controllerrevisions'),
    pods: await sandbox.list('pods', '/api/v1'),
  };
}

/**
 * Observes the state, and compares Shiplog's result with other fields of the objects than those that it
 * reads.
 */
async function seen(): Promise<ObservedState> {
  const all = await objects();
  const observed = deriveObservedState(all, sandbox.clock.now());
  expectTrue(all, observed);
  return observed;
}

function expectTrue({ sets, revisions, pods }: Objects, observed: ObservedState): void {
  const { history, workloads, templateOf } = observed;
  expect(workloads.map(({ name }) => name)).toEqual(['llama']);
  const own = revisions.filter(({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'LeaderWorkerSet');
  const told = history.revisions.flatMap(({ number, alsoNumbers }) => [number ?? 0, ...alsoNumbers]);
  expect(told.toSorted()).toEqual(own.map(({ revision }) => revision ?? 0).toSorted());
  expect(new Set(history.revisions.map(({ id }) => id)).size).toBe(history.revisions.length);
  const [set] = sets;
  if (history.target !== null && set !== undefined) {
    const present = semanticText(templateOfObject(leaderWorkerSet, set) ?? {});
    expect(semanticText(templateOf(history.target.source.bodyId))).toBe(present);
  }
  for (const pod of pods) {
    const revision = history.revisionOfPod.get(pod.metadata.uid);
    expect(revision?.source.images.map(({ image }) => image)).toContain(imageOf(pod));
    expect(revision?.live).toBe(true);
  }
  const images = new Set(pods.map(imageOf));
  const live = history.revisions.filter((revision) => revision.serving);
  for (const { source } of live) expect(images).toContain(source.images[0]?.image);
  expect(history.revisions.filter(({ target }) => target).length).toBe(history.target === null ? 0 : 1);
  for (const group of observed.groups.items) {
    const members = [group.leader, ...group.workers].flatMap((pod) => pod ?? []);
    const names = new Set(members.map(({ uid }) => uid));
    const running = pods.filter(({ metadata }) => names.has(metadata.uid)).map(imageOf);
    const wanted = history.target?.source.images.map(({ image }) => image);
    if (group.updated && group.ready) for (const image of running) expect(wanted).toContain(image);
  }
}

/** Lets time pass in small steps, and observes after each of them. */
async function roll(until = 120): Promise<ObservedState> {
  let last = await seen();
  for (
    let second = 0;
    second < until && last.status.state !== 'complete' && last.status.state !== 'held';
    second += 1
  ) {
    await sandbox.untilIdle(1_000);
    await sandbox.clock.advance(1_000);
    last = await seen();
  }
  return last;
}

const rows = ({ history }: ObservedState) =>
  history.revisions.map(({ number, alsoNumbers, target, pods }) => ({
    number,
    alsoNumbers,
    target,
    pods: pods.total,
  }));

describe('the history is correct at every moment of an incarnation', () => {
  test('when the template changes, changes during a rollout, and returns to an earlier one', async () => {
    sandbox = await startServing();
    const first = await seen();
    expect(first.status).toMatchObject({ state: 'complete', message: '3 of 3 groups ready' });
    await setImage(sandbox, 'vllm:2');
    await sandbox.untilIdle(3_000);
    const during = await seen();
    expect(during.status.state).toBe('rolling');
    expect(during.history.revisions.map(({ number, live }) => [number, live])).toEqual([
      [2, true],
      [1, true],
    ]);
    await setImage(sandbox, 'vllm:3');
    await sandbox.untilIdle(3_000);
    expect(rows(await seen()).map(({ number }) => number)).toEqual([3, 2, 1]);
    await setImage(sandbox, 'vllm:1');
    const back = await seen();
    expect(rows(back)[0]).toMatchObject({ number: 4, alsoNumbers: [1], target: true });
    expect(back.history.target?.id).toBe(first.history.target?.id);
    const last = await roll();
    expect(rows(last)).toEqual([{ number: 4, alsoNumbers: [1], target: true, pods: 6 }]);
    expect(last.status.state).toBe('complete');
  });

  test('when it is scaled during a rollout', async () => {
    sandbox = await startServing();
    await setImage(sandbox, 'vllm:2');
    await sandbox.untilIdle(2_000);
    await sandbox.merge(LLAMA, { spec: { replicas: 5 } });
    const last = await roll();
    expect(last.groups).toMatchObject({ desired: 5, updated: 5, ready: 5, pods: 10 });
  });

  test('when a partition holds groups, and releases them', async () => {
    sandbox = await startServing(rolling({ partition: 2 }));
    await setImage(sandbox, 'vllm:2');
    const held = await roll();
    expect(held.status).toMatchObject({
      state: 'held',
      message: 'partition 2: groups 0 and 1 stay on revision 1',
    });
    expect(held.groups.items.map((group) => [group.held, group.updated])).toEqual([
      [true, false],
      [true, false],
      [false, true],
    ]);
    await sandbox.merge(LLAMA, { spec: rolling({ partition: 0 }) });
    expect(rows(await roll())).toMatchObject([{ number: 2, pods: 6 }]);
  });

  test('with a surge, and when groups change their size', async () => {
    sandbox = await startServing(rolling({ maxSurge: 1, maxUnavailable: 0 }));
    await sandbox.merge(LLAMA, { spec: { leaderWorkerTemplate: groupTemplate('vllm:2', 3) } });
    const last = await roll();
    expect(last.groups).toMatchObject({ updated: 3, ready: 3, pods: 9 });
    expect(last.status.pods).toEqual({ desired: 9, ready: 9, updated: 9, available: 9 });
  });
});

test('an older encoding of the same template is no rollout, and no second revision', async () => {
  sandbox = await startServing();
  const { revisions } = await objects();
  const own = revisions.find(({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'LeaderWorkerSet');
  await sandbox.remove(`/apps/v1/namespaces/default/controllerrevisions/${own?.metadata.name}`);
  await sandbox.create({ ...reencodedCopyOf(own), kind: 'ControllerRevision' });
  await sandbox.merge(LLAMA, { metadata: { annotations: { look: 'again' } } });
  const last = await roll();
  expect(rows(last)).toEqual([{ number: 7, alsoNumbers: [], target: true, pods: 6 }]);
  expect(last.status.state).toBe('complete');
});

/** The same revision as a client before 0.8 wrote it. */
function reencodedCopyOf(revision: KubeObject | undefined): JsonObject {
  const text = JSON.stringify(revision?.data).replaceAll(
    '"metadata":{}',
    '"metadata":{"creationTimestamp":null}',
  );
  const { labels = {}, ownerReferences = [] } = revision?.metadata ?? {};
  return {
    metadata: {
      name: 'llama-twin-7',
      labels,
      ownerReferences: ownerReferences.map((owner) => ({ ...owner })),
    },
    revision: 7,
    data: JSON.parse(text) as JsonObject,
  };
}

test('a return to a revision that was deleted long ago restores its key, and its identity', async () => {
  sandbox = await startServing();
  const { history } = await seen();
  const { revisions } = await objects();
  const first = revisions.find(({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'LeaderWorkerSet');
  const archived = recordedGroupTemplate(first?.data) ?? {};
  await sandbox.merge(LLAMA, { spec: { leaderWorkerTemplate: leaderAndWorkers() } });
  const changed = await roll();
  expect(changed.history.revisions).toHaveLength(1);
  expect(imagesOf(changed.templateOf(changed.history.target?.source.bodyId ?? ''))).toHaveLength(2);

  const { sets } = await objects();
  const [set] = sets;
  const { plan } = leaderWorkerSet.writes.rollback({
    workload: changed.workload,
    currentTemplate: (set && templateOfObject(leaderWorkerSet, set)) ?? {},
    history: changed.history,
    to: {
      id: history.target?.id ?? '',
      number: 1,
      name: first?.metadata.name ?? '',
      facts: history.target?.source ?? changed.workload,
      origin: { kind: 'archive', recordedAt: '2026-08-01T00:00:00Z', prunedAt: null },
    },
    template: archived,
    pods: [],
    reason: '',
    likeKubectl: false,
  });
  if (plan?.write.kind !== 'patch') throw new Error('refused');
  await sandbox.patch(LLAMA, plan.write.patch);
  const { sets: after } = await objects();
  expect(groupTemplateLocation.of(after[0]?.spec ?? {})).toEqual(archived);
  const last = await roll();
  expect(last.history.target).toMatchObject({ number: 3, id: history.target?.id });
  expect(last.history.target?.source.labels[REVISION_KEY]).toBe(first?.metadata.labels?.[REVISION_KEY]);
});

function leaderAndWorkers(): JsonObject {
  return {
    ...groupTemplate('vllm:2'),
    leaderTemplate: { spec: { containers: [{ name: 'head', image: 'head:1' }] } },
  };
}
