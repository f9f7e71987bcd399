import { describe, expect, test } from 'vitest';
import { diffTemplates } from '@/lib/diff/testing/diff-templates';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import type { WorkloadKind } from '@/lib/workloads/kind';
import { advancedDaemonSet } from '@/lib/workloads/kinds/advanced-daemon-set';
import { advancedStatefulSet } from '@/lib/workloads/kinds/advanced-stateful-set';
import { cloneSet } from '@/lib/workloads/kinds/clone-set';
import { daemonSet } from '@/lib/workloads/kinds/daemon-set';
import { deployment } from '@/lib/workloads/kinds/deployment';
import { statefulSet } from '@/lib/workloads/kinds/stateful-set';
import { retainedTarget } from '@/lib/workloads/rollback-target';
import { cleanTemplate } from '@/lib/workloads/template-facts';
import {
  controllerRevision,
  factsOf,
  historyInputOf,
  object,
  replicaSet,
  template,
} from '@/lib/workloads/testing/objects';
import { applyPatch } from '@/lib/workloads/testing/patch';

/** Kind, version of its objects, version that its revisions name as their owner's, label of their hash. */
const kinds: [string, WorkloadKind, string, string, string | null][] = [
  ['Deployment', deployment, 'v1', 'v1', null],
  ['StatefulSet', statefulSet, 'v1', 'v1', 'controller.kubernetes.io/hash'],
  ['DaemonSet', daemonSet, 'v1', 'v1', 'controller-revision-hash'],
  ['CloneSet', cloneSet, 'v1alpha1', 'v1alpha1', 'controller.kubernetes.io/hash'],
  ['CloneSet of 1.9', cloneSet, 'v1beta1', 'v1alpha1', 'controller.kubernetes.io/hash'],
  ['Advanced StatefulSet', advancedStatefulSet, 'v1beta1', 'v1beta1', 'controller.kubernetes.io/hash'],
  ['Advanced DaemonSet', advancedDaemonSet, 'v1alpha1', 'v1alpha1', 'controller-revision-hash'],
  ['Advanced DaemonSet of 1.9', advancedDaemonSet, 'v1beta1', 'v1alpha1', 'controller-revision-hash'],
];

function workloadOf(kind: WorkloadKind, version: string, live: JsonObject): KubeObject {
  const spec = { replicas: 3, selector: { matchLabels: { app: 'checkout' } }, template: live };
  return object(
    kind.resource.kind,
    { uid: 'uid-workload', owner: null, generation: 2 },
    {
      apiVersion: `${kind.resource.group}/${version}`,
      spec,
      status: { observedGeneration: 2, replicas: 3, updatedReplicas: 3, readyReplicas: 3 },
    },
  );
}

function sourceOf(
  { resource }: WorkloadKind,
  number: number,
  image: string,
  owner: string,
  label: string | null,
): KubeObject {
  if (label === null) return replicaSet(number, image, { name: `checkout-${image}` });
  const revision = controllerRevision(number, image, {
    labels: { app: 'checkout', [label]: image },
    template: template(image, { metadata: { labels: { app: 'checkout', 'pod-template-hash': image } } }),
  });
  const [reference] = revision.metadata.ownerReferences ?? [];
  if (reference !== undefined)
    Object.assign(reference, { apiVersion: `${resource.group}/${owner}`, kind: resource.kind });
  return revision;
}

function scene([, kind, version, owner, label]: (typeof kinds)[number], live: JsonObject = template('b')) {
  const workload = workloadOf(kind, version, live);
  // Number 1 is unused again: its template was used once more, as revision 3.
  const sources = [sourceOf(kind, 2, 'b', owner, label), sourceOf(kind, 3, 'a', owner, label)];
  const namesake = {
    ...sourceOf(kind, 9, 'x', owner, label),
    metadata: object('X', { name: 'checkout-x', owner: 'uid-of-another' }).metadata,
  };
  const input = historyInputOf(kind, workload, [...sources, namesake]);
  return { workload, input, history: kind.history(input) };
}

function rollBack(row: (typeof kinds)[number], live?: JsonObject, stored?: JsonObject) {
  const { workload, input, history } = scene(row, live);
  const [, kind] = row;
  const to = history.revisions.find(({ number }) => number === 3);
  if (to === undefined) throw new Error('no revision 3');
  const planned = kind.writes.rollback({
    ...input,
    currentTemplate: workload.spec?.template as JsonObject,
    history,
    to: { ...retainedTarget(to), ...(stored && { stored: factsOf(stored) }) },
    template: stored ?? template('a'),
    ...(stored && { requested: template('a') }),
    reason: '',
    likeKubectl: false,
  });
  return { planned, workload };
}

describe.each(kinds)('a %s', (...row) => {
  test('has the revisions that it owns by uid, whatever version they name, with the numbers as recorded', () => {
    expect(scene(row).history.revisions.map(({ number }) => number)).toEqual([3, 2]);
  });

  test('plans a rollback by the template that admission makes of it', () => {
    const stepsTo = (stored: JsonObject) => rollBack(row, undefined, stored).planned.plan?.steps.join(' ');
    expect(stepsTo(template('c'))).toMatch(/records this template as new revision 4\.$/);
    expect(stepsTo(template('c'))).not.toContain('revision 3');
    const { write, kubectl } = rollBack(row, undefined, template('c')).planned.plan ?? {};
    expect(kubectl).toBe(rollBack(row).planned.plan?.kubectl);
    expect(write?.kind === 'patch' && write.patch).toContainEqual({
      ...{ op: 'replace', path: '/spec/template', value: template('a') },
    });
    expect(stepsTo(template('a'))).toMatch(/keeps its revision number, 3\.$/);
    expect(rollBack(row, undefined, template('b')).planned).toMatchObject({
      plan: null,
      findings: expect.arrayContaining([
        expect.objectContaining({ severity: 'refusal', code: 'equal_target' }),
      ]) as unknown,
    });
  });

  test('rolls back by one patch that tests what the viewer saw and replaces the template alone', () => {
    const { planned, workload } = rollBack(row);
    const write = planned.plan?.write;
    const patch = write?.kind === 'patch' ? write.patch : [];
    // A Deployment's change cause is on the object itself and names the target.
    expect(patch.filter(({ path }) => !path.startsWith('/metadata/annotations'))).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'uid-workload' },
      { op: 'test', path: '/spec/template', value: template('b') },
      { op: 'replace', path: '/spec/template', value: template('a') },
    ]);
    expect(applyPatch(workload as unknown as JsonObject, patch)).toMatchObject({
      spec: { ...workload.spec, template: template('a') },
    });
    const moved = { ...workload, spec: { ...workload.spec, template: template('c') } };
    expect(() => applyPatch(moved as unknown as JsonObject, patch)).toThrow();
  });

  test('rejects a rollback to the template that it already has', () => {
    const { planned } = rollBack(row, template('a'));
    expect(planned.plan).toBeNull();
    expect(planned.findings.map(({ code }) => code)).toContain('equal_target');
  });
});

test('fields that controllers add to a template are no difference, and no revision of their own', () => {
  const plain = template('a');
  const noisy: JsonObject = {
    $patch: 'replace',
    metadata: { creationTimestamp: null, labels: { app: 'checkout', 'pod-template-hash': '5c9d' } },
    spec: { ...(plain.spec as JsonObject), restartPolicy: 'Always', terminationGracePeriodSeconds: 30 },
  };
  const none = { changes: [], equal: true };
  expect(diffTemplates(cleanTemplate(plain), cleanTemplate(noisy))).toMatchObject(none);
  expect(diffTemplates(cleanTemplate(noisy), cleanTemplate(plain))).toMatchObject(none);
});
