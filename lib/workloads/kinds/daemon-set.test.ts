import { deriveStatus } from '@/lib/messages/workload-status';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import type { ControlInput, PlanResult } from '@/lib/workloads/kind';
import { daemonSet } from '@/lib/workloads/kinds/daemon-set';
import type { WorkloadStatus } from '@/lib/engine/status';
import { retainedTarget } from '@/lib/workloads/rollback-target';
import { cleanTemplate } from '@/lib/workloads/template-facts';
import {
  at,
  controllerRevision,
  historyInputOf,
  object,
  type Parts,
  pod,
  type PodParts,
  template,
} from '@/lib/workloads/testing/objects';
import { applyPatch } from '@/lib/workloads/testing/patch';

const LABEL = 'controller-revision-hash';
const GENERATION = 'deprecated.daemonset.template.generation';

interface Scene extends Parts {
  image?: string;
  /** desired, updated, available */
  counts?: [number, number, number];
  spec?: JsonObject;
  sources?: KubeObject[];
  pods?: KubeObject[];
}

const onDelete: JsonObject = { updateStrategy: { type: 'OnDelete' } };
const revision = (number: number, parts: Parts & { template?: JsonObject } = {}) =>
  controllerRevision(number, String(number), {
    name: `agent-h${number}`,
    labels: { [LABEL]: `h${number}` },
    ...parts,
  });
const agent = (name: string, number: number, parts: PodParts = {}) =>
  pod(name, { image: String(number), labels: { [LABEL]: `h${number}` }, ...parts });

function scene({
  image = '2',
  counts = [3, 3, 3],
  spec,
  sources = [revision(1), revision(2, { created: 5 })],
  pods,
  ...parts
}: Scene) {
  const [desired, updated, available] = counts;
  const live = object(
    'DaemonSet',
    { uid: 'uid-workload', owner: null, name: 'agent', ...parts },
    {
      spec: { template: template(image), ...spec },
      status: {
        observedGeneration: 1,
        desiredNumberScheduled: desired,
        updatedNumberScheduled: updated,
        numberAvailable: available,
        numberReady: available,
      },
    },
  );
  const input = historyInputOf(daemonSet, live, sources, pods);
  return {
    live,
    sources,
    input,
    history: daemonSet.history(input),
    present: live.spec?.template as JsonObject,
  };
}

const read = (parts: Scene) => scene(parts).history;

function statusOf(parts: Scene): WorkloadStatus {
  const { input, history } = scene(parts);
  return deriveStatus(daemonSet.facts({ ...input, history }));
}

describe('the target', () => {
  test('is the highest number among equal bytes; meaning decides only where no bytes agree', () => {
    const metadata = { labels: { app: 'checkout' }, creationTimestamp: null };
    const older = revision(5, { template: { ...template('2'), metadata } });
    expect(
      read({ sources: [revision(2), revision(3, { template: template('2') }), older] }).target?.number,
    ).toBe(3);
    expect(read({ sources: [revision(1), older] }).target?.number).toBe(5);
    expect(read({ sources: [revision(1)] }).target).toBeNull();
  });

  test('is not the highest number when an older template is desired and not yet recorded', () => {
    expect(read({ image: '1' }).target?.number).toBe(1);
  });
});

describe('pods', () => {
  test('carry the hash; an adopted revision has its own name instead', () => {
    const adopted = revision(1, { labels: { [LABEL]: 'agent-h1' } });
    const history = read({
      sources: [adopted, revision(2)],
      pods: [
        agent('a', 2),
        agent('b', 1, { labels: { [LABEL]: 'agent-h1' } }),
        agent('c', 1, { deleted: at(9), labels: { [LABEL]: 'agent-h1' } }),
      ],
    });
    expect(history.revisions.map(({ number, live, pods }) => [number, live, pods.total])).toEqual([
      [2, true, 1],
      [1, true, 1],
    ]);
  });

  test('without a known hash count for the target when the template generations agree', () => {
    const old = agent('a', 2, { labels: { 'pod-template-generation': '4' } });
    expect(read({ annotations: { [GENERATION]: '4' }, pods: [old] }).target?.pods.total).toBe(1);
    expect(read({ annotations: { [GENERATION]: '5' }, pods: [old] }).target?.pods.total).toBe(0);
    expect(read({ pods: [agent('a', 2, { labels: {} })] }).target?.pods.total).toBe(0);
  });

  test('with a wrong label are assigned by their images', () => {
    const relabelled = agent('liar', 2, { image: '1' });
    expect(read({ pods: [agent('a', 2), relabelled] }).warnings).toEqual([
      'By their images liar runs an older template: the controller relabelled it, and will not update it.',
    ]);
    expect(read({ pods: [agent('odd', 2, { image: 'mirror' })] }).warnings[0]).toContain(
      'images that no revision has',
    );
    expect(read({ pods: [agent('a', 2)] }).warnings).toEqual([]);
  });
});

test('pruning takes live old revisions into account', () => {
  const sources = [1, 2, 3, 4].map((number) => revision(number));
  const pruned = (spec: JsonObject, pods: KubeObject[]) =>
    read({ image: '4', sources, pods, spec: { revisionHistoryLimit: 2, ...spec } })
      .revisions.filter(({ prunedNext }) => prunedNext)
      .map(({ number }) => number);
  expect(pruned({}, [agent('a', 1)])).toEqual([2, 1]);
  expect(pruned(onDelete, [agent('a', 1), agent('b', 4)])).toEqual([3, 2]);
});

describe('status', () => {
  test.each([
    [{ spec: onDelete }, 'error: rollout status is only available for RollingUpdate strategy type', 'error'],
    [{ generation: 2 }, 'Waiting for daemon set spec update to be observed...', 'waiting'],
    [
      { counts: [3, 1, 3] },
      'Waiting for daemon set "agent" rollout to finish: 1 out of 3 new pods have been updated...',
      'waiting',
    ],
    [
      { counts: [3, 3, 2] },
      'Waiting for daemon set "agent" rollout to finish: 2 of 3 updated pods are available...',
      'waiting',
    ],
    [{}, 'daemon set "agent" successfully rolled out', 'done'],
  ] satisfies [Scene, string, string][])('the line of kubectl for %j', (parts, text, verdict) => {
    expect(statusOf(parts).kubectl).toEqual({ text, verdict });
  });

  const bad: PodParts = { waiting: 'CreateContainerConfigError' };

  test.each(
    // prettier-ignore
    [
    ['complete', { pods: [agent('a', 2), agent('b', 2), agent('c', 2)] }, '3 of 3 ready'],
    ['complete', { counts: [0, 0, 0] }, 'no matching node'],
    ['unknown', { generation: 2 }, 'the controller has not observed the last change'],
    [
      'rolling',
      {
        counts: [3, 1, 2],
        pods: [agent('a', 1), agent('b', 1), agent('c', 2, { waiting: 'ContainerCreating' })],
      },
      '1 of 3 nodes updated; c is starting',
    ],
    ['waiting', { spec: onDelete, counts: [3, 1, 3], pods: [agent('a', 1), agent('b', 2)] }, '1 pod to delete: a'],
    ['complete', { spec: onDelete, pods: [agent('a', 2)] }, '3 of 3 ready'],
    ['stuck', { counts: [3, 1, 2], pods: [agent('a', 1), agent('b', 1), agent('c', 2, bad)] }, 'c: app cannot be created: CreateContainerConfigError'],
    ['stuck', { counts: [1, 1, 0], pods: [agent('c', 2, bad)] }, 'c: app cannot be created: CreateContainerConfigError'],
    [
      'degraded',
      { counts: [3, 3, 2], pods: [agent('a', 2), agent('b', 2), agent('c', 2, bad)] },
      '2 of 3 available; c: app cannot be created: CreateContainerConfigError',
    ],
    ['rolling', { image: '9', counts: [3, 0, 3] }, 'waiting for the controller to create a revision'],
  ] satisfies [string, Scene, string][],
  )('%s for %j', (state, parts, message) => {
    expect(statusOf(parts)).toMatchObject({ state, message });
  });
});

describe('plans', () => {
  function rollback(parts: Scene): { planned: PlanResult; live: KubeObject } {
    const { live, sources, input, history, present } = scene(parts);
    const to = history.revisions.find(({ number }) => number === 1);
    const source = sources.find(({ metadata }) => metadata.uid === to?.id);
    if (to === undefined || source === undefined) throw new Error('no such revision');
    const body = cleanTemplate((source.data?.spec as JsonObject).template as JsonObject);
    const planned = daemonSet.writes.rollback({
      workload: input.workload,
      currentTemplate: present,
      history,
      to: retainedTarget(to),
      template: body,
      pods: input.pods,
      reason: '',
      likeKubectl: false,
    });
    return { planned, live };
  }

  test('a rollback writes the template and nothing else', () => {
    const { planned, live } = rollback({
      pods: [agent('a', 1), agent('b', 2), agent('c', 2, { ready: false })],
    });
    if (planned.plan?.write.kind !== 'patch') throw new Error('refused');
    expect(applyPatch(live as unknown as JsonObject, planned.plan.write.patch)).toEqual({
      ...live,
      spec: { template: template('1') },
    });
    expect(planned.plan.kubectl).toBe('kubectl -n shop rollout undo daemonset/agent --to-revision=1');
    expect(planned.plan.steps).toEqual([
      '2 pods (b and c) are replaced by pods of revision 1, unavailable ones first, at most 1 node at a time.',
      '1 other pod keeps running.',
      'Kubernetes renumbers revision 1 to 3; number 1 disappears from kubectl rollout history.',
    ]);
  });

  test('under OnDelete nothing restarts, and the plan counts the pods to delete', () => {
    const { planned } = rollback({ spec: onDelete, pods: [agent('a', 1), agent('b', 2)] });
    expect(planned.findings.find(({ code }) => code === 'on_delete')?.message).toContain(
      'The update strategy is OnDelete: no pod restarts automatically. Delete 1 pod to run revision 1.',
    );
    expect(planned.plan?.steps[0]).toBe(
      'No pod restarts. Pods that you delete are recreated with revision 1.',
    );
  });

  test('under a Rollout with a rollout, the Rollout replaces the pods, and no pod has to be deleted', () => {
    const annotations = { 'rollouts.kruise.io/in-progressing': '{"rolloutName":"agent-ro"}' };
    const { planned } = rollback({ annotations, spec: onDelete, pods: [agent('a', 1), agent('b', 2)] });
    expect(planned.findings.map(({ code }) => code)).not.toContain('on_delete');
    expect(planned.plan?.steps[0]).toBe(
      'Rollout agent-ro starts a rollout of revision 1 with its first step, and updates the pods of each step.',
    );
  });

  const deletion = (parts: Scene, chosen: ControlInput['pod']) => {
    const { input, history, present } = scene(parts);
    return daemonSet.writes.deletePod?.({
      ...input,
      currentTemplate: present,
      history,
      now: at(30),
      pod: chosen,
    });
  };

  test('a pod may be deleted under OnDelete alone', () => {
    const chosen = { name: 'a', uid: 'uid-a' };
    expect(deletion({ spec: onDelete, pods: [agent('a', 1)] }, chosen)?.plan?.write).toEqual({
      kind: 'delete',
      path: '/api/v1/namespaces/shop/pods/a',
      preconditions: { uid: 'uid-a' },
    });
    expect(deletion({ pods: [agent('a', 1)] }, chosen)?.findings[0]?.code).toBe('not_blocking');
    expect(deletion({ spec: onDelete, pods: [] }, chosen)?.findings[0]?.code).toBe('pod_gone');
  });
});

test.each([
  [{}, 'RollingUpdate, unavailable 1'],
  [
    { updateStrategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } } },
    'RollingUpdate, surge 25%, unavailable 0',
  ],
  [
    { updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: '10%' } } },
    'RollingUpdate, unavailable 10%',
  ],
  [onDelete, 'OnDelete'],
])('the strategy of %j reads %s', (spec, words) => {
  expect(daemonSet.settings(scene({ spec }).input.workload).strategy).toBe(words);
});
