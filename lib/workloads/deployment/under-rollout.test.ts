import { deriveStatus } from '@/lib/messages/workload-status';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import { podSummaryOf } from '@/lib/pods/pod-block';
import type { Finding } from '@/lib/workloads/plan';
import { deployment } from '@/lib/workloads/kinds/deployment';
import { checkOwners, ownerItems } from '@/lib/workloads/owner-checks';
import { retainedTarget } from '@/lib/workloads/rollback-target';
import { at, historyInputOf, object, pod, replicaSet, template } from '@/lib/workloads/testing/objects';

const MARK = 'rollouts.kruise.io/';
const inProgress = { [`${MARK}in-progressing`]: '{"rolloutName":"web-ro"}' };
const inSteps = {
  ...inProgress,
  [`${MARK}deployment-strategy`]:
    '{"rollingStyle":"Partition","rollingUpdate":{"maxUnavailable":"25%","maxSurge":1},"partition":"25%"}',
};
const blueGreen = {
  ...inProgress,
  [`${MARK}original-deployment-strategy`]: '{"maxUnavailable":"10%","maxSurge":"20%"}',
};

/** A Deployment with revisions 1 and 2, and a current template of `image`. */
function scene(annotations: Record<string, string>, image: string, spec: JsonObject = {}) {
  const live = object(
    'Deployment',
    {
      uid: 'uid-workload',
      owner: null,
      name: 'web',
      annotations,
      labels: { [`${MARK}stable-revision`]: 'web-1' },
    },
    {
      spec: { replicas: 4, paused: true, template: template(image), ...spec },
      status: {
        observedGeneration: 1,
        replicas: 4,
        readyReplicas: 4,
        availableReplicas: 4,
        updatedReplicas: 1,
      },
    },
  );
  const sources = [1, 2].map((revision) => {
    const set = replicaSet(revision, String(revision), {
      name: `web-${revision}`,
      replicas: revision === 1 ? 3 : 1,
    });
    return { ...set, metadata: { ...set.metadata, labels: { 'pod-template-hash': `web-${revision}` } } };
  });
  const input = historyInputOf(deployment, live, sources);
  const history = deployment.history(input);
  return { ...input, history, currentTemplate: template(image) };
}

const codes = (findings: readonly Finding[], severity: Finding['severity']) =>
  findings.flatMap((finding) => (finding.severity === severity ? [finding.code] : []));

describe('a Deployment that a Rollout moves', () => {
  test.each([
    [inSteps, { type: 'Recreate' }, 'In steps, 25% updated, surge 1, unavailable 25%'],
    [blueGreen, { rollingUpdate: { maxSurge: '100%' } }, 'Blue-green, surge 20%, unavailable 10%'],
    [inProgress, { type: 'Recreate' }, 'Recreate'],
    [{ [`${MARK}deployment-strategy`]: 'broken' }, {}, 'RollingUpdate, surge 25%, unavailable 25%'],
  ])('reads the strategy from its annotations while it has them', (annotations, strategy, words) => {
    expect(deployment.settings(scene(annotations, '2', { strategy }).workload).strategy).toBe(words);
  });

  test('allows the surge that the Rollout saved in its annotations, and none with Recreate', () => {
    const surgeOf = (annotations: Record<string, string>, strategy: JsonObject) =>
      deployment.settings(scene(annotations, '2', { strategy }).workload).surgePods;
    expect(surgeOf(inSteps, { type: 'Recreate' })).toBe(1);
    expect(surgeOf(blueGreen, { type: 'RollingUpdate', rollingUpdate: { maxSurge: '100%' } })).toBe(1);
    expect(surgeOf(inProgress, { type: 'Recreate' })).toBe(0);
  });

  test('is held by the Rollout, and not paused', () => {
    const parts = scene(inSteps, '2', { strategy: { type: 'Recreate' } });
    expect(deriveStatus(deployment.facts(parts))).toMatchObject({
      state: 'held',
      message: 'Rollout web-ro: 1 of 4 pods on revision 2',
      sentence:
        'Rollout web-ro updates the pods in steps: 1 of 4 pods runs revision 2, 4 of 4 pods are ready. Revision 1 still serves with 3 of 4 pods.',
    });
    expect(deployment.settings(parts.workload).isPaused).toBe(false);
    expect(deployment.settings(scene({}, '2').workload).isPaused).toBe(true);
  });

  test('is stuck by the pods that the Rollout created', () => {
    const parts = scene(inSteps, '2');
    const broken = pod('web-2-x', { owner: 'uid-web-2', waiting: 'ImagePullBackOff' });
    const input = { ...parts, pods: [podSummaryOf(broken)] };
    expect(deriveStatus(deployment.facts({ ...input, history: deployment.history(input) }))).toMatchObject({
      state: 'stuck',
      message: 'the only pod of revision 2 is not ready; the image of app cannot be pulled',
    });
  });

  test('with a canary reports that its own template is not recorded yet', () => {
    expect(deriveStatus(deployment.facts(scene(inProgress, '3')))).toMatchObject({
      state: 'held',
      message: 'Rollout web-ro runs the new template on separate pods first; 4 of 4 ready',
    });
  });

  function rollBack(
    annotations: Record<string, string>,
    image: string,
    to: number,
    likeKubectl = false,
    rollsBackInSteps = false,
  ) {
    const parts = scene(annotations, image);
    const revision = parts.history.revisions.find(({ number }) => number === to);
    if (revision === undefined) throw new Error('no such revision');
    return deployment.writes.rollback({
      ...parts,
      to: retainedTarget(revision),
      template: template(String(to)),
      reason: '',
      likeKubectl,
      rollsBackInSteps,
    });
  }

  test('rolls back step by step, also to the stable revision, where its Rollout rolls back in batches', () => {
    const { plan, findings } = rollBack(inProgress, '3', 1, false, true);
    expect(codes(findings, 'info')).not.toContain('ends_rollout');
    expect(codes(findings, 'warning')).toContain('continues_rollout');
    expect(plan?.steps[0]).toBe(
      'The Deployment stays paused, and Rollout web-ro starts a rollout of revision 1 with its first step.',
    );
  });

  test('rolls back although it is paused; to the stable revision this ends the rollout', () => {
    const { plan, findings } = rollBack(inProgress, '3', 1);
    expect(codes(findings, 'refusal')).toEqual([]);
    expect(codes(findings, 'info')).toEqual(['ends_rollout']);
    expect(plan?.steps[0]).toBe(
      'Rollout web-ro ends, terminates the pods that it started and resumes the Deployment on revision 1.',
    );
    expect(plan?.write).toMatchObject({
      patch: [
        { op: 'test', path: '/metadata/uid' },
        { op: 'test', path: '/spec/template', value: template('3') },
        { op: 'replace', path: '/spec/template', value: template('1') },
        {},
        {},
      ],
    });
  });

  test('starts another rollout, with steps, for any other revision', () => {
    const { plan, findings } = rollBack(inProgress, '3', 2);
    expect(codes(findings, 'warning')).toContain('continues_rollout');
    expect(plan?.steps[0]).toBe(
      'The Deployment stays paused, and Rollout web-ro starts a rollout of revision 2 with its first step.',
    );
  });

  test('rejects a rollback as before when a person paused it', () => {
    expect(codes(rollBack({}, '2', 1).findings, 'refusal')).toEqual(['paused']);
  });

  test('keeps the annotations of the Rollout also where the others are restored', () => {
    const { plan } = rollBack({ ...inProgress, team: 'x' }, '3', 1, true);
    const paths = plan?.write.kind === 'patch' ? plan.write.patch.map(({ path }) => path) : [];
    expect(paths).toContain('/metadata/annotations/team');
    expect(paths.join()).not.toContain('in-progressing');
  });

  test.each(['pause', 'resume', 'restart'] as const)('leaves %s to the Rollout, and names it', (action) => {
    const planned = deployment.writes[action]?.({ ...scene(inProgress, '2'), now: at(30) });
    expect(codes(planned?.findings ?? [], 'refusal')).toEqual(['rollout_steers']);
    expect(planned?.findings.find(({ code }) => code === 'rollout_steers')).toMatchObject({
      message: expect.stringContaining('Rollout web-ro') as string,
    });
  });

  test('is owned by the Rollout, under its name', () => {
    const { workload } = scene(inProgress, '2');
    expect(ownerItems([], workload, 0)).toMatchObject([{ tool: 'OpenKruise Rollout', name: 'web-ro' }]);
    expect(checkOwners(workload)[0]?.message).toBe(
      'OpenKruise Rollout web-ro is updating this workload in steps.',
    );
  });
});

test('a Deployment that a Rollout created for its canary is a child of another one', () => {
  const part = (labels: Record<string, string>) =>
    deployment.parentOf?.(
      historyInputOf(deployment, object('Deployment', { name: 'web-4zrds', labels }), []).workload,
    );
  expect(part({ [`${MARK}canary-deployment`]: 'web' })).toEqual({
    resource: 'deployments.apps',
    name: 'web',
  });
  expect(part({ app: 'web' })).toBeNull();
});
