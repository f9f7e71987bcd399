import { expect, test } from 'vitest';
import type { ReflectorChange } from '@/server/cluster/reflector-store';
import { bindingOf, type Role, roleOf, rightsChangeOf } from '@/server/cluster/rights-watch';
import type { KubeObject } from '@/lib/kube/object';

const objectOf = (name: string, namespace?: string, rest: object = {}) =>
  ({
    metadata: { name, uid: name, resourceVersion: '1', ...(namespace && { namespace }) },
    ...rest,
  }) as KubeObject;

function binding(namespace: string | undefined, kind: string, name: string, ...subjects: string[]): Role {
  const named = subjects.map((subject) => {
    const [subjectKind, subjectName] = subject.split(' ');
    return { kind: subjectKind, name: subjectName };
  });
  return bindingOf(objectOf('b', namespace, { roleRef: { kind, name }, subjects: named }));
}

const changeOf = (type: 'added' | 'deleted', value: Role) =>
  ({ type, key: 'k', uid: 'u', value }) as unknown as ReflectorChange<Role>;
const updateOf = (previous: Role, value: Role) =>
  ({ type: 'updated', key: 'k', uid: 'u', value, previous }) as unknown as ReflectorChange<Role>;

test('a binding that is made or deleted concerns its subjects, where it is', () => {
  const dev = binding('shop', 'ClusterRole', 'view', 'Group dev', 'User ana');
  for (const type of ['added', 'deleted'] as const)
    expect(rightsChangeOf(changeOf(type, dev), [])).toEqual({
      namespace: 'shop',
      subjects: new Set(['Group dev', 'User ana']),
    });
  const everywhere = binding(undefined, 'ClusterRole', 'view', 'Group dev');
  expect(rightsChangeOf(changeOf('added', everywhere), [])).toMatchObject({ namespace: null });
});

test('a binding whose subjects change concerns those who are new and those who are left out', () => {
  const before = binding('shop', 'Role', 'deployer', 'Group dev', 'User ana');
  const after = binding('shop', 'Role', 'deployer', 'Group dev', 'User ben');
  expect(rightsChangeOf(updateOf(before, after), [])?.subjects).toEqual(new Set(['User ana', 'User ben']));
  expect(rightsChangeOf(updateOf(after, after), [])).toBeNull();
});

test('a role that changes concerns the subjects of its own bindings, and of no role of the same name elsewhere', () => {
  const bindings = [
    binding('shop', 'Role', 'deployer', 'User ana'),
    binding('edge', 'Role', 'deployer', 'User ben'),
    binding('shop', 'ClusterRole', 'deployer', 'User cid'),
    binding(undefined, 'ClusterRole', 'deployer', 'User dan'),
  ];
  const ofShop = roleOf('Role', objectOf('deployer', 'shop'));
  expect(rightsChangeOf(changeOf('added', ofShop), bindings)).toEqual({
    namespace: 'shop',
    subjects: new Set(['User ana']),
  });
  const ofAll = roleOf('ClusterRole', objectOf('deployer'));
  expect(rightsChangeOf(updateOf(ofAll, ofAll), bindings)).toEqual({
    namespace: null,
    subjects: new Set(['User cid', 'User dan']),
  });
  expect(rightsChangeOf(changeOf('added', roleOf('ClusterRole', objectOf('unused'))), bindings)).toBeNull();
});

test('a binding of a form that is not known is refused, and one without subjects is not', () => {
  expect(() => bindingOf(objectOf('b', 'shop', { roleRef: 'view' }))).toThrow();
  expect(bindingOf(objectOf('b', 'shop', { roleRef: { kind: 'Role', name: 'x' } })).subjects).toEqual(
    new Set(),
  );
});
