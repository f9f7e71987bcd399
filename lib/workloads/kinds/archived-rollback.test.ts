import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import type { PlanResult } from '@/lib/workloads/kind';
import { daemonSet } from '@/lib/workloads/kinds/daemon-set';
import { deployment } from '@/lib/workloads/kinds/deployment';
import { statefulSet } from '@/lib/workloads/kinds/stateful-set';
import type { TargetOrigin } from '@/lib/workloads/rollback-target';
import {
  controllerRevision,
  factsOf,
  historyInputOf,
  object,
  pod,
  replicaSet,
  template,
} from '@/lib/workloads/testing/objects';
import { applyPatch } from '@/lib/workloads/testing/patch';

const RECORDED = '2026-07-02T10:00:00Z';
const archive: TargetOrigin = { kind: 'archive', recordedAt: RECORDED, prunedAt: null };
const kinds = { Deployment: deployment, StatefulSet: statefulSet, DaemonSet: daemonSet };
type Kind = keyof typeof kinds;
const names = Object.keys(kinds) as Kind[];

interface Scene {
  body?: JsonObject;
  origin?: TargetOrigin;
  spec?: JsonObject;
  /** Revisions that the cluster has in addition to the target, 9; each is named by its image. */
  retained?: readonly number[];
  pods?: KubeObject[];
}

const carrier = (kind: Kind, number: number) => {
  const name = `checkout-${number}`;
  const parts = { name, created: number, labels: { 'controller-revision-hash': String(number) } };
  return kind === 'Deployment'
    ? replicaSet(number, String(number), parts)
    : controllerRevision(number, String(number), parts);
};

/** Rollback to revision 3, which only the archive has. */
function plan(kind: Kind, { body = template('3'), origin = archive, spec, retained = [], pods }: Scene) {
  const live = object(
    kind,
    { uid: 'uid-workload', owner: null },
    {
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'checkout' } },
        template: template('9'),
        ...spec,
      },
      status: { observedGeneration: 1, updateRevision: 'checkout-9', desiredNumberScheduled: 2 },
    },
  );
  const sources = [...retained, 9].map((number) => carrier(kind, number));
  const input = historyInputOf(kinds[kind], live, sources, pods);
  const planned = kinds[kind].writes.rollback({
    workload: input.workload,
    currentTemplate: live.spec?.template as JsonObject,
    history: kinds[kind].history(input),
    to: { id: 'uid-3', number: 3, name: 'checkout-3', facts: factsOf(body), origin },
    template: body,
    pods: input.pods,
    reason: '',
    likeKubectl: false,
  });
  return { ...planned, live };
}

const codes = ({ findings }: PlanResult) => findings.map(({ severity, code }) => `${severity} ${code}`);

describe.each(names)('a revision of a %s that only the archive has', (kind) => {
  test('is written by the same tested patch and becomes a new revision', () => {
    const { plan: planned, live, findings } = plan(kind, {});
    if (planned?.write.kind !== 'patch') throw new Error('refused');
    expect(applyPatch(live as unknown as JsonObject, planned.write.patch).spec).toEqual({
      ...live.spec,
      template: template('3'),
    });
    expect(planned.steps.at(-1)).toBe('Kubernetes records this template as new revision 10.');
    expect(planned.kubectl).toMatch(/^# kubectl rollout undo cannot roll back to revision 3/);
    expect(codes({ plan: planned, findings })).toContain('info from_archive');
  });

  test('uses a revision with the same template, where the cluster has one', () => {
    const planned = plan(kind, { body: template('5'), retained: [5] });
    expect(codes(planned)).toContain('info retained_equal');
    expect(planned.plan?.steps.at(-1)).toMatch(/renumbers revision 5 to 10/);
    expect(planned.plan?.kubectl).toMatch(/--to-revision=5$/);
  });

  test('is rejected where it equals the current template', () => {
    const planned = plan(kind, { body: template('9') });
    expect(planned.plan).toBeNull();
    expect(codes(planned)).toContain('refusal equal_target');
    expect(codes(planned)).not.toContain('info retained_equal');
  });

  test('is rejected where the selector does not match its labels', () => {
    const planned = plan(kind, {
      spec: { selector: { matchExpressions: [{ key: 'tier', operator: 'Exists' }] } },
    });
    expect(planned.plan).toBeNull();
    expect(planned.findings[0]).toMatchObject({
      code: 'selector_mismatch',
      message: expect.stringContaining('has app=checkout, which the selector of checkout (tier)') as string,
    });
  });

  test('of an earlier incarnation has a warning, also where its end was not observed', () => {
    const origin: TargetOrigin = {
      kind: 'earlierIncarnation',
      recordedAt: RECORDED,
      prunedAt: null,
      deletedAt: null,
    };
    const planned = plan(kind, { origin });
    expect(planned.plan?.title).toBe('Roll back to rev 3 (3) of an earlier object');
    const warning = planned.findings.find(({ code }) => code === 'earlier_life');
    expect(warning?.message).toMatch(
      /^Revision 3 belongs to an earlier object with this name, which no longer exists\./,
    );
  });
});

describe('the claims of a StatefulSet', () => {
  const mounting = (mounts: JsonObject[], more: JsonObject = {}): JsonObject => ({
    metadata: { labels: { app: 'checkout' } },
    spec: {
      containers: [{ name: 'app', image: 'checkout:3', volumeMounts: mounts }],
      volumes: [{ name: 'config' }],
      ...more,
    },
  });
  const spec = { volumeClaimTemplates: [{ metadata: { name: 'data' } }] };

  test('that are mounted exist', () => {
    const body = mounting([{ name: 'data' }, { name: 'config' }]);
    expect(plan('StatefulSet', { body, spec }).plan).not.toBeNull();
  });

  test.each([
    ['mount', mounting([{ name: 'wal' }])],
    ['device', mounting([], { initContainers: [{ name: 'a', volumeDevices: [{ name: 'wal' }] }] })],
  ])('reject the rollback when a %s needs them and the set no longer has them', (_, body) => {
    const planned = plan('StatefulSet', { body, spec });
    expect(codes(planned)).toContain('refusal missing_claim_template');
    expect(planned.findings.find(({ severity }) => severity === 'refusal')?.message).toContain('mounts wal,');
  });
});

test('pods of an equal revision are not counted as replaced', () => {
  const on = (name: string, number: number) =>
    pod(name, { labels: { 'controller-revision-hash': `checkout-${number}` } });
  const pods = [on('checkout-0', 5), on('checkout-1', 9)];
  const { plan: planned } = plan('StatefulSet', { body: template('5'), retained: [5], pods });
  expect(planned?.steps.slice(0, 2)).toEqual([
    '1 pod (checkout-1) is replaced by a pod of revision 3, highest ordinal first, each after the previous one is ready.',
    '1 other pod keeps running.',
  ]);
});
