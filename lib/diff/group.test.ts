import { describe, expect, test } from 'vitest';
import { diffTemplates } from '@/lib/diff/testing/diff-templates';
import { semanticText } from '@/lib/diff/normalize';
import type { JsonObject } from '@/lib/kube/json';

const pods = (image: string, extra: JsonObject = {}): JsonObject => ({
  spec: { containers: [{ name: 'vllm', image, ...extra }] },
});

function group(members: JsonObject = {}, networkConfig?: JsonObject): JsonObject {
  return {
    leaderWorkerTemplate: { size: 4, workerTemplate: pods('vllm:1'), ...members },
    ...(networkConfig && { networkConfig }),
  };
}

const leader = { leaderTemplate: pods('vllm:1-leader') };
const labels = (before: JsonObject, after: JsonObject) =>
  diffTemplates(before, after).changes.map(({ label, container, beforeText, afterText }) => [
    container,
    label,
    beforeText,
    afterText,
  ]);

describe('two templates of groups', () => {
  test('without a leader template are described like those of pods', () => {
    const diff = diffTemplates(group(), group({ workerTemplate: pods('vllm:2') }));
    expect(diff.summary).toBe('image 1 → 2');
    expect(diff.changes).toMatchObject([
      {
        path: 'leaderWorkerTemplate.workerTemplate.spec.containers[vllm].image',
        container: 'vllm',
        concern: 'image',
      },
    ]);
  });

  test('with one name the role of the container', () => {
    const after = group({
      leaderTemplate: pods('vllm:2-leader', { env: [{ name: 'A', value: '1' }] }),
      workerTemplate: pods('vllm:2'),
    });
    expect(labels(group(leader), after)).toEqual([
      ['leader/vllm', 'image', 'vllm:1-leader', 'vllm:2-leader'],
      ['leader/vllm', 'env A', null, '1'],
      ['worker/vllm', 'image', 'vllm:1', 'vllm:2'],
    ]);
    expect(diffTemplates(group(leader), after).summary).toBe(
      'leader/vllm image 1-leader → 2-leader; worker/vllm image 1 → 2; leader/vllm env A added',
    );
  });

  test('name the pods that a setting of the pod concerns', () => {
    const after = group({
      ...leader,
      workerTemplate: { ...pods('vllm:1'), metadata: { labels: { app: 'b' } } },
    });
    expect(labels(group(leader), after)).toEqual([[null, 'worker label app', null, 'b']]);
  });

  test('describe an added or removed leader template as one change', () => {
    const change = diffTemplates(group(), group(leader)).changes;
    expect(change).toMatchObject([
      {
        label: 'leader template',
        kind: 'added',
        afterText: 'vllm:1-leader',
        note: 'leaders used the worker template before',
      },
    ]);
    expect(diffTemplates(group(leader), group()).changes).toMatchObject([
      { kind: 'removed', beforeText: 'vllm:1-leader' },
    ]);
  });

  test('show a leader template of a wrong type as it is', () => {
    const [change] = diffTemplates(group({ leaderTemplate: 'a' }), group({ leaderTemplate: 5 })).changes;
    expect(change).toMatchObject({ label: 'leader template', beforeText: 'a', afterText: '5' });
  });

  test('name size, sub-groups, network and claims, with their risks', () => {
    const claim = (storage: string) => ({
      volumeClaimTemplates: [
        { metadata: { name: 'cache' }, spec: { resources: { requests: { storage } } }, status: {} },
      ],
    });
    const before = group({
      ...claim('10Gi'),
      subGroupPolicy: { subGroupSize: 2, subGroupPolicyType: 'LeaderWorker' },
    });
    const after = group(
      { ...claim('20Gi'), size: 8, subGroupPolicy: { subGroupSize: 4 } },
      { subdomainPolicy: 'UniquePerReplica' },
    );
    const { changes, summary } = diffTemplates(before, after);
    expect(changes.map(({ label, beforeText, afterText }) => [label, beforeText, afterText]).sort()).toEqual([
      ['claim template cache storage', '10Gi', '20Gi'],
      ['group size', '4', '8'],
      ['subdomain policy', 'Shared', 'UniquePerReplica'],
      ['subgroup size', '2', '4'],
    ]);
    expect(changes.find(({ label }) => label === 'group size')?.risk?.code).toBe('groups_rebuilt');
    expect(summary).toContain('group size 4 → 8');
  });

  test('with a restart of both templates alone are a restart only', () => {
    const at = (time: string) => ({
      metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': time } },
    });
    const parts = (time: string) =>
      group({
        leaderTemplate: { ...pods('a'), ...at(time) },
        workerTemplate: { ...pods('b'), ...at(time) },
      });
    expect(diffTemplates(parts('1'), parts('2'))).toMatchObject({
      restartOnly: true,
      summary: 'restart only',
    });
  });
});

describe('mean the same', () => {
  const plain = group({ restartPolicy: 'RecreateGroupOnPodRestart' }, { subdomainPolicy: 'Shared' });

  test.each([
    ['an absent network and the shared one', group()],
    [
      'what an older client wrote as null',
      group({ workerTemplate: { metadata: { creationTimestamp: null }, ...pods('vllm:1') } }),
    ],
    [
      'empty objects and absent ones',
      group({
        workerTemplate: { metadata: {}, ...pods('vllm:1', { resources: {} }) },
        volumeClaimTemplates: [],
      }),
    ],
  ])('%s', (_name, other) => {
    expect(semanticText(other)).toBe(semanticText(plain));
    const diff = diffTemplates(plain, other);
    expect(diff).toMatchObject({ equal: true, rawEqual: false, summary: 'no change' });
    expect(diff.explanation).toContain('LeaderWorkerSet before 0.9');
  });
});
