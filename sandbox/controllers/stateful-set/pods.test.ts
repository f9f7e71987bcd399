import { expect, test } from 'vitest';
import { identityOf, memberDraft } from '@/sandbox/controllers/stateful-set/pods';
import { revisionName } from '@/sandbox/controllers/stateful-set/revisions';
import { isInconsistent, statefulSetStatus } from '@/sandbox/controllers/stateful-set/status';
import { sortPods } from '@/sandbox/controllers/stateful-set/update';
import { type ControllerRevision } from '@/sandbox/controllers/objects/workloads';
import { pod, statefulSet, template } from '@/sandbox/controllers/testing/objects';

test.each([
  ['web-0', { parent: 'web', ordinal: 0 }],
  ['web-a-12', { parent: 'web-a', ordinal: 12 }],
  ['web', undefined],
  ['web-99999999999', undefined],
])('%s belongs to %j', (name, identity) => {
  expect(identityOf(name)).toEqual(identity);
});

test('pods are assigned to slots from the first ordinal; the others are to be deleted, the highest first', () => {
  const pods = ['web-5', 'web-2', 'web-9', 'web-7'].map((name) => pod(name));
  const { places, condemned } = sortPods(statefulSet({ ordinals: { start: 5 } }), pods);
  expect(places.map((place) => [place.ordinal, place.pod?.metadata.name])).toEqual([
    [5, 'web-5'],
    [6, undefined],
    [7, 'web-7'],
  ]);
  expect(condemned.map(({ metadata }) => metadata.name)).toEqual(['web-9', 'web-2']);
});

test('a pod has its name, its index, its revision and its claims', () => {
  const set = statefulSet({
    serviceName: 'peers',
    volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: {} }],
  });
  const { spec, metadata } = template();
  const own = { metadata: { ...metadata }, spec: { ...spec, volumes: [{ name: 'data' }, { name: 'tmp' }] } };
  expect(memberDraft(set, own, 'web-abc', 4)).toMatchObject({
    metadata: {
      name: 'web-4',
      generateName: 'web-',
      labels: {
        app: 'web',
        'controller-revision-hash': 'web-abc',
        'statefulset.kubernetes.io/pod-name': 'web-4',
        'apps.kubernetes.io/pod-index': '4',
      },
    },
    spec: {
      hostname: 'web-4',
      subdomain: 'peers',
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-web-4' } }, { name: 'tmp' }],
    },
  });
});

test('the name of a revision has room for 223 bytes of its owner', () => {
  expect(revisionName('web', 'c77f6d978')).toBe('web-c77f6d978');
  expect(revisionName('a'.repeat(250), '4')).toBe(`${'a'.repeat(223)}-4`);
});

const revision = (name: string) => ({ metadata: { name } }) as ControllerRevision;
const chosen = { current: revision('old'), update: revision('new'), collisionCount: 0 };
const full = { replicas: 3, readyReplicas: 3, availableReplicas: 3, currentReplicas: 0, updatedReplicas: 3 };

test('a rolling update that has completed makes its revision the current one; OnDelete never does', () => {
  expect(statefulSetStatus(statefulSet(), chosen, full)).toMatchObject({
    currentRevision: 'new',
    currentReplicas: 3,
  });
  expect(statefulSetStatus(statefulSet(), chosen, { ...full, readyReplicas: 2 }).currentRevision).toBe('old');
  const onDelete = statefulSet({ updateStrategy: { type: 'OnDelete' } });
  expect(statefulSetStatus(onDelete, chosen, full).currentRevision).toBe('old');
});

test('a status is written only when counts, revisions or the generation changed', () => {
  const set = statefulSet();
  const status = statefulSetStatus(set, chosen, full);
  expect(isInconsistent({ ...set, status }, status)).toBe(false);
  expect(isInconsistent({ ...set, status }, { ...status, collisionCount: 1 })).toBe(false);
  for (const change of [{ readyReplicas: 2 }, { updateRevision: 'newer' }, { observedGeneration: 2 }])
    expect(isInconsistent({ ...set, status }, { ...status, ...change })).toBe(true);
});
