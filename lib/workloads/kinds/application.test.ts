import { deriveStatus } from '@/lib/messages/workload-status';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { readRecordedBody } from '@/lib/workloads/application/body';
import type { HistoryInput } from '@/lib/workloads/kind';
import { application, describeEmbeddedRollout } from '@/lib/workloads/kinds/application';
import { deployment } from '@/lib/workloads/kinds/deployment';
import { retainedTarget } from '@/lib/workloads/rollback-target';
import {
  applicationObject,
  type ApplicationParts,
  applicationRevision,
  applicationSpec,
  generatedLabels,
} from '@/lib/workloads/testing/application';
import { at, historyInputOf, object, pod, parseWorkload } from '@/lib/workloads/testing/objects';
import { applyPatch } from '@/lib/workloads/testing/patch';

function historyOf(input: HistoryInput) {
  return application.history(input);
}

function readApplication(
  parts: ApplicationParts,
  revisions: readonly KubeObject[],
  pods: readonly KubeObject[] = [],
) {
  const input = historyInputOf(application, applicationObject(parts), revisions, pods);
  const history = historyOf(input);
  return { input, history, status: deriveStatus(application.facts({ ...input, history })) };
}

const three = [applicationRevision(1, '1'), applicationRevision(2, '2'), applicationRevision(3, '3')];

describe('history', () => {
  it('follows the status, and never the highest number', () => {
    const { history } = readApplication({ latest: 1, status: { workflow: { startTime: at(9) } } }, three);
    expect(history.revisions.map(({ number }) => number)).toEqual([3, 2, 1]);
    expect(history.target?.name).toBe('checkout-v1');
    expect(history.revisions.filter(({ live }) => live).map(({ number }) => number)).toEqual([1]);
    expect(history.target?.explain()).toMatch(/reused this revision: checkout-v3 is newer.*number 2/);
    expect(history.target?.activations).toMatchObject([
      { from: at(1), to: at(2), open: false },
      { from: at(9), to: null, open: true },
    ]);
    expect(history.revisions[0]?.activations).toMatchObject([{ from: at(3), to: at(9), open: false }]);
  });

  it('leaves out the start of a reactivation that the workflow does not show', () => {
    const { history } = readApplication({ latest: 1, status: { workflow: { startTime: at(0) } } }, three);
    expect(history.target?.activations.at(-1)).toMatchObject({
      from: null,
      fromNotBefore: at(3),
      open: true,
    });
  });

  it('treats the same name with another hash as another revision', () => {
    const [before, after] = ['one', 'other'].map(
      (hash) => readApplication({}, [applicationRevision(2, '2', { hash })]).history.revisions[0],
    );
    expect(before?.name).toBe(after?.name);
    expect(before?.id).not.toBe(after?.id);
  });

  it('orders by the number in the name, and reads no foreign objects', () => {
    const foreign = applicationRevision(7, '7', { owner: 'uid-of-another' });
    const { history } = readApplication({ latest: 10 }, [
      applicationRevision(10, '10'),
      applicationRevision(9, '9'),
      foreign,
    ]);
    expect(history.revisions.map(({ name }) => name)).toEqual(['checkout-v10', 'checkout-v9']);
  });

  it('compares contents by their hash alone', () => {
    const { history } = readApplication({ latest: 2 }, [
      applicationRevision(1, '1', { hash: 'same', publish: 'a' }),
      applicationRevision(2, '1', {
        hash: 'same',
        publish: 'b',
        compression: { type: 'zstd', data: 'never read' },
      }),
    ]);
    expect(history.target?.duplicateOf).toBe(history.revisions[1]?.id);
  });

  it('reports that the controller’s current revision no longer exists', () => {
    const { history } = readApplication({ latest: 5 }, three);
    expect(history.target).toBeNull();
    expect(history.warnings).toContain(
      'KubeVela reports checkout-v5, but that ApplicationRevision does not exist.',
    );
  });

  it('names the revisions that are pruned next where a policy exists, and warns where none does', () => {
    const policies = [{ name: 'gc', type: 'garbage-collect', properties: { applicationRevisionLimit: 1 } }];
    const limited = readApplication({ latest: 3, spec: applicationSpec('3', { policies }) }, three).history;
    expect(limited.revisions.filter(({ prunedNext }) => prunedNext).map(({ number }) => number)).toEqual([
      2, 1,
    ]);
    const free = readApplication({ latest: 3 }, three).history;
    expect(free.revisions.some(({ prunedNext }) => prunedNext)).toBe(false);
    expect(free.warnings).toEqual([expect.stringMatching(/retains: 2 when .* Helm chart, 10 otherwise/)]);
  });

  it('counts pods for the revision that they name, else for the one that was applied last', () => {
    const made = object('Deployment', { name: 'web', labels: generatedLabels(2) }, { spec: { replicas: 3 } });
    const parts = [parseWorkload(deployment, made)];
    const pods = [
      pod('web-a', { labels: { 'app.oam.dev/appRevision': 'checkout-v1' } }),
      pod('web-b', { ready: false }),
    ];
    const input = historyInputOf(
      application,
      applicationObject(),
      [applicationRevision(1, '1'), applicationRevision(2, '2')],
      pods,
      parts,
    );
    const history = historyOf(input);
    expect(history.revisions.map(({ number, pods: counted }) => [number, counted.total])).toEqual([
      [2, 1],
      [1, 1],
    ]);
    expect(deriveStatus(application.facts({ ...input, history })).pods).toEqual({
      desired: 3,
      ready: 1,
      updated: 1,
      available: 1,
    });
    expect(application.generator?.of(parseWorkload(deployment, made))).toEqual({
      resource: 'applications.core.oam.dev',
      name: 'checkout',
    });
  });
});

describe('status', () => {
  it.each([
    [
      'running',
      'complete',
      /Revision 2 is the target\. Its workflow completed, and KubeVela reports it healthy\./,
    ],
    ['runningWorkflow', 'rolling', /Its workflow is running\. Step deploy is running\./],
    ['workflowSuspending', 'held', /suspended until it is resumed/],
    ['workflowTerminated', 'stuck', /terminated. The remaining steps/],
    ['workflowFailed', 'stuck', /Its workflow failed/],
    ['unhealthy', 'degraded', /reports an unhealthy component/],
    ['deleting', 'unknown', /is being deleted/],
    ['somethingNew', 'unknown', /does not know the phase somethingNew/],
    ['', 'unknown', /not reported a status yet/],
  ])('phase %j is %s', (phase, state, sentence) => {
    const steps = phase === 'runningWorkflow' ? [{ name: 'deploy', phase: 'running' }] : [];
    const { status } = readApplication({ phase, status: { workflow: { steps } } }, three);
    expect(status.state).toBe(state);
    expect(status.sentence).toMatch(sentence);
  });

  it('names the step that failed, also within another one, and the component that is not healthy', () => {
    const failed = { name: 'canary', phase: 'failed', message: 'the image cannot be pulled.' };
    const steps = [{ name: 'group', phase: 'running', subSteps: [failed] }];
    const broken = readApplication(
      { phase: 'workflowFailed', status: { workflow: { steps } } },
      three,
    ).status;
    expect(broken.message).toBe('workflow failed; step canary failed: the image cannot be pulled');
    const services = [{ name: 'web', healthy: false, message: 'Ready: 0/2' }];
    const sick = readApplication({ phase: 'unhealthy', status: { services } }, three).status;
    expect(sick.message).toBe('unhealthy; component web not healthy: Ready: 0/2');
  });

  it('concludes nothing before the controller has observed the last edit', () => {
    const { status } = readApplication({ generation: 4, status: { observedGeneration: 3 } }, three);
    expect([status.state, status.message]).toEqual([
      'unknown',
      'the controller has not observed the last change',
    ]);
  });
});

it('reports for a revision its outcome, its publishVersion and its version of KubeVela', () => {
  const revision = applicationRevision(1, '1', {
    publish: 'v1.2',
    annotations: { 'oam.dev/kubevela-version': 'v1.10.9' },
    status: { succeeded: false, workflow: { suspend: true } },
  });
  const [source] = historyInputOf(application, applicationObject(), [revision]).sources;
  expect(source && application.revisions?.notes?.(source)).toEqual([
    'workflow suspended',
    'published as v1.2',
    'KubeVela v1.10.9',
  ]);
});

describe('rollback', () => {
  function plan(parts: ApplicationParts, to: number, revisions: readonly KubeObject[] = three, live = parts) {
    const input = historyInputOf(
      application,
      applicationObject({ latest: 3, spec: applicationSpec('3'), ...parts }),
      revisions,
    );
    const history = historyOf(input);
    const revision = history.revisions.find(({ number }) => number === to);
    if (revision === undefined) throw new Error(`no revision ${to}`);
    const present = { application: live.spec ?? applicationSpec('3') };
    const recorded = revisions.find(({ metadata }) => metadata.name === revision.name)?.spec;
    return application.writes.rollback({
      ...input,
      ...{
        currentTemplate: present,
        history,
        to: retainedTarget(revision),
        template: readRecordedBody(recorded),
      },
      ...{ reason: '', likeKubectl: false },
    });
  }
  const codes = ({ findings }: ReturnType<typeof plan>, severity: string) =>
    findings.filter((finding) => finding.severity === severity).map(({ code }) => code);

  it('writes the recorded spec in one patch that fails after any other write', () => {
    const { plan: planned } = plan({ resourceVersion: '41' }, 1);
    const write = planned?.write;
    if (write?.kind !== 'patch') throw new Error('no patch');
    expect(write.path).toBe('/apis/core.oam.dev/v1beta1/namespaces/shop/applications/checkout');
    expect(write.patch).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'uid-workload' },
      { op: 'test', path: '/metadata/resourceVersion', value: '41' },
      { op: 'add', path: '/spec', value: applicationSpec('1') },
    ]);
    const object = applicationObject({ resourceVersion: '41', annotations: { team: 'shop' } });
    const after = applyPatch(object as unknown as JsonObject, write.patch);
    expect(after).toMatchObject({ spec: applicationSpec('1'), metadata: { annotations: { team: 'shop' } } });
  });

  it('publishes again where there is a publishVersion, under a name that no revision has', () => {
    const taken = [
      applicationRevision(1, '1', { publish: 'a' }),
      applicationRevision(2, '2', { publish: 'rollback-1-41' }),
      applicationRevision(3, '3', { publish: 'b' }),
    ];
    const { plan: planned } = plan({ publish: 'b', resourceVersion: '41' }, 1, taken);
    const patch = planned?.write.kind === 'patch' ? planned.write.patch : [];
    expect(patch.at(-1)).toEqual({
      op: 'add',
      path: '/metadata/annotations/app.oam.dev~1publishVersion',
      value: 'rollback-1-41-2',
    });
    expect(planned?.kubectl).toBe(
      'vela up checkout -n shop --revision checkout-v1 --publish-version rollback-1-41-2',
    );
  });

  it('rejects a rollback without effect, but not one from an edit that was never applied', () => {
    expect(codes(plan({}, 3), 'refusal')).toEqual(['equal_target']);
    const edited = { publish: 'b', spec: applicationSpec('1') };
    expect(codes(plan(edited, 1), 'refusal')).toEqual([]);
    expect(codes(plan({ spec: applicationSpec('1') }, 1), 'refusal')).toEqual(['equal_target']);
  });

  it('rejects a frozen Application, one that is being deleted, and an unreadable revision', () => {
    const frozen = { annotations: { 'app.oam.dev/controller-version-require': 'Disabled' } };
    expect(codes(plan(frozen, 1), 'refusal')).toEqual(['frozen']);
    expect(codes(plan({ deleted: at(5) }, 1), 'refusal')).toEqual(['deleting']);
    const packed = [
      applicationRevision(1, '1', { compression: { type: 'lz4', data: 'AAAA' } }),
      ...three.slice(1),
    ];
    expect(codes(plan({}, 1, packed), 'refusal')).toEqual(['not_decoded']);
  });

  it('warns of a workflow that runs, and of a revision whose name will be reused', () => {
    expect(codes(plan({ phase: 'runningWorkflow' }, 1), 'warning')).toEqual(['workflow_running']);
    const back = { latest: 1, publish: 'b', spec: applicationSpec('1') };
    const found = plan(back, 3).findings.find(({ code }) => code === 'revision_overwritten');
    expect(found?.message).toMatch(/names the new revision checkout-v2, which already exists/);
    expect(codes(plan({ latest: 3, publish: 'b' }, 1), 'warning')).toEqual([]);
  });
});

it('reads any content of the objects without an error', () => {
  const odd = fc.jsonValue() as fc.Arbitrary<never>;
  const record = (...members: string[]) =>
    fc.record(Object.fromEntries(members.map((member) => [member, odd])), {
      requiredKeys: [],
    }) as fc.Arbitrary<JsonObject>;
  const parts = fc.record({
    spec: record('components', 'policies', 'workflow'),
    status: record('status', 'latestRevision', 'workflow', 'services', 'observedGeneration'),
    revision: record(
      'application',
      'compression',
      'componentDefinitions',
      'policies',
      'workflow',
      'referredObjects',
    ),
    name: fc.constantFrom('checkout-v1', 'checkout-v', 'v99999999999999999999', 'odd'),
  });
  fc.assert(
    fc.property(parts, ({ spec, status, revision, name }) => {
      const workload = { ...applicationObject(), spec, status };
      const source = { ...applicationRevision(1, '1', { name }), spec: revision, status };
      const input = historyInputOf(application, workload, [source, ...three]);
      const history = historyOf(input);
      deriveStatus(application.facts({ ...input, history }));
      application.settings(input.workload);
      for (const { source: kept } of history.revisions) application.revisions?.notes?.(kept);
      const [first] = history.revisions;
      if (first === undefined) return;
      const { plan, findings } = application.writes.rollback({
        ...input,
        ...{
          currentTemplate: { application: spec },
          history,
          to: retainedTarget(first),
          template: readRecordedBody(revision),
        },
        ...{ reason: '', likeKubectl: false },
      });
      expect(plan === null).toBe(findings.some(({ severity }) => severity === 'refusal'));
    }),
  );
});

const plan = { rolloutBatches: [{ replicas: 1 }, { replicas: 2 }] };
const rollout = { rollingState: 'rollingInBatches', batchRollingState: 'batchReady', currentBatch: 0 };
const bodyOf = (spec: object) => ({ application: { components: [], ...spec } });

test.each([
  ['neither', {}, {}, []],
  ['a plan alone', {}, { rolloutPlan: plan }, [/which only KubeVela 1.0 and 1.1 use\.$/]],
  [
    'both',
    { rollout },
    { rolloutPlan: plan },
    [/Last reported state: rollingInBatches, batch 1 of 2, batchReady\.$/],
  ],
  ['a status without a plan', { rollout: { currentBatch: 'x' } }, {}, [/Last reported state: unknown\.$/]],
])('of an Application with %s, describes what KubeVela followed at the time', (_, status, spec, wanted) => {
  const told = describeEmbeddedRollout({ status }, bodyOf(spec));
  expect(told).toEqual(wanted.map((words) => expect.stringMatching(words) as string));
});
