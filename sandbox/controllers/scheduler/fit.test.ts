import { expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import { type KubeNode, type NodeSpec, targetNode } from '@/sandbox/controllers/objects/node';
import type { Pod, PodSpec } from '@/sandbox/controllers/objects/pod';
import { misfits } from '@/sandbox/controllers/scheduler/fit';
import { pod } from '@/sandbox/controllers/testing/objects';

function node(name: string, spec: NodeSpec = {}): KubeNode {
  const metadata = { name, uid: name, resourceVersion: '1', creationTimestamp: '', labels: { zone: 'a' } };
  const allocatable = { cpu: '4', memory: '8Gi', pods: '3' };
  return { apiVersion: 'v1', kind: 'Node', metadata, spec, status: { allocatable } };
}

function asking(requests: Record<string, string>, more: Partial<PodSpec> = {}): Pod {
  const containers = [{ name: 'app', image: 'web:1', resources: { requests } }];
  return { ...pod('web'), spec: { containers, ...more } };
}

const required = (term: JsonObject) => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } },
});
const taint = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' };
const tolerations = [{ key: 'dedicated', operator: 'Equal', value: 'gpu' }];
const elsewhere = required({ matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['a'] }] });
const MISMATCH = "node(s) didn't match Pod's node affinity/selector";

test.each<[reasons: string[], candidate: Pod, on: KubeNode, present: Pod[]]>([
  [[], asking({ cpu: '3' }), node('a'), [{ ...asking({ cpu: '4' }), status: { phase: 'Succeeded' } }]],
  [['Insufficient cpu'], asking({ cpu: '3' }), node('a'), [asking({ cpu: '1500m' })]],
  [['Insufficient example.com/gpu'], asking({ 'example.com/gpu': '1' }), node('a'), []],
  [['Too many pods'], asking({}), node('a'), [pod('a'), pod('b'), pod('c')]],
  [['node(s) were unschedulable'], asking({}), node('a', { unschedulable: true }), []],
  [[], asking({}, { tolerations: [{ operator: 'Exists' }] }), node('a', { unschedulable: true }), []],
  [['node(s) had untolerated taint(s)'], asking({}), node('a', { taints: [taint] }), []],
  [[], asking({}, { tolerations }), node('a', { taints: [taint] }), []],
  [[MISMATCH], asking({}, { nodeSelector: { zone: 'b' } }), node('a'), []],
  [[MISMATCH], asking({}, { affinity: elsewhere }), node('a'), []],
])('why a node does not take a pod: %j', (reasons, candidate, on, present) => {
  expect(misfits(candidate, on, present).map(({ reason }) => reason)).toEqual(reasons);
});

test('the pod of a daemon names its node', () => {
  const field = { key: 'metadata.name', operator: 'In', values: ['b'] };
  const daemon = asking({}, { affinity: required({ matchFields: [field] }) });
  expect(targetNode(daemon.spec)).toBe('b');
  expect([node('b'), node('c')].map((on) => misfits(daemon, on, []).length)).toEqual([0, 1]);
});
