import { describe, expect, test } from 'vitest';
import { diffTemplates } from '@/lib/diff/testing/diff-templates';
import { chooseDefaultTarget } from '@/lib/history/default-target';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import type { WorkloadKind } from '@/lib/workloads/kind';
import { retainedTarget } from '@/lib/workloads/rollback-target';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import { at, historyInputOf, object, template } from '@/lib/workloads/testing/objects';

const kinds = workloadKinds.filter(({ source }) => source === controllerRevisions);

function revisionOf({ resource }: WorkloadKind, revision: number, data?: JsonObject): KubeObject {
  const made = object('ControllerRevision', { name: `checkout-${revision}`, created: revision });
  const apiVersion = `${resource.group}/${resource.versions[0] ?? 'v1'}`;
  const ownerReferences = made.metadata.ownerReferences?.map((owner) => ({
    ...owner,
    apiVersion,
    kind: resource.kind,
  }));
  return {
    ...made,
    metadata: { ...made.metadata, ...(ownerReferences && { ownerReferences }) },
    revision,
    ...(data && { data }),
  };
}

function readHistory(kind: WorkloadKind) {
  const owner = {
    ...object(kind.resource.kind, { uid: 'uid-workload', owner: null }),
    apiVersion: `${kind.resource.group}/${kind.resource.versions[0] ?? 'v1'}`,
    spec: { template: template('9'), leaderWorkerTemplate: { size: 2, workerTemplate: template('9') } },
  };
  const sources = [
    revisionOf(kind, 1),
    revisionOf(kind, 2, {}),
    revisionOf(kind, 3, { spec: { template: 'x' } }),
    revisionOf(kind, 4, { novel: [{ a: 1 }] }),
  ];
  const input = historyInputOf(kind, owner, sources);
  return { input, sources, history: kind.history(input) };
}

describe.each(kinds.map((kind) => [kind.resource.id, kind] as const))('of %s', (_, kind) => {
  test('a revision without a template is in the history, with its content and why it can’t be read', () => {
    const { history, sources } = readHistory(kind);
    expect(history.revisions.map(({ name }) => name)).toEqual([
      'checkout-4',
      'checkout-3',
      'checkout-2',
      'checkout-1',
    ]);
    expect(sources.map((source) => controllerRevisions.faultOf?.(source))).toEqual([
      'This revision has no data.',
      ...Array.from({ length: 3 }, () => expect.stringMatching(/has no pod template/) as string),
    ]);
    expect(sources.map((source) => controllerRevisions.templateOf(source))).toEqual([
      { data: null },
      { data: {} },
      { data: { spec: { template: 'x' } } },
      { data: { novel: [{ a: 1 }] } },
    ]);
    expect(history.target).toBeNull();
  });

  test('it is never a rollback target, neither by default nor by name, nor when only the archive has it', () => {
    const { history, input } = readHistory(kind);
    const [revision] = history.revisions;
    if (revision === undefined) throw new Error('no revision');
    const present = { template: template('9') };
    const asked = {
      workload: input.workload,
      currentTemplate: present,
      history,
      pods: [],
      reason: '',
      likeKubectl: false,
    };
    const retained = retainedTarget(revision);
    const archived = {
      ...retained,
      origin: { kind: 'archive', recordedAt: '2026-08-01T12:00:00Z', prunedAt: null } as const,
    };
    for (const to of [retained, archived]) {
      const planned = kind.writes.rollback({ ...asked, to, template: { data: { novel: [{ a: 1 }] } } });
      expect(planned.plan).toBeNull();
      expect(planned.findings.map(({ code }) => code)).toContain('unreadable_revision');
    }
  });
});

test('a revision that holds a template has no fault, nor has one of an owner that records something else', () => {
  const [kind] = kinds;
  if (kind === undefined) throw new Error('no kind');
  expect(
    controllerRevisions.faultOf?.(revisionOf(kind, 1, { spec: { template: template('1') } })),
  ).toBeUndefined();
  const fleet = revisionOf(kind, 1, { novel: 1 });
  fleet.metadata.ownerReferences = [
    { apiVersion: 'example.com/v1', kind: 'Fleet', name: 'a', uid: 'u', controller: true },
  ];
  expect(controllerRevisions.faultOf?.(fleet)).toBeUndefined();
});

test('it can be compared with a template, as far as that is meaningful', () => {
  const sides: JsonObject[] = [template('1'), { data: { novel: [1] } }, { data: null }];
  for (const before of sides)
    for (const after of sides) expect(diffTemplates(before, after).changes.length > 0).toBe(before !== after);
});

test('it is not offered', () => {
  const [kind] = kinds;
  if (kind === undefined) throw new Error('no kind');
  const { history, input } = readHistory(kind);
  expect(chooseDefaultTarget(history, kind.previous(history), input.workload)).toBeNull();
});

test('a late one with a low number does not determine when the others were active', () => {
  const kind = kinds.find(({ resource }) => resource.id === 'statefulsets.apps');
  if (kind === undefined) throw new Error('no kind');
  const made = [1, 2, 3].map((number) =>
    revisionOf(kind, number, { spec: { template: template(String(number)) } }),
  );
  const late = revisionOf(kind, 1, { novel: 1 });
  Object.assign(late.metadata, { name: 'checkout-late', uid: 'uid-late', creationTimestamp: at(50) });
  const owner = {
    ...object('StatefulSet', { uid: 'uid-workload', owner: null }),
    spec: { template: template('3') },
  };
  const told = (sources: KubeObject[]) =>
    kind
      .history(historyInputOf(kind, owner, sources))
      .revisions.filter(({ name }) => name !== 'checkout-late')
      .map(({ name, reactivated, explain, activations }) => [name, reactivated, explain(), activations]);
  expect(told([...made, late])).toEqual(told(made));
});
