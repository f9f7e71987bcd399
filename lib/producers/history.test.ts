import { expect, test } from 'vitest';
import { ownerKind } from '@/lib/producers/owner-kind';
import { otherRevisionLabelValues } from '@/lib/producers/revision-labels';
import {
  ownerOf,
  podTemplate,
  type RevisionInput,
  type ControllerCase,
  revisionsOf,
} from '@/lib/producers/testing/controller-cases';
import type { HistoryInput } from '@/lib/workloads/kind';
import { podSummaryOf } from '@/lib/pods/pod-block';
import { object, pod, parseSource, parseWorkload } from '@/lib/workloads/testing/objects';
import type { JsonObject } from '@/lib/kube/json';

const kind = ownerKind({
  id: 'fleets.example.com',
  group: 'example.com',
  versions: ['v1'],
  plural: 'fleets',
  kind: 'Fleet',
});

function revisions(...parts: (Partial<RevisionInput> & { name: string })[]): RevisionInput[] {
  return parts.map((own) => ({ revision: 1, data: { spec: { template: podTemplate('1') } }, ...own }));
}

function read(own: RevisionInput[], status: JsonObject = {}, extra: Partial<HistoryInput> = {}) {
  const row: ControllerCase = {
    title: '',
    owner: { apiVersion: 'example.com/v1', kind: 'Fleet', plural: 'fleets' },
    spec: {},
    status,
    revisions: own,
    expected: { groups: [], producer: null },
  };
  const owner = ownerOf(row);
  if (owner === null) throw new Error('no owner');
  const sources = revisionsOf(row).map((made) => parseSource(kind.source, made));
  const workload = parseWorkload(kind, owner);
  return kind.history({ workload, sources, orphans: [], pods: [], ...extra });
}

const podOf = (labels: Record<string, string>) => {
  const made = pod('p', { labels });
  return { ...podSummaryOf(made), revisionLabelValues: otherRevisionLabelValues(labels) };
};

test('revisions are ordered by number, then by time, then by name, whatever the numbers are', () => {
  const {
    revisions: found,
    gaps,
    warnings,
  } = read(
    revisions(
      { name: 'model-b', created: 5 },
      { name: 'model-a', created: 5 },
      { name: 'model-9', revision: 9, created: 1 },
      { name: 'model-0', revision: 0, created: 9 },
    ),
  );
  expect(found.map(({ name }) => name)).toEqual(['model-9', 'model-b', 'model-a', 'model-0']);
  expect(new Set(found.map(({ id }) => id)).size).toBe(4);
  expect(found.map(({ sharesNumber }) => sharesNumber)).toEqual([false, true, true, false]);
  expect({ gaps, warnings }).toEqual({ gaps: [], warnings: [] });
});

test.each([
  ['its full name', { 'controller-revision-hash': 'model-abc' }],
  ['the end of its name', { 'controller-revision-hash': 'abc' }],
  ['a value of a label that tells of a hash', { 'example.com/template-hash': 'h1' }],
])('a pod that names a revision by %s runs it', (_, labels) => {
  const own = revisions(
    { name: 'model-abc', labels: { 'x/hash': 'h1' } },
    { name: 'model-def', revision: 2 },
  );
  const history = read(own, {}, { pods: [podOf(labels)] });
  expect(history.revisions.map(({ name, live, pods }) => [name, live, pods.total])).toEqual([
    ['model-def', false, 0],
    ['model-abc', true, 1],
  ]);
  expect(history.livenessUnknown).toBeUndefined();
});

test('the workloads that the owner generated show which revisions are live, too', () => {
  const part = parseWorkload(
    kind,
    object('StatefulSet', { labels: { 'example.com/pool-revision': 'model-abc' } }),
  );
  const { revisions: found, livenessUnknown } = read(
    revisions({ name: 'model-abc' }, { name: 'model-def', revision: 2 }),
    {},
    { children: [part] },
  );
  expect(found.map(({ live }) => live)).toEqual([false, true]);
  expect(livenessUnknown).toBeUndefined();
});

test('pods that name no revision prove none live', () => {
  const history = read(revisions({ name: 'model-abc' }), {}, { pods: [podOf({ app: 'model-abc' })] });
  expect(history).toMatchObject({ livenessUnknown: true, targetAssumed: true, warnings: [] });
  expect(history.revisions[0]).toMatchObject({ live: false, target: true });
});

test.each<[string, JsonObject, string, true | undefined]>([
  ['names it', { updateRevision: 'model-abc', currentRevision: 'model-def' }, 'model-abc', undefined],
  ['gives the end of its name', { updatedRevision: 'abc' }, 'model-abc', undefined],
  ['gives a hash', { currentRevision: 'h1' }, 'model-abc', undefined],
  ['names one that is gone', { updateRevision: 'model-xyz' }, 'model-def', true],
  ['says nothing', {}, 'model-def', true],
  ['is empty', { updateRevision: '' }, 'model-def', true],
])('the target, where the status %s', (_, status, name, isAssumed) => {
  const own = revisions(
    { name: 'model-abc', labels: { 'x/hash': 'h1' } },
    { name: 'model-def', revision: 2 },
  );
  const { target, targetAssumed } = read(own, status);
  expect([target?.name, targetAssumed]).toEqual([name, isAssumed]);
});
