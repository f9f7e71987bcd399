import { deriveStatus } from '@/lib/messages/workload-status';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import { readArgo } from '@/lib/argo/reading';
import { argoRollout, argoReplicaSets } from '@/lib/argo/argo-rollout';
import { deployment } from '@/lib/workloads/kinds/deployment';
import type { HistoryInput } from '@/lib/workloads/kind';
import { retainedTarget } from '@/lib/workloads/rollback-target';
import { findReader, sourcesByResource } from '@/lib/workloads/source-readers';
import { replicaSets } from '@/lib/workloads/sources/replica-sets';
import { argoObject, argoPods, type ArgoParts, argoSet, waitingCanary } from '@/lib/workloads/testing/argo';
import { at, factsOf, historyInputOf, replicaSet, template } from '@/lib/workloads/testing/objects';
import { applyPatch } from '@/lib/workloads/testing/patch';

type Sets = Parameters<typeof argoSet>[];

function inputOf(parts: ArgoParts, sets: Sets): HistoryInput {
  const objects = sets.map((each) => argoSet(...each));
  return historyInputOf(
    argoRollout,
    argoObject(parts),
    objects,
    objects.flatMap((set) => argoPods(set)),
  );
}

const done = { phase: 'Healthy', currentPodHash: 'h3', stableRS: 'h3' };
const three: Sets = [
  [1, '1', { created: 0 }],
  [2, '2', { created: 10 }],
  [3, '3', { created: 20, replicas: 5 }],
];

describe('a history', () => {
  it('is that of the ReplicaSets by their own annotations, newest first, including the target', () => {
    const { revisions, target } = argoRollout.history(inputOf({ image: '3', status: done }, three));
    expect(revisions.map(({ number, live }) => [number, live])).toEqual([
      [3, true],
      [2, false],
      [1, false],
    ]);
    expect(target?.number).toBe(3);
  });

  it('finds its target by the hash where another object holds the template, and none before the controller has read it', () => {
    const parts = {
      template: undefined,
      spec: { template: null, workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'c' } },
    };
    const seen = argoRollout.history(inputOf({ ...parts, status: done }, three));
    const unseen = argoRollout.history(inputOf({ ...parts, generation: 2, status: done }, three));
    const annotations = { 'rollout.argoproj.io/workload-generation': '8' };
    const changed = argoRollout.history(inputOf({ ...parts, annotations, status: done }, three));
    expect([seen.target?.number, unseen.target, changed.target]).toEqual([3, null, null]);
  });

  it('reports after an abort that the desired revision does not serve', () => {
    const status = { ...done, phase: 'Degraded', abort: true, stableRS: 'h2' };
    const { warnings, target, revisions } = argoRollout.history(inputOf({ image: '3', status }, three));
    expect(target?.number).toBe(3);
    expect(revisions.filter(({ current }) => current).map(({ number }) => number)).toEqual([2]);
    expect(warnings).toEqual([
      'The rollout of revision 3 was aborted: the spec still requests it, but the stable revision 2 serves.',
    ]);
  });

  it('has each former number once, and never the current one, however often it was noted', () => {
    fc.assert(
      fc.property(fc.nat(9), fc.array(fc.nat(9)), (present, noted) => {
        const former = argoReplicaSets.formerNumbersOf(argoSet(present, '1', { history: noted.join(',') }));
        const all = new Set(noted);
        all.delete(present);
        expect(former).toEqual([...all].sort((a, b) => a - b));
      }),
    );
  });

  it('continues with another number when an old template becomes the target again', () => {
    const sets: Sets = [
      [2, '2', { created: 10 }],
      [3, '1', { created: 0, history: '1,1,3', replicas: 5 }],
    ];
    const { revisions } = argoRollout.history(inputOf({ image: '1', status: done }, sets));
    expect(revisions.map(({ number, alsoNumbers }) => [number, alsoNumbers])).toEqual([
      [3, [1]],
      [2, []],
    ]);
    expect(revisions[0]?.explain()).toMatch(/^Formerly revision 1; renumbered to 3 by a rollback/);
  });

  it('reports that a reused revision has the cause of its predecessor', () => {
    const annotations = { 'kubernetes.io/change-cause': 'remember rates' };
    const sets: Sets = [
      [4, '2', { created: 10, annotations }],
      [5, '1', { created: 0, history: '3', replicas: 5, annotations }],
    ];
    const { revisions } = argoRollout.history(inputOf({ image: '1', status: done }, sets));
    expect(revisions.map(({ number, causeInheritedFrom }) => [number, causeInheritedFrom])).toEqual([
      [5, 4],
      [4, null],
    ]);
  });

  it('prunes the oldest by creation beyond its limit, ten by default', () => {
    const sets: Sets = Array.from({ length: 11 }, (_, index) => [
      index + 1,
      String(index),
      { created: 20 - index },
    ]);
    const pruned = (spec: JsonObject) =>
      argoRollout
        .history(inputOf({ image: '10', spec }, sets))
        .revisions.filter(({ prunedNext }) => prunedNext)
        .map(({ number }) => number);
    expect([pruned({}), pruned({ revisionHistoryLimit: 9 })]).toEqual([[11], [11, 10]]);
  });
});

test('a ReplicaSet is read by the kind that created it, and by no other', () => {
  const sources = sourcesByResource([deployment, argoRollout]).get('replicasets.apps') ?? [];
  const orphan = argoSet(1, '1', { owner: null });
  const foreign = replicaSet(4, '4');
  expect(findReader(sources, argoSet(1, '1'))).toBe(argoReplicaSets);
  expect(findReader(sources, orphan)).toBe(argoReplicaSets);
  expect(findReader(sources, foreign)).toBe(replicaSets);
  expect(findReader(sources, replicaSet(4, '4', { owner: null }))).toBe(replicaSets);
});

describe('a phase', () => {
  const at2 = (status: JsonObject, rest: { annotations?: Record<string, string>; spec?: JsonObject } = {}) =>
    readArgo({
      generation: 2,
      annotations: {},
      spec: { replicas: 1, ...rest.spec },
      status,
      ...(rest.annotations && { annotations: rest.annotations }),
    });

  it.each<[string, JsonObject, string, string | null]>(
    // prettier-ignore
    [
    ['of a spec that was read', { observedGeneration: '2', phase: 'Paused', message: 'm' }, 'Paused', 'm'],
    ['of one that was not', { observedGeneration: '1', phase: 'Healthy' }, 'Progressing', 'waiting for rollout spec update to be observed'],
    ['of one that nobody has seen', {}, 'Progressing', 'waiting for rollout spec update to be observed'],
    ['of a count of its own', { observedGeneration: '7', phase: 'Healthy' }, 'Healthy', null],
    ['of no number at all', { observedGeneration: '6f9c', phase: 'Healthy' }, 'Healthy', null],
    ['that goes on after a pause', { observedGeneration: '2', phase: 'Paused', controllerPause: true }, 'Progressing', 'waiting for rollout to unpause'],
    ['that stands nowhere', { observedGeneration: '2' }, 'Progressing', 'more replicas need to be updated'],
    ['of a spec that is wrong', { observedGeneration: '2', conditions: [{ type: 'InvalidSpec', message: 'no' }] }, 'Degraded', 'InvalidSpec: no'],
  ],
  )('%s', (_, status, phase, message) => {
    expect(at2(status)).toMatchObject({ phase, message });
  });

  it('waits for the template of another object to be read', () => {
    const status = { observedGeneration: '2', phase: 'Healthy', workloadObservedGeneration: '3' };
    const spec = { workloadRef: { kind: 'Deployment', name: 'c' } };
    const noted = (generation: string) => ({
      annotations: { 'rollout.argoproj.io/workload-generation': generation },
      spec,
    });
    expect(at2(status, noted('3')).phase).toBe('Healthy');
    expect(at2(status, noted('4'))).toMatchObject({ phase: 'Progressing', isBehind: true });
    // Its command names the end of a pause first; the status is of the former template all the same.
    const unpausing = at2({ ...status, controllerPause: true }, noted('4'));
    expect(unpausing).toMatchObject({ message: 'waiting for rollout to unpause', isBehind: true });
  });
});

describe('a rollback', () => {
  function plan(parts: ArgoParts, sets: Sets, to: number, stored?: JsonObject) {
    const object = argoObject(parts);
    const input = inputOf(parts, sets);
    const history = argoRollout.history(input);
    const revision = history.revisions.find(({ number }) => number === to);
    if (revision === undefined) throw new Error('no such revision');
    const source = sets
      .map((each) => argoSet(...each))
      .find(({ metadata }) => metadata.uid === revision.source.uid);
    const present = (object.spec?.template ?? {}) as JsonObject;
    const planned = argoRollout.writes.rollback({
      workload: input.workload,
      currentTemplate: present,
      history,
      to: { ...retainedTarget(revision), ...(stored && { stored: factsOf(stored) }) },
      template: (source && argoReplicaSets.templateOf(source)) ?? {},
      pods: input.pods,
      reason: '',
      likeKubectl: false,
    });
    return { ...planned, object, codes: planned.findings.map(({ code }) => code) };
  }

  it('writes the template as it was written by the user, and nothing else', () => {
    const ephemeral = { labels: { role: 'stable' }, annotations: { note: 'x' } };
    const sets: Sets = [[1, '1', { ephemeral }], ...three.slice(1)];
    const { plan: planned, object } = plan({ image: '3', status: done }, sets, 1);
    if (planned?.write.kind !== 'patch') throw new Error('no patch');
    const after = applyPatch(object as unknown as JsonObject, planned.write.patch);
    expect(after).toEqual({ ...object, spec: { ...object.spec, template: template('1') } });
    expect(planned.write.path).toBe('/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts/checkout');
    expect(planned.kubectl).toBe('kubectl -n shop argo rollouts undo checkout --to-revision=1');
  });

  it('has the command of kubectl that requests the same where admission stores another template', () => {
    const commandFor = (stored?: JsonObject) =>
      plan({ image: '3', status: done }, three, 1, stored).plan?.kubectl;
    expect(commandFor(template('2'))).toBe(commandFor());
    expect(commandFor(template('9'))).toBe(commandFor());
  });

  it('describes what happens to the steps', () => {
    const stable2 = { ...done, phase: 'Progressing', stableRS: 'h2' };
    const blueGreen = { blueGreen: {} };
    const up: Sets = [[1, '1', { replicas: 5 }], ...three.slice(1)];
    const window = { rollbackWindow: { revisions: 2 } };
    expect(plan({ image: '3', status: done }, three, 1).codes).toContain('runs_steps');
    expect(plan({ image: '3', status: stable2 }, three, 2).codes).toContain('ends_rollout');
    expect(plan({ image: '3', status: done, strategy: blueGreen }, up, 1).codes).toContain('still_up');
    expect(plan({ image: '3', status: done, strategy: blueGreen }, three, 1).codes).toContain('runs_steps');
    expect(plan({ image: '3', status: done, spec: window }, three, 1).codes).toContain('rollback_window');
    expect(
      plan({ image: '3', status: done, spec: { rollbackWindow: { revisions: 1 } } }, three, 1).codes,
    ).toContain('runs_steps');
    expect(plan({ image: '3', status: done, strategy: { canary: {} } }, three, 1).codes).not.toContain(
      'runs_steps',
    );
  });

  it('counts the window by creation: the number of a reused template does not matter', () => {
    const sets: Sets = [
      [2, '2', { created: 10 }],
      [3, '3', { created: 20 }],
      [4, '1', { created: 0, history: '1', replicas: 5 }],
    ];
    const parts = {
      image: '1',
      status: { ...done, currentPodHash: 'h1', stableRS: 'h1' },
      spec: { rollbackWindow: { revisions: 9 } },
    };
    expect(plan(parts, sets, 3).codes).toContain('runs_steps');
  });

  it('is rejected where another object holds the template and can’t be rolled back, and described while that is paused', () => {
    const reference = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'cart' };
    const elsewhere = plan({ image: '3', status: done, spec: { workloadRef: reference } }, three, 1);
    expect([elsewhere.plan, elsewhere.codes]).toEqual([null, expect.arrayContaining(['workload_ref'])]);
    const paused = plan({ image: '3', status: done, spec: { paused: true } }, three, 1);
    expect([paused.plan === null, paused.codes]).toEqual([false, expect.arrayContaining(['paused'])]);
  });

  it('warns of the desired revision after an abort, and of keys with two writers', () => {
    const status = { ...done, phase: 'Degraded', abort: true, stableRS: 'h2' };
    expect(
      plan({ image: '3', status }, three, 1).findings.find(({ code }) => code === 'aborted')?.severity,
    ).toBe('warning');
    expect(
      plan({ image: '3', status }, three, 2).findings.find(({ code }) => code === 'aborted')?.severity,
    ).toBe('info');
    const sets: Sets = [[1, '1', { ephemeral: { labels: { app: 'canary' } } }], ...three.slice(1)];
    expect(plan({ image: '3', status: done }, sets, 1).codes).toContain('ephemeral_overlap');
  });
});

describe('a status', () => {
  const statusOf = (parts: ArgoParts, sets: Sets) => {
    const input = inputOf(parts, sets);
    return deriveStatus(argoRollout.facts({ ...input, history: argoRollout.history(input), now: at(60) }));
  };

  it('follows the phase', () => {
    expect(statusOf({ image: '3', status: { ...done, readyReplicas: 5 } }, three)).toMatchObject({
      state: 'complete',
      message: '5 of 5 ready',
    });
    expect(statusOf({ image: '3', generation: 2, status: done }, three).state).toBe('unknown');
    expect(statusOf({ image: '3', status: { ...done, phase: 'Progressing' } }, three).state).toBe('degraded');
    const available = { ...done, phase: 'Progressing', availableReplicas: 5 };
    expect(statusOf({ image: '3', status: available }, three).state).toBe('rolling');
    expect(
      statusOf({ image: '3', status: { ...done, phase: 'Paused' }, spec: { paused: true } }, three).state,
    ).toBe('paused');
    expect(
      statusOf({ image: '3', status: { ...done, phase: 'Degraded', message: 'InvalidSpec: no' } }, three),
    ).toMatchObject({
      state: 'degraded',
      sentence: expect.stringContaining('InvalidSpec: no') as string,
    });
    expect(statusOf({ image: '3', status: done, spec: { restartAt: at(5) } }, three)).toMatchObject({
      state: 'rolling',
      message: 'restarting; 5 pods older than that',
    });
    const { rollout, sets } = waitingCanary();
    const input = historyInputOf(
      argoRollout,
      rollout,
      sets,
      sets.flatMap((set) => argoPods(set)),
    );
    expect(deriveStatus(argoRollout.facts({ ...input, history: argoRollout.history(input) }))).toMatchObject({
      state: 'held',
      message: 'at step 2 of 4; 1 of 5 pods updated',
      since: at(3),
    });
  });

  it('of an aborted rollout names what serves and what the spec desires', () => {
    const status = { ...done, phase: 'Degraded', abort: true, abortedAt: at(9), stableRS: 'h2' };
    expect(statusOf({ image: '3', status }, three)).toMatchObject({
      state: 'degraded',
      message: 'aborted: revision 2 serves, the spec requests revision 3',
      since: at(9),
    });
    const message = 'ReplicaSet "checkout-h3" has timed out progressing.';
    const conditions = [{ type: 'Progressing', reason: 'ProgressDeadlineExceeded', message }];
    expect(statusOf({ image: '3', status: { ...status, conditions } }, three).message).toBe(
      'aborted (ReplicaSet "checkout-h3" has timed out progressing): revision 2 serves, the spec requests revision 3',
    );
  });
});

describe('a control', () => {
  const control = (name: 'pause' | 'resume' | 'restart', spec: JsonObject = {}) => {
    const parts = { image: '3', status: done, spec };
    const input = inputOf(parts, three);
    const planned = argoRollout.writes[name]?.({
      workload: input.workload,
      currentTemplate: template('3'),
      history: argoRollout.history(input),
      pods: input.pods,
      now: at(7),
    });
    if (planned?.plan?.write.kind !== 'patch') return planned?.findings.map(({ code }) => code);
    const after = applyPatch(argoObject(parts) as unknown as JsonObject, planned.plan.write.patch);
    return after.spec;
  };

  it('writes one member of the spec, tested on its previous value', () => {
    expect(control('pause')).toMatchObject({ paused: true });
    expect(control('resume', { paused: true })).toMatchObject({ paused: false });
    expect(control('restart')).toMatchObject({ restartAt: at(7) });
    expect(control('pause', { paused: true })).toContain('already_paused');
    expect(control('resume')).toContain('not_paused');
    expect(control('restart', { restartAt: at(7) })).toContain('already_restarted');
  });
});
