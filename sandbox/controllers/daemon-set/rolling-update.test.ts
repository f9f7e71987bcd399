import { describe, expect, test } from 'vitest';
import { leeway, nextMoves, type NodeState } from '@/sandbox/controllers/daemon-set/rolling-update';
import { daemonSet, pod, type PodFacts, T0 } from '@/sandbox/controllers/testing/objects';

const fresh = (name: string, facts: PodFacts = {}) =>
  pod(name, { ...facts, labels: { 'controller-revision-hash': 'new' } });
const old = (name: string, facts: PodFacts = {}) =>
  pod(name, { ...facts, labels: { 'controller-revision-hash': 'old' } });
const node = (name: string, ...pods: ReturnType<typeof pod>[]): NodeState => ({
  name,
  shouldRun: true,
  pods,
});

function moves(set: ReturnType<typeof daemonSet>, ...states: NodeState[]) {
  const { removed, nodes } = nextMoves(set, 'new', states, T0);
  return { removed: removed.map(({ metadata }) => metadata.name), nodes };
}

test.each([
  [1, 0, { surge: 0, unavailable: 1 }],
  ['34%', 0, { surge: 0, unavailable: 2 }],
  [0, '10%', { surge: 1, unavailable: 0 }],
  [0, 0, { surge: 0, unavailable: 1 }],
])('unavailable %s and surge %s on five nodes', (unavailable, surge, expected) => {
  expect(leeway(daemonSet(unavailable, surge), 5)).toEqual(expected);
});

describe('without a surge', () => {
  const set = daemonSet(1);

  test('replaces one available pod at a time', () => {
    expect(moves(set, node('a', old('a')), node('b', old('b')))).toEqual({ removed: ['a'], nodes: [] });
  });

  test('replaces no further pod while a new pod is not available or a node has none', () => {
    expect(moves(set, node('a', fresh('a', { readyAt: null })), node('b', old('b'))).removed).toEqual([]);
    expect(moves(set, node('a'), node('b', old('b'))).removed).toEqual([]);
    expect(moves(set, node('a', old('a', { deleting: true })), node('b', old('b'))).removed).toEqual([]);
  });

  test('replaces old pods that are not available at once, whatever the budget', () => {
    const broken = ['b', 'c'].map((name) => node(name, old(name, { readyAt: null })));
    expect(moves(set, node('a', old('a')), ...broken).removed).toEqual(['b', 'c']);
  });
});

describe('with a surge', () => {
  const set = daemonSet(0, 1);

  test('creates new pods first, on as many nodes as the surge allows', () => {
    expect(moves(set, node('a', old('a')), node('b', old('b')))).toEqual({ removed: [], nodes: ['a'] });
  });

  test('deletes the old pod when the new one is available, and continues with the next node', () => {
    const both = node('a', old('a'), fresh('a2'));
    expect(moves(set, both, node('b', old('b')))).toEqual({ removed: ['a'], nodes: ['b'] });
    const waiting = node('a', old('a'), fresh('a2', { readyAt: null }));
    expect(moves(set, waiting, node('b', old('b')))).toEqual({ removed: [], nodes: [] });
  });
});
