import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import { cloneSet } from '@/lib/workloads/kinds/clone-set';
import { heldByPartition } from '@/lib/workloads/kruise/rolling';
import {
  planScenarioControl,
  podOf,
  kruiseRevision,
  planScenarioRollback,
  type KruiseScenario,
  readScenario,
} from '@/lib/workloads/testing/kruise';
import { applyPatch } from '@/lib/workloads/testing/patch';
import { at, template } from '@/lib/workloads/testing/objects';

const scene = (parts: Partial<KruiseScenario> = {}): KruiseScenario => ({ kind: cloneSet, ...parts });
const names = { currentRevision: 'shop-h1', updateRevision: 'shop-h2' };
const strategy = (members: JsonObject): JsonObject => ({ updateStrategy: members });
const counts = (updated: number, ready = 5): JsonObject => ({
  replicas: 5,
  readyReplicas: ready,
  availableReplicas: ready,
  updatedReplicas: updated,
});
const old = ['a', 'b', 'c', 'd'].map((name) => podOf(`shop-${name}`, '1'));
const canary = podOf('shop-x', '2');
const inProgress = { 'rollouts.kruise.io/in-progressing': '{"rolloutName":"shop-ro"}' };

/** The first step of a rollout by a Rollout: one of five pods is new. */
const atStep = scene({
  spec: strategy({ type: 'ReCreate', partition: '80%', maxUnavailable: '20%', paused: false }),
  status: { ...names, ...counts(1), expectedUpdatedReplicas: 1 },
  annotations: inProgress,
  pods: [...old, canary],
});

describe('revisions', () => {
  test('current and target are two, each with the pods that name it', () => {
    const { history } = readScenario(atStep);
    expect(history.revisions).toMatchObject([
      { number: 2, name: 'shop-h2', target: true, current: false, live: true, pods: { total: 1 } },
      { number: 1, name: 'shop-h1', target: false, current: true, live: true, pods: { total: 4 } },
    ]);
  });

  test.each(['shop-h1', 'h1'])('a pod that names its revision %s is found', (label) => {
    const pods = [podOf('shop-a', '1', { labels: { 'controller-revision-hash': label } })];
    expect(readScenario(scene({ pods })).history.revisionOfPod.get('uid-shop-a')?.number).toBe(1);
  });

  test('are those of this incarnation, whatever labels they have, and not those of a deleted namesake', () => {
    const revisions = [
      kruiseRevision(1, '1', { owner: 'uid-of-another' }),
      kruiseRevision(3, '3'),
      {
        ...kruiseRevision(7, '7'),
        metadata: { ...kruiseRevision(7, '7').metadata, labels: { app: 'other' } },
      },
    ];
    expect(readScenario(scene({ revisions })).history.revisions.map(({ number }) => number)).toEqual([7, 3]);
  });

  test('the target is the named one once the spec was observed, and until then the newest of equal templates', () => {
    const parts = scene({ live: '1', status: names, generation: 1 });
    expect(readScenario(parts).history.target?.number).toBe(2);
    expect(readScenario({ ...parts, generation: 2 }).history.target?.number).toBe(1);
    expect(readScenario({ ...parts, live: '9', generation: 2 }).history.target).toBeNull();
  });

  test('a template with a leftover directive of kubectl-kruise is still recognized', () => {
    const live = { $patch: 'replace', ...template('1') };
    expect(readScenario(scene({ live, status: names, generation: 2 })).history.target?.number).toBe(1);
    expect(planScenarioRollback(scene({ live, status: names, generation: 2 })).codes('refusal')).toEqual([
      'equal_target',
    ]);
  });

  test('a reused revision gets the next number and leaves a gap', () => {
    const revisions = [kruiseRevision(2, '2'), kruiseRevision(4, '1')];
    const { history } = readScenario(scene({ revisions, live: '1', status: { updateRevision: 'shop-h1' } }));
    expect(history.gaps).toEqual([1, 3]);
    expect(history.target?.number).toBe(4);
  });

  test('a live revision is not pruned; of the rest the oldest beyond the limit are', () => {
    const revisions = [1, 2, 3, 4].map((number) => kruiseRevision(number, String(number)));
    const parts = scene({ revisions, live: '4', spec: { revisionHistoryLimit: 2 } });
    const pruned = (more: Partial<KruiseScenario>) =>
      readScenario({ ...parts, ...more })
        .history.revisions.filter(({ prunedNext }) => prunedNext)
        .map(({ number }) => number);
    const status = { currentRevision: 'shop-h1', updateRevision: 'shop-h4' };
    expect(pruned({ status, pods: [podOf('shop-a', '4')] })).toEqual([2, 1]);
    const spec = { revisionHistoryLimit: 1, ...strategy({ partition: 1 }) };
    expect(pruned({ status, spec, pods: [podOf('shop-a', '2'), podOf('shop-b', '4')] })).toEqual([]);
    expect(
      pruned({ status, spec: { ...spec, revisionHistoryLimit: 0 }, pods: [podOf('shop-b', '4')] }),
    ).toEqual([3, 2]);
  });
});

describe('a partition', () => {
  test.each([
    ['80%', 5, 4],
    ['1%', 5, 1],
    ['99%', 5, 4],
    ['99%', 1, 1],
    ['100%', 5, 5],
    ['0%', 5, 0],
    [7, 5, 5],
    [undefined, 5, 0],
  ] as const)('%s of %d pods holds %d', (partition, total, kept) => {
    expect(heldByPartition(partition, total)).toBe(kept);
  });

  test('in percent grows with the percentage, and is never beyond all', () => {
    const percent = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(percent, percent, fc.integer({ min: 0, max: 500 }), (a, b, total) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)].map((each) =>
          heldByPartition(`${each}%`, total),
        );
        expect(less).toBeLessThanOrEqual(more ?? 0);
        expect(more).toBeLessThanOrEqual(total);
        expect(heldByPartition('100%', total)).toBe(total);
      }),
    );
  });
});

describe('the strategy', () => {
  test.each(
    // prettier-ignore
    [
    ['v1alpha1', {}, 'Re-create, unavailable 20%'],
    ['v1alpha1', { type: 'InPlaceIfPossible', partition: '80%', maxUnavailable: 1 }, 'In place if possible, partition 80%, unavailable 1'],
    ['v1alpha1', { type: 'InPlaceOnly', paused: true, maxSurge: 2 }, 'In place only, surge 2, unavailable 20%, paused'],
    [
      'v1beta1',
      {
        type: 'RollingUpdate',
        rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible', partition: 2, paused: true },
      },
      'In place if possible, partition 2, unavailable 20%, paused',
    ],
    ['v1beta1', { type: 'OnDelete' }, 'OnDelete'],
    ['v1beta1', { type: 'ReCreate', partition: '20%', paused: true }, 'Re-create, partition 20%, unavailable 20%, paused'],
  ] as const,
  )('of %s is described wherever the version has it', (version, members, words) => {
    const { input } = readScenario(scene({ version, spec: strategy(members) }));
    expect(cloneSet.settings(input.workload).strategy).toBe(words);
  });

  test('allows its surge in either version, and none while a person deletes the pods', () => {
    const surgeOf = (version: string, members: JsonObject) =>
      cloneSet.settings(readScenario(scene({ version, spec: strategy(members) })).input.workload).surgePods;
    expect(surgeOf('v1alpha1', { maxSurge: 2 })).toBe(2);
    expect(surgeOf('v1beta1', { type: 'RollingUpdate', rollingUpdate: { maxSurge: '40%' } })).toBe(2);
    expect(surgeOf('v1beta1', { type: 'OnDelete', rollingUpdate: { maxSurge: 2 } })).toBe(0);
    expect(surgeOf('v1alpha1', {})).toBe(0);
  });
});

describe('the status', () => {
  const state = (parts: Partial<KruiseScenario>) => readScenario(scene(parts)).status;

  test('held by a partition names the pods that stay, and what holds them', () => {
    expect(readScenario(atStep).status).toMatchObject({
      state: 'held',
      message: 'Rollout shop-ro, partition 80%: 4 pods stay on revision 1',
      sentence:
        '1 of 5 pods runs revision 2 and all are ready; Rollout shop-ro, by its partition 80%, holds the rest: 4 pods stay on revision 1.',
      pods: { desired: 5, updated: 1, ready: 5 },
    });
    expect(readScenario({ ...atStep, annotations: {} }).status.message).toBe(
      'partition 80%: 4 pods stay on revision 1',
    );
  });

  test('complete, with everything updated and ready', () => {
    const pods = ['a', 'b', 'c', 'd', 'e'].map((name) => podOf(`shop-${name}`, '2'));
    expect(state({ status: { ...names, ...counts(5) }, pods })).toMatchObject({
      state: 'complete',
      message: '5 of 5 ready',
      kubectl: { text: 'CloneSet rolling update complete 5 pods at revision shop-h2...', verdict: 'done' },
    });
    expect(state({ spec: { replicas: 0 } }).message).toBe('scaled to 0');
  });

  test('rolling counts pods updated in place', () => {
    const pods = [podOf('shop-a', '2', { created: 1 }), podOf('shop-b', '2'), podOf('shop-c', '1')];
    expect(state({ status: { ...names, ...counts(2) }, pods })).toMatchObject({
      state: 'rolling',
      message: '2 of 5 updated',
      sentence:
        '2 of 5 pods updated to revision 2, 1 of them updated in place, 3 of 5 are ready. Revision 1 still serves with 1 of 5 pods.',
    });
  });

  test('paused, in every version', () => {
    const status = { ...names, ...counts(2) };
    expect(state({ status, spec: strategy({ paused: true }) })).toMatchObject({
      state: 'paused',
      message: '2 of 5 pods on revision 2',
    });
    const nested = strategy({ type: 'RollingUpdate', rollingUpdate: { paused: true } });
    expect(state({ version: 'v1beta1', status, spec: nested }).state).toBe('paused');
  });

  test('stuck by the pods of the target, and degraded once the update is over', () => {
    const broken = podOf('shop-x', '2', { waiting: 'CrashLoopBackOff', restarts: 4, exitCode: 1 });
    expect(state({ status: { ...names, ...counts(1, 4) }, pods: [...old, broken] })).toMatchObject({
      state: 'stuck',
      message: 'shop-x: app exits with code 1, restarted 4 times',
      blockers: [{ pod: 'shop-x', revision: 2 }],
    });
    const others = ['a', 'b', 'c', 'd'].map((name) => podOf(`shop-${name}`, '2'));
    expect(state({ status: { ...names, ...counts(5, 4) }, pods: [...others, broken] }).state).toBe(
      'degraded',
    );
  });

  test('stuck where the controller itself reports it', () => {
    const conditions = [
      { type: 'FailedScale', status: 'True', message: 'exceeded quota: pods', lastTransitionTime: at(3) },
    ];
    expect(state({ status: { ...names, ...counts(0, 3), conditions }, pods: old })).toMatchObject({
      state: 'stuck',
      since: at(3),
      message: 'no pod of revision 2 could be created; quota exceeded',
    });
  });

  test('not stuck by a message from before this rollout, or about a write conflict', () => {
    const said = (lastTransitionTime: string, message: string) => [
      { type: 'FailedUpdate', status: 'True', message, lastTransitionTime },
    ];
    const conflict = 'Operation cannot be fulfilled on pods "shop-a": the object has been modified';
    for (const conditions of [said(at(0), 'denied'), said(at(3), conflict)])
      expect(state({ status: { ...names, ...counts(0, 3), conditions }, pods: old }).state).toBe('rolling');
    const all = [...old, podOf('shop-e', '1')];
    const denied = { ...names, ...counts(0, 3), conditions: said(at(3), 'denied') };
    expect(state({ status: denied, pods: all }).state).toBe('stuck');
  });

  test('waiting under OnDelete names the pods to delete', () => {
    const spec = strategy({ type: 'OnDelete' });
    expect(
      state({
        version: 'v1beta1',
        spec,
        status: { ...names, ...counts(4) },
        pods: [...old.slice(0, 1), canary],
      }),
    ).toMatchObject({
      state: 'waiting',
      message: '1 pod to delete: shop-a',
    });
  });

  test('unknown until the controller has observed the edit, and while it is being deleted', () => {
    expect(state({ generation: 2 }).state).toBe('unknown');
    expect(state({ status: { observedGeneration: 0 } }).state).toBe('unknown');
    expect(state({ deleted: at(9) }).message).toBe('being deleted');
  });

  test.each(
    // prettier-ignore
    [
    [{ type: 'InPlaceIfPossible', partition: 2 }, counts(1), 'Waiting for partitioned roll out to finish: 1 out of 3 new pods have been updated...'],
    [{ type: 'InPlaceOnly', partition: '80%' }, counts(1), 'Waiting for partitioned roll out to finish: 1 out of 5 new pods have been updated...'],
    [{ type: 'ReCreate', partition: 2 }, counts(1), 'CloneSet rolling update complete 5 pods at revision shop-h2...'],
    [{}, counts(1, 3), 'Waiting for 2 pods to be ready...'],
    [{}, { ...counts(5), observedGeneration: 0 }, 'Waiting for CloneSet spec update to be observed...'],
  ],
  )('kubectl-kruise: %j', (members, status, text) => {
    expect(state({ spec: strategy(members), status: { ...names, ...status } }).kubectl.text).toBe(text);
  });
});

describe('a rollback', () => {
  const plain = scene({
    status: { ...names, ...counts(5), currentRevision: 'shop-h2' },
    pods: [canary, podOf('shop-y', '2')],
  });

  test.each(['v1alpha1', 'v1beta1'])(
    'replaces the template alone, tested on uid and template, in %s',
    (version) => {
      const returned = planScenarioRollback({ ...plain, version });
      const { planned, workload } = returned;
      expect(planned.plan?.write).toEqual({
        kind: 'patch',
        path: `/apis/apps.kruise.io/${version}/namespaces/shop/clonesets/shop`,
        patch: [
          { op: 'test', path: '/metadata/uid', value: 'uid-workload' },
          { op: 'test', path: '/spec/template', value: template('2') },
          { op: 'replace', path: '/spec/template', value: template('1') },
        ],
      });
      expect(returned.written()).toEqual({
        ...workload,
        spec: { ...workload.spec, template: template('1') },
      });
      expect(planned.plan?.needs).toMatchObject({
        group: 'apps.kruise.io',
        resource: 'clonesets',
        verb: 'patch',
      });
      expect(planned.plan?.kubectl).toMatch(/^# kubectl-kruise rollout undo gives another result/);
    },
  );

  test('tests the current template, including its directive, and writes none of it', () => {
    const hashed = template('1', {
      metadata: { labels: { app: 'checkout', 'pod-template-hash': 'h1' } },
    });
    const live = { $patch: 'replace', ...template('2') };
    const revisions = [kruiseRevision(1, '1', { template: hashed }), kruiseRevision(2, '2')];
    expect(planScenarioRollback({ ...plain, live, revisions }).written()).toMatchObject({
      spec: { template: template('1') },
    });
    expect(JSON.stringify(planScenarioRollback({ ...plain, live, revisions }).written())).not.toMatch(
      /\$patch|pod-template-hash/,
    );
  });

  test('writes nothing after another write in between', () => {
    const { planned } = planScenarioRollback(plain);
    const changed = planScenarioRollback({
      ...plain,
      live: '3',
      revisions: [kruiseRevision(1, '1'), kruiseRevision(2, '2'), kruiseRevision(3, '3')],
    });
    const { write } = planned.plan ?? {};
    const patch = write?.kind === 'patch' ? write.patch : [];
    expect(() => applyPatch(changed.workload as unknown as JsonObject, patch)).toThrow(
      '/spec/template differs',
    );
  });

  test('to the current template is rejected', () => {
    expect(planScenarioRollback(plain, 2).codes('refusal')).toEqual(['equal_target']);
  });

  test('says that pods are replaced, or updated in place where only images differ', () => {
    expect(planScenarioRollback(plain).steps).toEqual([
      '2 pods (shop-x and shop-y) are replaced by pods of revision 1, at most 1 at a time.',
      'Kubernetes renumbers revision 1 to 3; number 1 disappears from kubectl rollout history.',
    ]);
    const inPlace = { ...plain, spec: strategy({ type: 'InPlaceIfPossible', maxUnavailable: 2 }) };
    expect(planScenarioRollback(inPlace).steps[0]).toBe(
      '2 pods (shop-x and shop-y) are updated in place, at most 2 at a time: app restarts with the image of revision 1; they keep their name, node and IP address.',
    );
    const more = [
      kruiseRevision(1, '1', { template: template('1', { spec: { containers: [], hostNetwork: true } }) }),
      kruiseRevision(2, '2'),
    ];
    expect(planScenarioRollback({ ...inPlace, revisions: more }).steps[0]).toContain(
      '2 pods (shop-x and shop-y) are replaced by pods of revision 1, at most 2 at a time. An in-place update is not possible: more than images changes.',
    );
  });

  test('is rejected where a set only updates in place and cannot apply it', () => {
    const only = { ...plain, spec: strategy({ type: 'InPlaceOnly' }) };
    expect(planScenarioRollback(only).codes('refusal')).toEqual([]);
    const more = [
      kruiseRevision(1, '1', { template: template('1', { spec: { containers: [], hostNetwork: true } }) }),
      kruiseRevision(2, '2'),
    ];
    expect(planScenarioRollback({ ...only, revisions: more }).codes('refusal')).toEqual(['in_place_only']);
  });

  test('warns of the pods that a partition holds back', () => {
    const held = planScenarioRollback({ ...atStep, annotations: {} });
    expect(held.codes('warning')).toEqual(['partition_holds']);
    expect(held.message('partition_holds')).toBe(
      'Partition 80% holds shop-x: it is not rolled back to revision 1.',
    );
    expect(held.steps[0]).toBe('No pod changes.');
    const some = planScenarioRollback({ ...plain, spec: strategy({ partition: 1 }) });
    expect(some.message('partition_holds')).toContain(
      'Partition 1 holds 1 of 2 pods on other revisions: it is not rolled back to revision 1.',
    );
    expect(some.steps.slice(0, 2)).toEqual([
      '1 pod is replaced by a pod of revision 1, at most 1 at a time.',
      '1 other pod keeps running.',
    ]);
  });

  test('of a paused set is allowed, and reports that no pod moves until it is resumed', () => {
    const paused = planScenarioRollback({ ...plain, spec: strategy({ paused: true }) });
    expect([paused.codes('refusal'), paused.codes('warning'), paused.steps[0]]).toEqual([
      [],
      ['paused'],
      'No pod changes until the workload is resumed.',
    ]);
  });

  test('to the stable revision ends the rollout of a Rollout, to any other starts another one', () => {
    const stable = planScenarioRollback(atStep);
    expect(stable.codes('info')).toEqual(['ends_rollout']);
    expect(stable.codes('warning')).toEqual(['rollout_owner']);
    expect(stable.steps[0]).toBe(
      'Rollout shop-ro ends, removes the partition and rolls 1 pod back to revision 1.',
    );
    const inBatches = planScenarioRollback(atStep, 1, { rollsBackInSteps: true });
    expect(inBatches.codes('info')).not.toContain('ends_rollout');
    expect(inBatches.message('continues_rollout')).toBe(
      'Rollout shop-ro rolls back in batches: it starts again at the first step with revision 1.',
    );
    expect(inBatches.steps[0]).toBe(
      'Rollout shop-ro starts a rollout of revision 1 with its first step, and updates the pods of each step.',
    );
    const revisions = [kruiseRevision(0, '0'), kruiseRevision(1, '1'), kruiseRevision(2, '2')];
    expect(planScenarioRollback({ ...atStep, revisions }, 0).codes('warning')).toContain('continues_rollout');
  });

  test('with an unchanged rollout id warns that no steps will run', () => {
    const annotations = { 'rollouts.kruise.io/rollout-id': 'rel-1' };
    expect(planScenarioRollback({ ...plain, annotations }).codes('warning')).toEqual([
      'rollout_id_unchanged',
    ]);
    const labels = { 'rollouts.kruise.io/workload-type': 'cloneset' };
    expect(planScenarioRollback({ ...plain, labels }).codes('info')).toEqual(['rollout_attached']);
  });
});

describe('controls', () => {
  const base = scene({ status: { ...names, ...counts(5) }, pods: [canary] });

  test.each([
    ['v1alpha1', undefined, { paused: true }],
    ['v1alpha1', { type: 'ReCreate', paused: false }, { type: 'ReCreate', paused: true }],
    ['v1beta1', undefined, { rollingUpdate: { paused: true } }],
    ['v1beta1', { rollingUpdate: { partition: 1 } }, { rollingUpdate: { partition: 1, paused: true } }],
  ])('a pause is written where %s has it', (version, members, after) => {
    const spec = members === undefined ? {} : strategy(members);
    expect(planScenarioControl({ ...base, version, spec }, 'pause').written()).toMatchObject({
      spec: { updateStrategy: after },
    });
  });

  test('allows resume only when paused, and pause only when not', () => {
    const paused = { ...base, spec: strategy({ paused: true }) };
    expect(planScenarioControl(paused, 'pause').codes('refusal')).toEqual(['already_paused']);
    expect(planScenarioControl(base, 'resume').codes('refusal')).toEqual(['not_paused']);
    expect(planScenarioControl(paused, 'resume').written()).toMatchObject({
      spec: { updateStrategy: { paused: false } },
    });
  });

  test('a restart writes the annotation of kubectl-kruise, and is rejected where pods would apply it in place', () => {
    expect(planScenarioControl(base, 'restart').written()).toMatchObject({
      spec: { template: { metadata: { annotations: { 'kubectl.kruise.io/restartedAt': at(30) } } } },
    });
    const inPlace = { ...base, spec: strategy({ type: 'InPlaceIfPossible' }) };
    expect(planScenarioControl(inPlace, 'restart').codes('refusal')).toEqual(['in_place_restart']);
  });

  test('the partition moves to a whole number, tested on its previous value', () => {
    const held = { ...atStep, annotations: {} };
    const moved = planScenarioControl(held, 'partition', { partition: 2 });
    expect(moved.written()).toMatchObject({ spec: { updateStrategy: { partition: 2 } } });
    expect(moved.planned.plan).toMatchObject({
      title: 'Set partition of shop from 80% to 2',
      steps: ['2 pods are updated to revision 2, at most 1 at a time.'],
      kubectl: `kubectl -n shop patch clonesets.apps.kruise.io/shop --type=merge -p '{"spec":{"updateStrategy":{"partition":2}}}'`,
    });
    expect(planScenarioControl(held, 'partition', { partition: 4 }).message('equal_partition')).toBe(
      'The partition is already 80%, which is 4 of 5.',
    );
    expect(planScenarioControl(held, 'partition', { partition: 6 }).codes('refusal')).toEqual([
      'bad_partition',
    ]);
  });

  test('what a Rollout controls is left to the Rollout', () => {
    for (const [action, more] of [
      ['pause', {}],
      ['restart', {}],
      ['partition', { partition: 0 }],
    ] as const)
      expect(planScenarioControl(atStep, action, more).codes('refusal')).toContain('rollout_steers');
  });

  test('a pod is deleted only where nothing else replaces it', () => {
    const pod = { name: 'shop-a', uid: 'uid-shop-a' };
    const parts = { ...base, pods: old };
    expect(planScenarioControl(parts, 'deletePod', { pod }).codes('refusal')).toEqual(['not_blocking']);
    const onDelete = { ...parts, version: 'v1beta1', spec: strategy({ type: 'OnDelete' }) };
    expect(planScenarioControl(onDelete, 'deletePod', { pod }).planned.plan?.write).toMatchObject({
      preconditions: { uid: pod.uid },
    });
  });
});
