import { expect, test } from 'vitest';
import { groupOfRevision } from '@/lib/producers/revision-group';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import { object, parseSource, template } from '@/lib/workloads/testing/objects';

function revisionOf(apiVersion: string, kind: string, labels: Record<string, string> = {}) {
  const { metadata } = object('ControllerRevision', { name: 'r', owner: 'u1', labels });
  for (const reference of metadata.ownerReferences ?? []) Object.assign(reference, { apiVersion, kind });
  const made = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata, revision: 1 };
  return { ...made, data: { spec: { template: { $patch: 'replace', ...template('1') } } } };
}

const own = workloadKinds.filter(({ source }) => source === controllerRevisions);

test.each(own.map(({ resource }) => [resource.id, resource] as const))(
  "revisions of %s are those of a workload of Shiplog's kinds, and record its template",
  (id, { group, versions, kind }) => {
    const source = parseSource(controllerRevisions, revisionOf(`${group}/${versions.at(-1)}`, kind));
    expect(groupOfRevision(source)).toEqual({
      by: 'workload',
      namespace: 'shop',
      uid: 'u1',
      component: null,
    });
    expect(source.images.map(({ image }) => image)).toEqual(['checkout:1']);
    expect(source.bodyId).not.toContain('$patch');
    expect(id).toContain(group);
  },
);

test('the same kind in another group is another owner, and its data is stored verbatim', () => {
  const source = parseSource(controllerRevisions, revisionOf('example.com/v1', 'StatefulSet'));
  expect(groupOfRevision(source).by).toBe('owner');
  expect(source.bodyId).toContain('"$patch":"replace"');
  expect(source.images.map(({ image }) => image)).toEqual(['checkout:1']);
});

test('components are histories of their own only where one owner has several', () => {
  const labels = { 'controller.oam.dev/component': 'web' };
  const componentOf = (apiVersion: string, kind: string) =>
    groupOfRevision(parseSource(controllerRevisions, revisionOf(apiVersion, kind, labels))).component;
  expect(componentOf('core.oam.dev/v1beta1', 'Application')).toBe('web');
  expect(componentOf('core.oam.dev/v1beta1', 'ResourceTracker')).toBe('web');
  expect(componentOf('core.oam.dev/v1alpha2', 'Component')).toBeNull();
  expect(componentOf('example.com/v1', 'Application')).toBeNull();
});
