import { describe, expect, it, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject, ManagedFieldsEntry } from '@/lib/kube/object';
import { argoRolloutSystem } from '@/lib/argo/argo-system';
import type { ArgoRollout } from '@/lib/argo/reading';

import { plannedPods, plannedShares } from '@/lib/argo/weights';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RolloutActionName } from '@/lib/api/action-values';
import type { RolloutInput } from '@/lib/rollout/system';
import {
  argoFacts,
  argoObject,
  type ArgoParts,
  FOUR_STEPS,
  waitingCanary,
} from '@/lib/workloads/testing/argo';
import { at, object } from '@/lib/workloads/testing/objects';
import { durationSeconds } from '@/lib/argo/step';

type Scenario = ReturnType<typeof waitingCanary>;

function inputOf({ rollout, sets }: Scenario, relatedObjects: KubeObject[] = []): RolloutInput<ArgoRollout> {
  const parse = { AnalysisRun: 0, Experiment: 1 } as Record<string, number>;
  return {
    object: argoRolloutSystem.parse(rollout),
    workload: { state: 'found', facts: argoFacts(rollout, sets) },
    auxiliaries: [],
    relatedObjects: relatedObjects.flatMap(
      (each) => argoRolloutSystem.relatedObjects[parse[each.kind] ?? 0]?.parse(each) ?? [],
    ),
    now: at(4),
  };
}

const deriveFrom = (scenario: Scenario, relatedObjects?: KubeObject[]): ProgressiveRollout =>
  argoRolloutSystem.derive(inputOf(scenario, relatedObjects));
const allowed = ({ actions }: ProgressiveRollout): RolloutActionName[] =>
  actions.filter((action) => action.allowed).map(({ name }) => name);
const stepStates = ({ steps }: ProgressiveRollout) => steps.map(({ state }) => state);

/** The scenario with another current step. */
function inStep(index: number, status: JsonObject = {}, parts: ArgoParts = {}): Scenario {
  return waitingCanary({
    ...parts,
    status: {
      phase: 'Progressing',
      currentStepIndex: index,
      pauseConditions: null,
      controllerPause: false,
      ...status,
    },
  });
}

describe('a canary', () => {
  it('waits for promotion at a pause without an end, by anyone who can', () => {
    const rollout = deriveFrom(waitingCanary());
    expect(rollout).toMatchObject({
      state: 'waiting',
      message: 'Step 2 of 4 is waiting for promotion.',
      since: at(3),
      style: 'canary',
      step: { index: 2, total: 4, state: 'waiting' },
      waitsFor: { kind: 'approval', text: 'Waiting for promotion of step 2.' },
      run: { id: '2', startedAt: at(2) },
      revisions: { stable: { number: 1, hash: 'h1' }, updated: { number: 2, hash: 'h2' } },
      replicas: { desired: 5, updated: 1, ready: 1 },
    });
    expect(stepStates(rollout)).toEqual(['done', 'waiting', 'planned', 'planned']);
    expect(allowed(rollout)).toEqual(['approve', 'promoteFull', 'pause', 'abort', 'restart', 'rollback']);
  });

  it('has one step for each of the plan, each with its action and the weight so far', () => {
    const { steps } = deriveFrom(waitingCanary());
    expect(steps.map(({ does }) => does)).toEqual([
      'Set weight to 20%',
      'Pause until promoted',
      'Set weight to 60%',
      'Pause for 1 min',
    ]);
    expect(steps.map(({ replicas }) => replicas.planned)).toEqual([1, 1, 3, 3]);
    expect(steps.map(({ traffic }) => traffic.planned)).toEqual(
      [20, 20, 60, 60].map((percent) => ({ kind: 'weight', percent })),
    );
    expect(steps.map(({ pause }) => pause?.kind)).toEqual(['none', 'approval', 'none', 'time']);
  });

  it('reports the traffic by its pods, or by the weight of the status where a router shares it out', () => {
    const actual = ({ steps }: ProgressiveRollout) => steps[1]?.traffic.actual;
    expect(actual(deriveFrom(waitingCanary()))).toEqual({ kind: 'weight', percent: 20 });
    const routed = {
      canary: {
        steps: FOUR_STEPS,
        trafficRouting: { nginx: { stableIngress: 'shop' }, maxTrafficWeight: 200 },
      },
    };
    const weights = { canary: { weights: { canary: { weight: 50 } } } };
    const rollout = deriveFrom(waitingCanary({ strategy: routed, status: weights }));
    expect(actual(rollout)).toEqual({ kind: 'weight', percent: 25 });
    expect(rollout.routes).toEqual([{ kind: 'Ingress', name: 'shop' }]);
    expect(actual(deriveFrom(waitingCanary({ strategy: routed })))).toEqual({ kind: 'weight', percent: 10 });
  });

  it('continues by itself after a pause with an end, and is stalled when the controller does not continue', () => {
    const since = { phase: 'Paused', pauseConditions: [{ reason: 'CanaryPauseStep', startTime: at(3) }] };
    const pausing = inStep(3, since);
    expect(deriveFrom(pausing)).toMatchObject({
      state: 'progressing',
      step: { index: 4, state: 'pausing' },
      waitsFor: { kind: 'time', until: at(4).replace('Z', '.000Z') },
    });
    expect(argoRolloutSystem.validUntil(inputOf(pausing))).toBe(Date.parse(at(4)) + 1);
    const late = { ...inputOf(pausing), now: at(6) };
    expect(argoRolloutSystem.derive(late)).toMatchObject({
      state: 'stalled',
      message: 'The pause of step 4 is over, but the controller has not reacted.',
    });
  });

  it('assigns its pods to a step only where exactly one step can have added them', () => {
    const early = deriveFrom(waitingCanary());
    expect(early.steps[0]?.pods.map(({ name }) => name)).toEqual(['checkout-h2-0']);
    expect(early.unassignedPods).toEqual([]);
    const late = deriveFrom(inStep(2));
    expect(late.steps.flatMap(({ pods }) => pods)).toEqual([]);
    expect(late.unassignedPods.map(({ name }) => name)).toEqual(['checkout-h2-0']);
  });

  it('is being analyzed, with the related runs as they report themselves or as its status does', () => {
    const steps = [{ analysis: { templates: [{ templateName: 'errors' }] } }];
    const strategy = { canary: { steps } };
    const run = { name: 'run-1', status: 'Running' };
    const status = { canary: { currentStepAnalysisRunStatus: run, currentExperiment: 'trial' } };
    const scenario = inStep(0, status, { strategy });
    const analysis = object(
      'AnalysisRun',
      { name: 'run-1' },
      { status: { phase: 'Error', message: 'no metrics' } },
    );
    expect(deriveFrom(scenario)).toMatchObject({
      message: 'Step 1 of 1: analysis: errors.',
      waitsFor: { kind: 'analysis', text: 'AnalysisRun run-1: Running.' },
      relatedObjects: [
        { kind: 'AnalysisRun', name: 'run-1', phase: 'Running', message: null },
        { kind: 'Experiment', name: 'trial', phase: null },
      ],
    });
    expect(deriveFrom(scenario, [analysis]).relatedObjects[0]).toMatchObject({
      phase: 'Error',
      message: 'no metrics',
    });
    const foreign = {
      ...analysis,
      metadata: {
        ...analysis.metadata,
        ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'else', controller: true }],
      },
    };
    expect(deriveFrom(scenario, [foreign]).relatedObjects[0]).toMatchObject({ phase: 'Running' });
  });

  it('waits for a person where an analysis was inconclusive', () => {
    const strategy = { canary: { steps: [{ analysis: {} }] } };
    const pauseConditions = [{ reason: 'InconclusiveAnalysisRun', startTime: at(3) }];
    const rollout = deriveFrom(inStep(0, { phase: 'Paused', pauseConditions }, { strategy }));
    expect(rollout).toMatchObject({
      state: 'waiting',
      waitsFor: { text: 'The analysis was inconclusive: promote or abort the rollout.' },
    });
  });
});

describe('what is complete, or not', () => {
  it('after an abort the stable revision serves and the spec desires another', () => {
    const rollout = deriveFrom(inStep(0, { phase: 'Degraded', abort: true, abortedAt: at(3) }));
    expect(rollout).toMatchObject({
      state: 'failed',
      message: 'Aborted: revision 1 is serving; the spec still requests revision 2.',
      since: at(3),
      step: { index: 0 },
    });
    expect(allowed(rollout)).toEqual(['pause', 'retry', 'restart', 'rollback']);
    const fresh = deriveFrom(inStep(0, { phase: 'Paused', abort: true }));
    expect(fresh).toMatchObject({
      state: 'rollingBack',
      message: 'Aborting: traffic returns to revision 1.',
    });
  });

  it('an abort is told with its cause: the metric, the deadline, or who aborted it', () => {
    const messageOf = (reason: string, message: string, managedFields?: ManagedFieldsEntry[]) => {
      const conditions = [{ type: 'Progressing', status: 'False', reason, message }];
      const scenario = inStep(0, { phase: 'Degraded', abort: true, conditions });
      const { metadata } = scenario.rollout;
      return deriveFrom({
        ...scenario,
        rollout: { ...scenario.rollout, metadata: { ...metadata, managedFields } },
      }).message;
    };
    const writes = (manager: string, ...fields: string[]): ManagedFieldsEntry => ({
      manager,
      operation: 'Update',
      subresource: 'status',
      fieldsV1: { 'f:status': Object.fromEntries(fields.map((field) => [field, {}])) },
    });
    const metric = 'Metric "error-rate" assessed Failed due to failed (2) > failureLimit (1)';
    const late = 'ReplicaSet "h2" has timed out progressing';
    const rest = 'revision 1 is serving; the spec still requests revision 2.';
    const plain = 'Rollout aborted update to revision 2';
    expect(messageOf('RolloutAborted', `${plain}: ${metric}`)).toBe(`Aborted (${metric}): ${rest}`);
    expect(messageOf('ProgressDeadlineExceeded', `${late}.`)).toBe(`Aborted (${late}): ${rest}`);
    const controller = writes('rollouts-controller', 'f:phase', 'f:abort');
    const person = writes('kubectl-argo-rollouts', 'f:abort');
    expect(messageOf('RolloutAborted', plain, [writes('rollouts-controller', 'f:phase'), person])).toBe(
      `Aborted by kubectl-argo-rollouts: ${rest}`,
    );
    expect(messageOf('RolloutAborted', plain, [controller])).toBe(`Aborted: ${rest}`);
  });

  it('a degraded rollout reports why', () => {
    const message = 'ProgressDeadlineExceeded: ReplicaSet "h2" has timed out progressing.';
    const rollout = deriveFrom(inStep(2, { phase: 'Degraded', message }));
    expect(rollout).toMatchObject({
      state: 'failed',
      message: `Degraded: ${message} Revision 1 is stable.`,
    });
    expect(stepStates(rollout)).toEqual(['done', 'done', 'failed', 'planned']);
    expect(allowed(rollout)).toContain('abort');
  });

  it('all steps are done: the rest of the pods follow, and then it is stable', () => {
    expect(deriveFrom(inStep(4))).toMatchObject({
      state: 'completing',
      message: 'All 4 steps are done; revision 2 gets the remaining pods.',
    });
    const rollout = deriveFrom(inStep(4, { phase: 'Healthy', stableRS: 'h2' }));
    expect(rollout).toMatchObject({
      state: 'completed',
      message: 'Revision 2 is stable.',
      step: { index: 4, state: 'done' },
    });
    expect(allowed(rollout)).toEqual(['pause', 'restart']);
  });

  it('the first revision runs no step, and is no progressive rollout', () => {
    const annotations = { 'rollout.argoproj.io/revision': '1' };
    const first = { phase: 'Progressing', currentPodHash: 'h2', stableRS: null, currentStepIndex: 4 };
    expect(deriveFrom(inStep(4, first, { annotations })).state).toBe('progressing');
    expect(deriveFrom(inStep(4, { phase: 'Healthy', stableRS: 'h2' }, { annotations })).state).toBe('idle');
  });

  it('paused by hand it does not continue until it is resumed', () => {
    const rollout = deriveFrom(inStep(2, { phase: 'Paused' }, { spec: { paused: true } }));
    expect(rollout).toMatchObject({ state: 'paused', paused: true, waitsFor: { kind: 'resume' } });
    expect(allowed(rollout)).toEqual(['approve', 'promoteFull', 'resume', 'abort', 'restart', 'rollback']);
  });

  it('an unread change of the template starts anew; after any other the rollout stays where it is', () => {
    const scaled = waitingCanary({ generation: 2 });
    expect(deriveFrom(scaled)).toMatchObject({ state: 'waiting', phase: 'Progressing', step: { index: 2 } });
    const changed = waitingCanary({ generation: 2, image: '3' });
    expect(deriveFrom(changed)).toMatchObject({
      state: 'starting',
      step: { index: 0 },
      revisions: { updated: { pending: true } },
    });
    expect(allowed(deriveFrom(changed))).not.toContain('approve');
  });

  it('promoted fully it skips the remaining steps', () => {
    const rollout = deriveFrom(inStep(1, { promoteFull: true }));
    expect(rollout.state).toBe('completing');
    expect(stepStates(rollout)).toEqual(['done', 'skipped', 'skipped', 'skipped']);
    expect(allowed(rollout)).not.toContain('promoteFull');
  });

  it('after an abort the step where it stopped is shown as abandoned, where that is known', () => {
    const aborted = (index: number, canary: JsonObject = {}, steps: JsonObject[] = FOUR_STEPS) =>
      inStep(index, { phase: 'Degraded', abort: true, canary }, { strategy: { canary: { steps } } });
    expect(stepStates(deriveFrom(aborted(0)))).toEqual(['planned', 'planned', 'planned', 'planned']);
    expect(stepStates(deriveFrom(aborted(2)))).toEqual(['done', 'done', 'abandoned', 'planned']);
    const judging = [{ setWeight: 20 }, { analysis: {} }, { setWeight: 60 }];
    const run = object('AnalysisRun', { name: 'run', labels: { 'step-index': '1' } });
    const named = { currentStepAnalysisRunStatus: { name: 'run', status: 'Failed' } };
    expect(stepStates(deriveFrom(aborted(0, named, judging), [run]))).toEqual([
      'done',
      'abandoned',
      'planned',
    ]);
    expect(stepStates(deriveFrom(aborted(0, named, judging)))).toEqual(['planned', 'planned', 'planned']);
    const undone = { stepPluginStatuses: [{ index: 2, name: 'x', operation: 'Abort', phase: 'Successful' }] };
    expect(stepStates(deriveFrom(aborted(0, undone)))).toEqual(['done', 'done', 'abandoned', 'planned']);
    const blueGreen = waitingCanary({
      strategy: { blueGreen: { activeService: 'shop' } },
      status: { phase: 'Degraded', abort: true, pauseConditions: null },
    });
    expect(stepStates(deriveFrom(blueGreen))).toEqual(['abandoned']);
  });

  it('none of it throws', () => {
    const odd: JsonObject[] = [
      {},
      { pauseConditions: 'x', currentStepIndex: 'y', conditions: [1], canary: null },
      { currentStepIndex: 99, currentPodHash: 'gone', stableRS: 'gone too', phase: 'Paused' },
      { phase: 'Dancing', currentStepIndex: -3 },
    ];
    for (const status of odd)
      for (const strategy of [{}, { canary: { steps: [null, {}, { novel: 1 }] } }, { blueGreen: {} }])
        expect(deriveFrom({ rollout: argoObject({ strategy, status }), sets: [] }).system).toBe('argo');
  });
});

describe('a step of a plugin', () => {
  const steps = [{ setWeight: 20 }, { plugin: { name: 'acme/smoke' } }, { pause: {} }];
  const at2 = (entry: JsonObject | null) =>
    deriveFrom(
      inStep(
        1,
        { canary: entry && { stepPluginStatuses: [{ index: 1, name: 'acme/smoke', ...entry }] } },
        { strategy: { canary: { steps } } },
      ),
    ).steps[1];

  it.each<[JsonObject | null, string, RegExp | null]>([
    [null, 'starting', /^Waiting for plugin acme.smoke to start/],
    [{ phase: 'Running', message: 'probing.' }, 'starting', /acme\/smoke is Running: probing\.$/],
    [{ phase: 'Successful' }, 'approved', null],
    [{ phase: 'Failed', message: 'no' }, 'failed', /is Failed: no\.$/],
    [{ phase: 'Error' }, 'failed', /is Error\.$/],
    [{ phase: 'Successful', disabled: true }, 'skipped', null],
  ])('is shown with what the plugin says: %j', (entry, state, wait) => {
    const step = at2(entry);
    expect([step?.state, step?.does]).toEqual([state, 'Plugin acme/smoke']);
    if (wait === null) expect(step?.waitsFor).toBeNull();
    else expect(step?.waitsFor?.text).toMatch(wait);
  });

  it('that completed was done, or skipped where it is disabled', () => {
    const over = (disabled: boolean) =>
      stepStates(
        deriveFrom(
          inStep(
            2,
            { canary: { stepPluginStatuses: [{ index: 1, name: 'acme/smoke', disabled }] } },
            { strategy: { canary: { steps } } },
          ),
        ),
      );
    expect(over(false).slice(0, 2)).toEqual(['done', 'done']);
    expect(over(true).slice(0, 2)).toEqual(['done', 'skipped']);
  });
});

describe('an experiment that did not succeed', () => {
  const steps = [{ experiment: { templates: [{ name: 'a' }] } }, { pause: {} }];
  const scenario = (status: JsonObject = {}) =>
    inStep(
      0,
      {
        phase: 'Paused',
        pauseConditions: [{ reason: 'InconclusiveExperiment', startTime: at(3) }],
        canary: { currentExperiment: 'exp' },
        ...status,
      },
      { strategy: { canary: { steps } } },
    );
  const experiment = (phase: string) => ({
    ...object('Experiment', { name: 'exp' }, { status: { phase } }),
    apiVersion: 'argoproj.io/v1alpha1',
  });
  const retry = (phase: string, status?: JsonObject) =>
    argoRolloutSystem.plan(inputOf(scenario(status), [experiment(phase)]), { action: 'retry', step: null });

  it('is run again by removing its status, with the permission to do so', () => {
    const planned = retry('Inconclusive');
    const path = '/apis/argoproj.io/v1alpha1/namespaces/shop/experiments/exp';
    expect(planned.kind === 'write' && planned.plan).toMatchObject({
      write: {
        kind: 'merge',
        path: `${path}/status`,
        elsePath: path,
        body: { metadata: { resourceVersion: '1' }, status: null },
      },
      needs: { resource: 'experiments', subresource: 'status', name: 'exp' },
      kubectl: 'kubectl -n shop argo rollouts retry experiment exp',
    });
    expect(argoRolloutSystem.rightOf(inputOf(scenario()).object, 'retry')?.resource).toBe('experiments');
  });

  it('of an aborted rollout is left alone: the rollout starts anew, with another experiment', () => {
    const planned = retry('Failed', { phase: 'Degraded', abort: true });
    expect(planned.kind === 'write' && planned.plan.write).toMatchObject({
      body: { status: { abort: false } },
    });
    expect(planned.findings[0]?.message).toMatch(/creates new experiments/);
    expect(retry('Running').kind).toBe('refused');
  });

  it('is part of the precondition', () => {
    const seen = (phase: string) =>
      argoRolloutSystem.preconditionText(inputOf(scenario(), [experiment(phase)]));
    expect(seen('Running')).not.toBe(seen('Failed'));
  });
});

describe('a blue-green rollout', () => {
  const status = (rest: JsonObject = {}) => ({
    phase: 'Paused',
    currentStepIndex: null,
    blueGreen: { activeSelector: 'h1', previewSelector: 'h2' },
    pauseConditions: [{ reason: 'BlueGreenPause', startTime: at(3) }],
    ...rest,
  });
  const scenario = (plan: JsonObject, rest?: JsonObject) =>
    waitingCanary({
      strategy: { blueGreen: { activeService: 'shop', autoPromotionEnabled: false, ...plan } },
      status: status(rest),
    });

  it('is one step that waits to be promoted', () => {
    const rollout = deriveFrom(scenario({}));
    expect(rollout).toMatchObject({
      state: 'waiting',
      style: 'blueGreen',
      message: 'Revision 2 runs as a preview and is waiting for promotion.',
      step: { index: 1, total: 1, state: 'waiting' },
      steps: [{ replicas: { planned: 5 }, pause: { kind: 'approval' }, traffic: { actual: { percent: 0 } } }],
      routes: [{ kind: 'Service', name: 'shop' }],
    });
    expect(rollout.steps[0]?.pods).toHaveLength(1);
  });

  it('is promoted by itself after a time, and retained for a while once it serves', () => {
    expect(deriveFrom(scenario({ autoPromotionSeconds: 120, previewReplicaCount: 1 }))).toMatchObject({
      state: 'progressing',
      waitsFor: { kind: 'time', seconds: 120 },
      steps: [{ replicas: { planned: 1 } }],
    });
    const served = scenario(
      {},
      { phase: 'Progressing', pauseConditions: null, blueGreen: { activeSelector: 'h2' } },
    );
    expect(deriveFrom(served)).toMatchObject({
      state: 'completing',
      steps: [{ traffic: { actual: { percent: 100 } } }],
    });
  });
});

describe('a plan', () => {
  const plan = (action: RolloutActionName, scenario: Scenario) =>
    argoRolloutSystem.plan(inputOf(scenario), { action, step: null });
  const path = '/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts/checkout';

  function writeOf(action: RolloutActionName, scenario: Scenario) {
    const planned = plan(action, scenario);
    if (planned.kind !== 'write' || planned.plan.write.kind !== 'merge') return planned.kind;
    const { body, ...write } = planned.plan.write;
    const { metadata, ...change } = body;
    expect(metadata).toEqual({ resourceVersion: '1' });
    return { ...write, change };
  }

  const inconclusive = (rest: JsonObject) =>
    inStep(
      0,
      {
        phase: 'Paused',
        pauseConditions: [{ reason: 'InconclusiveAnalysisRun', startTime: at(3) }],
        canary: { currentStepAnalysisRunStatus: { name: 'run', status: 'Inconclusive' } },
        ...rest,
      },
      { strategy: { canary: { steps: [{ analysis: {} }, { pause: {} }] } } },
    );

  it.each<[string, RolloutActionName, Scenario, JsonObject]>([
    ['a pause that waits', 'approve', waitingCanary(), { pauseConditions: null }],
    ['a step that does not', 'approve', inStep(2), { pauseConditions: null, currentStepIndex: 3 }],
    [
      'an analysis that could not decide',
      'approve',
      inconclusive({ controllerPause: true }),
      { pauseConditions: null, controllerPause: false, currentStepIndex: 1 },
    ],
    ['all that is left', 'promoteFull', waitingCanary(), { promoteFull: true }],
    ['an abort', 'abort', waitingCanary(), { abort: true }],
    ['a retry', 'retry', inStep(0, { phase: 'Degraded', abort: true }), { abort: false }],
  ])(
    'of %s writes the status, with another way where there is no such subresource',
    (_, action, scenario, status) => {
      expect(writeOf(action, scenario)).toEqual({
        kind: 'merge',
        path: `${path}/status`,
        elsePath: path,
        change: { status },
      });
      expect(argoRolloutSystem.rightOf(inputOf(scenario).object, action)).toMatchObject({
        verb: 'patch',
        resource: 'rollouts',
        subresource: 'status',
      });
    },
  );

  it.each<[RolloutActionName, Scenario, JsonObject]>([
    ['pause', waitingCanary(), { paused: true }],
    ['resume', waitingCanary({ spec: { paused: true } }), { paused: false }],
    ['restart', waitingCanary(), { restartAt: at(4) }],
  ])('to %s writes the spec', (action, scenario, spec) => {
    expect(writeOf(action, scenario)).toEqual({ kind: 'merge', path, change: { spec } });
    expect(argoRolloutSystem.rightOf(inputOf(scenario).object, action)).not.toHaveProperty('subresource');
  });

  it.each<[RolloutActionName, JsonObject]>([
    ['approve', { pauseConditions: null }],
    ['promoteFull', { promoteFull: true }],
  ])('to %s what is paused by hand resumes it too, as upstream does', (action, status) => {
    const scenario = waitingCanary({ spec: { paused: true } });
    expect(writeOf(action, scenario)).toMatchObject({ path: `${path}/status`, change: { status } });
    const planned = plan(action, scenario);
    expect(planned.kind === 'write' && planned.plan.then).toEqual({
      write: {
        kind: 'patch',
        path,
        patch: [
          { op: 'test', path: '/metadata/uid', value: 'uid-workload' },
          { op: 'test', path: '/spec/paused', value: true },
          { op: 'replace', path: '/spec/paused', value: false },
        ],
      },
      needs: {
        verb: 'patch',
        group: 'argoproj.io',
        resource: 'rollouts',
        namespace: 'shop',
        name: 'checkout',
      },
    });
    expect(planned.findings[0]?.message).toMatch(/also resumes it/);
  });

  it('names the next step, and the end after the last', () => {
    const goal = (scenario: Scenario) => {
      const planned = plan('approve', scenario);
      return planned.kind === 'write' ? planned.goal : null;
    };
    expect(goal(waitingCanary())).toEqual({ until: 'step', from: 2, to: 3, runId: '2' });
    expect(goal(inStep(3))).toEqual({ until: 'step', from: 4, to: null, runId: '2' });
  });

  it('to roll back is planned by the kind, to the stable revision', () => {
    const scenario = waitingCanary();
    const stable = deriveFrom(scenario).revisions.stable?.id;
    expect(plan('rollback', scenario)).toMatchObject({ kind: 'workload', revisionId: stable });
    expect(argoRolloutSystem.rightOf(inputOf(scenario).object, 'rollback')).toBeNull();
    const workloadRef = { apiVersion: 'v1', kind: 'PodTemplate', name: 'basis' };
    const held = waitingCanary({ spec: { workloadRef } });
    expect(plan('rollback', held)).toMatchObject({ kind: 'workload', revisionId: stable });
    expect(argoRolloutSystem.rightOf(inputOf(held).object, 'rollback')).toEqual({
      verb: 'patch',
      group: '',
      resource: 'podtemplates',
      namespace: 'shop',
      name: 'basis',
    });
  });

  it.each<[RolloutActionName, Scenario, RegExp]>([
    ['approve', inStep(4, { phase: 'Healthy', stableRS: 'h2' }), /No rollout is in progress/],
    ['approve', inStep(4), /No steps are left/],
    ['promoteFull', inStep(0, { phase: 'Degraded', abort: true }), /Retry it first/],
    ['abort', inStep(0, { phase: 'Degraded', abort: true }), /already aborted/],
    ['retry', waitingCanary(), /Nothing to retry/],
    [
      'rollback',
      waitingCanary({ spec: { workloadRef: { apiVersion: 'v1', kind: 'Pod', name: 'cart' } } }),
      /Pod cart, a kind that cannot be rolled back/,
    ],
    ['jump', waitingCanary(), /no such action/],
    ['disable', waitingCanary(), /no such action/],
  ])('to %s is refused where it makes no sense', (action, scenario, reason) => {
    const planned = plan(action, scenario);
    expect(planned.kind).toBe('refused');
    expect(planned.findings[0]?.message).toMatch(reason);
  });

  test('the precondition changes with everything that an action depends on, and not with pods or messages', () => {
    const seen = (parts: ArgoParts = {}) => argoRolloutSystem.preconditionText(inputOf(waitingCanary(parts)));
    const before = seen();
    const others: ArgoParts[] = [
      { status: { currentStepIndex: 2 } },
      { status: { pauseConditions: null } },
      { status: { abort: true } },
      { status: { promoteFull: true } },
      { status: { stableRS: 'h9' } },
      { spec: { paused: true } },
      { image: '3' },
      { strategy: { canary: { steps: [{ setWeight: 21 }, { pause: {} }] } } },
    ];
    for (const parts of others) expect(seen(parts)).not.toBe(before);
    expect(seen({ status: { message: 'x', updatedReplicas: 4 } })).toBe(before);
  });
});

test.each([
  [30, 30],
  ['30', 30],
  ['1h30m', 5_400],
  ['1500ms', 1],
  ['soon', null],
  [undefined, null],
])('a pause of %j is %j seconds', (written, seconds) => {
  expect(durationSeconds(written)).toBe(seconds);
});

test('the pods of a step: as close to the weight as integers allow, or as the plan says where requests are routed', () => {
  const pods = (desired: number, steps: JsonObject[], canary: JsonObject = {}) => {
    const rollout = argoRolloutSystem.parse(
      argoObject({ spec: { replicas: desired }, strategy: { canary: { steps, ...canary } } }),
    );
    return plannedShares(rollout).map((share) => plannedPods(rollout, share));
  };
  const weights = (...each: number[]) => each.map((setWeight) => ({ setWeight }));
  expect(pods(1, weights(0, 10, 100), { maxSurge: 1 })).toEqual([0, 1, 1]);
  expect(pods(3, weights(1, 50, 99), { maxSurge: 0 })).toEqual([1, 2, 2]);
  expect(pods(10, weights(5, 20, 50))).toEqual([1, 2, 5]);
  expect(pods(0, weights(50))).toEqual([0]);
  const routed = { trafficRouting: {} };
  const scaled = [
    { setCanaryScale: { replicas: 4 } },
    ...weights(10),
    { setCanaryScale: { weight: 25 } },
    { setCanaryScale: { matchTrafficWeight: true } },
  ];
  expect(pods(10, scaled, routed)).toEqual([4, 4, 3, 1]);
});
