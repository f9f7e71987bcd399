import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import type { PlanResult, RollbackInput } from '@/lib/workloads/kind';
import { deployment } from '@/lib/workloads/kinds/deployment';
import { retainedTarget } from '@/lib/workloads/rollback-target';
import { cleanTemplate } from '@/lib/workloads/template-facts';
import {
  at,
  historyInputOf,
  object,
  type Parts,
  pod,
  replicaSet,
  template,
} from '@/lib/workloads/testing/objects';
import { applyPatch } from '@/lib/workloads/testing/patch';

const CAUSE = 'kubernetes.io/change-cause';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

interface Scene extends Parts {
  image?: string;
  spec?: JsonObject;
  sources?: KubeObject[];
  pods?: KubeObject[];
  to?: string;
  reason?: string;
  likeKubectl?: boolean;
}

function workload({ image = '43', spec, ...parts }: Scene): KubeObject {
  const body = { replicas: 12, template: template(image), ...spec };
  return object('Deployment', { uid: 'uid-workload', owner: null, ...parts }, { spec: body, status: {} });
}

const both = [replicaSet(42, '42'), replicaSet(43, '43', { created: 5 })];

function plan(scene: Scene): { planned: PlanResult; object: KubeObject; input: RollbackInput } {
  const live = workload(scene);
  const sources = scene.sources ?? both;
  const taken = historyInputOf(deployment, live, sources, scene.pods);
  const history = deployment.history(taken);
  const to = history.revisions.find(({ name }) => name === (scene.to ?? 'checkout-42'));
  const source = sources.find(({ metadata }) => metadata.name === to?.name);
  if (to === undefined || source === undefined) throw new Error('no such revision');
  const input: RollbackInput = {
    workload: taken.workload,
    currentTemplate: live.spec?.template as JsonObject,
    history,
    to: retainedTarget(to),
    template: cleanTemplate(source.spec?.template as JsonObject),
    pods: taken.pods,
    reason: scene.reason ?? '',
    likeKubectl: scene.likeKubectl ?? false,
  };
  return { planned: deployment.writes.rollback(input), object: live, input };
}

function apply({ planned, object: live }: ReturnType<typeof plan>, onto: KubeObject = live): JsonObject {
  if (planned.plan?.write.kind !== 'patch') throw new Error('refused');
  return applyPatch(onto as unknown as JsonObject, planned.plan.write.patch);
}

const codes = ({ planned }: ReturnType<typeof plan>) =>
  planned.findings.map(({ severity, code }) => `${severity} ${code}`);
const warnings = ({ planned }: ReturnType<typeof plan>) =>
  planned.findings.flatMap(({ severity, message }) => (severity === 'warning' ? [message] : []));
const steps = (scene: Scene) => plan(scene).planned.plan?.steps;
const onSet = (set: number, amount: number, parts = {}) =>
  Array.from({ length: amount }, (_, index) =>
    pod(`p-${set}-${index}`, { owner: `uid-checkout-${set}`, ...parts }),
  );

test('a return to the current release before its restart is allowed, with a warning', () => {
  const annotations = { 'kubectl.kubernetes.io/restartedAt': at(9) };
  const restarted = template('43', { metadata: { labels: { app: 'checkout' }, annotations } });
  const latest = replicaSet(44, '43', { created: 9 });
  latest.spec = { template: restarted };
  const scene = { sources: [...both, latest], spec: { template: restarted } };
  const planned = plan({ ...scene, to: 'checkout-43' });
  expect(planned.planned.plan).not.toBeNull();
  expect(warnings(planned)).toEqual([
    'Revision 43 is the same release as now: only the restart time differs.',
  ]);
  expect(codes(plan(scene))).not.toContain('warning same_release');
});

describe('the write', () => {
  test('sets the template of the ReplicaSet, without its hash, and writes the reason', () => {
    const planned = plan({
      reason: ' 43 loses baskets ',
      annotations: { [CAUSE]: 'the bad one', team: 'new' },
    });
    expect(apply(planned)).toMatchObject({
      metadata: {
        annotations: { [CAUSE]: 'rollback to revision 42 (was 43): 43 loses baskets', team: 'new' },
      },
      spec: { replicas: 12, template: template('42') },
    });
    expect(planned.planned.plan).toMatchObject({
      action: 'rollback',
      title: 'Roll back to rev 42 (42)',
      write: { path: '/apis/apps/v1/namespaces/shop/deployments/checkout' },
      needs: { verb: 'patch', group: 'apps', resource: 'deployments', namespace: 'shop', name: 'checkout' },
      kubectl: 'kubectl -n shop rollout undo deployment/checkout --to-revision=42',
    });
  });

  test('works on a Deployment without annotations and on one with only last-applied', () => {
    const cause = { [CAUSE]: 'rollback to revision 42 (was 43)' };
    const bare = plan({});
    delete bare.object.metadata.annotations;
    expect(apply(bare)).toMatchObject({ metadata: { annotations: cause } });
    expect(apply(plan({ annotations: { [LAST_APPLIED]: '{}' } }))).toMatchObject({
      metadata: { annotations: { ...cause, [LAST_APPLIED]: '{}' } },
    });
  });

  test.each([
    ['uid', (live: KubeObject) => void (live.metadata.uid = 'another')],
    ['template', (live: KubeObject) => void (live.spec = { ...live.spec, template: template('44') })],
    ['change-cause', (live: KubeObject) => void (live.metadata.annotations = { [CAUSE]: 'somebody else' })],
  ])('fails when the %s is not what the viewer saw', (_, change) => {
    const planned = plan({ annotations: { [CAUSE]: 'seen' } });
    const other = structuredClone(planned.object);
    change(other);
    expect(() => apply(planned, other)).toThrow();
  });

  test('ignores a scale, a status or another annotation in between', () => {
    const planned = plan({ annotations: { [CAUSE]: 'seen' } });
    const other = structuredClone(planned.object);
    other.spec = { ...other.spec, replicas: 99 };
    other.status = { replicas: 99 };
    other.metadata.annotations = { ...other.metadata.annotations, late: 'x' };
    expect(apply(planned, other)).toMatchObject({
      spec: { replicas: 99, template: template('42') },
      metadata: { annotations: { late: 'x' } },
    });
  });

  test('gives exactly the target template and keeps every other annotation, whatever they are', () => {
    const key = fc.constantFrom(
      'a',
      'b/c~d',
      CAUSE,
      LAST_APPLIED,
      'deployment.kubernetes.io/revision',
      '__proto__x',
      'team',
    );
    const annotations = fc.dictionary(key, fc.string());
    const json = fc.jsonValue() as fc.Arbitrary<JsonObject>;
    fc.assert(
      fc.property(annotations, annotations, json, json, (mine, theirs, before, after) => {
        const planned = plan({
          annotations: mine,
          spec: { template: template('43', { extra: before }) },
          sources: [
            {
              ...replicaSet(42, '42', { annotations: theirs }),
              spec: { template: template('42', { extra: after }) },
            },
            replicaSet(43, '43'),
          ],
        });
        const result = apply(planned) as unknown as KubeObject;
        expect(result.spec?.template).toEqual(template('42', { extra: after }));
        const { [CAUSE]: cause, ...others } = result.metadata.annotations ?? {};
        const { [CAUSE]: _before, ...expected } = mine;
        expect(others).toEqual(expected);
        expect(cause).toMatch(/^rollback to revision /);
      }),
    );
  });
});

describe('exactly like kubectl', () => {
  test('takes the annotations of the ReplicaSet, drops later ones, keeps those that are never copied', () => {
    const kept = {
      [LAST_APPLIED]: '{}',
      'deployment.kubernetes.io/revision': '43',
      'deployment.kubernetes.io/max-replicas': '15',
    };
    const planned = plan({
      likeKubectl: true,
      annotations: { a: '1', [CAUSE]: 'x', team: 'new', ...kept },
      sources: [
        replicaSet(42, '42', { annotations: { a: '0', [CAUSE]: 'y', [LAST_APPLIED]: 'old' } }),
        replicaSet(43, '43'),
      ],
    });
    expect((apply(planned) as unknown as KubeObject).metadata.annotations).toEqual({
      a: '0',
      [CAUSE]: 'y',
      ...kept,
    });
    expect(codes(planned)).toContain('warning annotations_dropped');
    expect(planned.planned.findings.find(({ code }) => code === 'annotations_dropped')?.message).toContain(
      'team',
    );
  });

  test('is what kubectl computes, whatever the annotations are', () => {
    const skipped = [
      LAST_APPLIED,
      'deployment.kubernetes.io/desired-replicas',
      'deprecated.deployment.rollback.to',
    ];
    const key = fc.constantFrom('a', 'b', CAUSE, ...skipped);
    const annotations = fc.dictionary(key, fc.constantFrom('1', '2'));
    fc.assert(
      fc.property(annotations, annotations, (mine, theirs) => {
        const planned = plan({
          likeKubectl: true,
          annotations: mine,
          sources: [replicaSet(42, '42', { annotations: theirs }), replicaSet(43, '43')],
        });
        const pick = (from: Record<string, string>, isSkipped: boolean) =>
          Object.fromEntries(Object.entries(from).filter(([name]) => skipped.includes(name) === isSkipped));
        const { 'deployment.kubernetes.io/revision': _number, ...result } =
          (apply(planned) as unknown as KubeObject).metadata.annotations ?? {};
        expect(result).toEqual({ ...pick(mine, true), ...pick(theirs, false) });
      }),
    );
  });
});

describe('refusals', () => {
  test.each([
    ['a paused Deployment', { spec: { paused: true } }, 'refusal paused'],
    ['an equal template', { image: '42' }, 'refusal equal_target'],
    ['a Deployment that is being deleted', { deleted: at(9) }, 'refusal deleting'],
    [
      'a ReplicaSet that is being deleted',
      { sources: [replicaSet(42, '42', { deleted: at(9) }), replicaSet(43, '43')] },
      'refusal target_gone',
    ],
  ] satisfies [string, Scene, string][])('%s', (_, scene, code) => {
    const planned = plan(scene);
    expect(planned.planned.plan).toBeNull();
    expect(codes(planned)).toContain(code);
    const refusal = planned.planned.findings.find(({ severity }) => severity === 'refusal');
    expect(refusal?.message).toMatch(/\.$|”\.$/);
  });

  test('a revision that left the history in the meantime', () => {
    const { input } = plan({});
    const history = {
      ...input.history,
      revisions: input.history.revisions.filter(({ id }) => id !== input.to.id),
    };
    expect(deployment.writes.rollback({ ...input, history }).findings[0]).toMatchObject({
      severity: 'refusal',
      code: 'target_gone',
    });
  });
});

describe('warnings', () => {
  const applied = (manager: string, operation = 'Apply') => ({
    managedFields: [
      { manager, operation, time: at(1), fieldsV1: { 'f:spec': { 'f:template': { 'f:spec': {} } } } },
    ],
  });

  test.each([
    [
      'Argo CD by its annotation',
      { annotations: { 'argocd.argoproj.io/tracking-id': 'x:apps/Deployment:shop/checkout' } },
      'gitops_owner',
    ],
    ['Argo CD by its manager', applied('argocd-controller'), 'gitops_owner'],
    ['Flux', { labels: { 'kustomize.toolkit.fluxcd.io/name': 'x' } }, 'gitops_owner'],
    ['Helm', { annotations: { 'meta.helm.sh/release-name': 'x' } }, 'helm_owner'],
    ['a controller', { owner: 'uid-rollout' }, 'owner_controller'],
    ['server-side apply', applied('ci'), 'apply_manager'],
    ['client-side apply', { annotations: { [LAST_APPLIED]: '{}' } }, 'last_applied'],
    ['a template that no revision records', { image: '44' }, 'pending_template'],
  ] satisfies [string, Scene, string][])('%s', (_, scene, code) => {
    const planned = plan(scene);
    expect(planned.planned.plan).not.toBeNull();
    expect(codes(planned)).toContain(`warning ${code}`);
    const warning = planned.planned.findings.find((finding) => finding.code === code);
    expect(warning?.action).toMatch(/\.$/);
  });

  test('an apply that does not write the template, or an update, is no owner', () => {
    const other = {
      managedFields: [{ manager: 'hpa', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:replicas': {} } } }],
    };
    expect(codes(plan(other))).toEqual(['passed no_owner']);
    expect(codes(plan(applied('kubectl-set', 'Update')))).toEqual(['passed no_owner']);
  });

  test('a shared number, and a copy that Kubernetes will use instead', () => {
    const shared = plan({
      to: 'b',
      sources: [
        replicaSet(42, '41', { name: 'a' }),
        replicaSet(42, '42', { name: 'b' }),
        replicaSet(43, '43'),
      ],
    });
    expect(codes(shared)).toContain('warning duplicate_number');
    const copy = plan({
      to: 'young',
      sources: [
        replicaSet(41, '42', { name: 'old' }),
        replicaSet(42, '42', { name: 'young', created: 1 }),
        replicaSet(43, '43'),
      ],
    });
    expect(copy.planned.findings.find(({ code }) => code === 'duplicate_template')?.message).toContain('old');
  });

  test('an inherited cause', () => {
    const caused = (number: number) =>
      replicaSet(number, String(number), { annotations: { [CAUSE]: 'same' } });
    expect(codes(plan({ sources: [caused(41), caused(42), replicaSet(43, '43')] }))).toContain(
      'info cause_inherited',
    );
  });
});

describe('what will happen', () => {
  test('counts the pods that start, stay and end', () => {
    expect(steps({ pods: [...onSet(42, 9), ...onSet(43, 6, { ready: false })] })).toEqual([
      'The ReplicaSet of revision 42 scales 9 → 12: 3 pods start, 9 keep running.',
      'The 6 pods of revision 43 terminate; none is ready, so capacity is not affected.',
      'maxSurge 3, maxUnavailable 3: 9–15 pods run at any time.',
      'Kubernetes renumbers revision 42 to 44; number 42 disappears from kubectl rollout history.',
    ]);
  });

  test('ends pods first under Recreate', () => {
    expect(steps({ spec: { strategy: { type: 'Recreate' }, replicas: 1 }, pods: onSet(43, 1) })).toEqual([
      'The pod of revision 43 terminates.',
      'The ReplicaSet of revision 42 scales 0 → 1: 1 pod starts after the others have terminated.',
      'Kubernetes renumbers revision 42 to 44; number 42 disappears from kubectl rollout history.',
    ]);
  });

  test('keeps no fewer pods serving than the strategy and the ready ones allow', () => {
    const phrases = (scene: Scene) => plan(scene).planned.plan?.capacity?.phrases;
    expect(phrases({ pods: onSet(43, 12) })).toEqual(['12 pods replaced', 'at least 9 serving']);
    expect(phrases({ pods: [...onSet(42, 9), ...onSet(43, 6, { ready: false })] })).toEqual([
      '3 pods replaced',
      'at least 9 serving',
    ]);
    expect(phrases({ pods: onSet(43, 12, { ready: false }) })).toEqual([
      '12 pods replaced',
      'none serving meanwhile',
    ]);
    expect(phrases({ spec: { strategy: { type: 'Recreate' } }, pods: onSet(43, 12) })).toEqual([
      '12 pods replaced',
      'none serving meanwhile',
    ]);
    expect(phrases({ pods: onSet(42, 12) })).toEqual(['No pod replaced']);
  });

  test('starts nothing when scaled to 0', () => {
    expect(steps({ spec: { replicas: 0 } })?.[0]).toBe(
      'The Deployment is scaled to 0: no pod starts or terminates.',
    );
  });

  test('keeps a number that is the highest already', () => {
    expect(steps({ image: '44', to: 'checkout-43' })?.at(-1)).toBe(
      'The template keeps its revision number, 43.',
    );
  });

  test('has no kubectl command for a revision that kubectl cannot address', () => {
    const unnumbered = plan({ to: 'checkout-none', sources: [replicaSet(null, '42'), replicaSet(43, '43')] });
    expect(unnumbered.planned.plan?.kubectl).toMatch(/^# kubectl rollout undo cannot address checkout-none/);
  });
});
