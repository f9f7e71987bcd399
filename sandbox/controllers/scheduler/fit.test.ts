import { describe, expect, test } from 'vitest';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeNode, type NodeSpec } from '@/sandbox/controllers/objects/node';
import { targetNode } from '@/sandbox/controllers/objects/node-fit';
import { type Pod, type PodSpec } from '@/sandbox/controllers/objects/pod';
import { explain, misfits, amountsOf, requestsOf } from '@/sandbox/controllers/scheduler/fit';

import { pod } from '@/sandbox/controllers/testing/objects';

function node(
  name: string,
  spec: NodeSpec = {},
  allocatable = { cpu: '4', memory: '8Gi', pods: '3' },
): KubeNode {
  const metadata = { name, uid: name, resourceVersion: '1', creationTimestamp: '', labels: { zone: 'a' } };
  return { apiVersion: 'v1', kind: 'Node', metadata, spec, status: { allocatable } };
}

function asking(requests: Record<string, string>, more: Partial<PodSpec> = {}): Pod {
  const base = pod('web');
  const containers = [{ name: 'app', image: 'web:1', resources: { requests } }];
  return { ...base, spec: { containers, ...more } };
}

const required = (term: JsonObject) => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } },
});
const reasons = (candidate: Pod, on: KubeNode, present: Pod[] = []) =>
  misfits(candidate, on, present).map(({ reason }) => reason);

describe('room on a node', () => {
  const big = asking({ cpu: '3', memory: '1Gi' });

  test('excludes what other pods use', () => {
    expect(reasons(big, node('a'))).toEqual([]);
    expect(reasons(big, node('a'), [asking({ cpu: '1500m' })])).toEqual(['Insufficient cpu']);
    const ended = { ...asking({ cpu: '4' }), status: { phase: 'Succeeded' } };
    expect(reasons(big, node('a'), [ended])).toEqual([]);
  });

  test('ends with the number of pods, and is none for a resource that a node does not have', () => {
    const three = [pod('a'), pod('b'), pod('c')];
    expect(reasons(asking({}), node('a'), three)).toEqual(['Too many pods']);
    expect(reasons(asking({ 'example.com/gpu': '1' }), node('a'))).toEqual(['Insufficient example.com/gpu']);
  });
});

test('a pod needs the sum of its containers, or what an init container needs alone if that is more', () => {
  const container = (cpu: string, restartPolicy?: string) => ({
    name: cpu,
    resources: { requests: { cpu } },
    ...(restartPolicy === undefined ? {} : { restartPolicy }),
  });
  const spec = { containers: [container('1'), container('500m')], initContainers: [container('3')] };
  expect(requestsOf(spec)).toEqual(amountsOf({ cpu: '3' }));
  const sidecar = { ...spec, initContainers: [container('2', 'Always')], overhead: { cpu: '0.1' } };
  expect(requestsOf(sidecar)).toEqual(amountsOf({ cpu: '3600m' }));
});

describe('a node is filtered out', () => {
  const taint = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' };

  test.each<[string, KubeNode, Partial<PodSpec>]>([
    ['node(s) were unschedulable', node('a', { unschedulable: true }), {}],
    ['node(s) had untolerated taint(s)', node('a', { taints: [taint] }), {}],
    ["node(s) didn't match Pod's node affinity/selector", node('a'), { nodeSelector: { zone: 'b' } }],
    [
      "node(s) didn't match Pod's node affinity/selector",
      node('a'),
      { affinity: required({ matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['a'] }] }) },
    ],
  ])('%s', (reason, on, spec) => {
    expect(reasons(asking({}, spec), on)).toEqual([reason]);
  });

  test('unless the pod tolerates it', () => {
    const tolerations = [{ key: 'dedicated', operator: 'Equal', value: 'gpu' }];
    expect(reasons(asking({}, { tolerations }), node('a', { taints: [taint] }))).toEqual([]);
    const everything = [{ operator: 'Exists' }];
    expect(reasons(asking({}, { tolerations: everything }), node('a', { unschedulable: true }))).toEqual([]);
  });
});

test('the pod of a daemon names its node', () => {
  const field = { key: 'metadata.name', operator: 'In', values: ['b'] };
  const spec = asking({}, { affinity: required({ matchFields: [field] }) }).spec;
  expect(targetNode(spec)).toBe('b');
  expect(reasons({ ...pod('x'), spec }, node('b'))).toEqual([]);
  expect(reasons({ ...pod('x'), spec }, node('c'))).toHaveLength(1);
  expect(targetNode(asking({}).spec)).toBeUndefined();
});

test('the verdict uses the words of the scheduler', () => {
  const insufficient = { reason: 'Insufficient cpu', final: true };
  const full = { reason: 'Too many pods', final: false };
  expect(explain([[insufficient], [insufficient], [full]])).toBe(
    '0/3 nodes are available: 1 Too many pods, 2 Insufficient cpu. no new claims to deallocate, ' +
      'preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, ' +
      '2 Preemption is not helpful for scheduling.',
  );
  expect(explain([])).toBe('no nodes available to schedule pods');
});
