import { describe, expect, test } from 'vitest';
import type { KubeObject, ManagedFieldsEntry } from '@/lib/kube/object';
import { deployment } from '@/lib/workloads/kinds/deployment';
import { statefulSet } from '@/lib/workloads/kinds/stateful-set';
import type { WorkloadKind } from '@/lib/workloads/kind';
import {
  at,
  controllerRevision,
  historyInputOf,
  object,
  replicaSet,
  template,
} from '@/lib/workloads/testing/objects';

/** Read at noon and after; the workload was created at 12:10 with the image 3. */
function read(kind: WorkloadKind, sources: readonly KubeObject[], image = '3') {
  const revision = sources.find(({ metadata }) => metadata.name.endsWith(`-${image}`))?.metadata.name ?? '';
  const workload = object(
    kind.resource.kind,
    { uid: 'uid-workload', owner: null, created: 10 },
    {
      spec: { replicas: 1, template: template(image) },
      status: { updateRevision: revision, observedGeneration: 1 },
    },
  );
  const history = kind.history(historyInputOf(kind, workload, sources));
  return history.revisions.map(({ number, reactivated, explain, activations }) => ({
    ...{ number, reactivated, explanation: explain() },
    activations: activations.map(({ number: own, from }) => `${own} ${from}`),
  }));
}

const entry = (
  manager: string,
  minute: number,
  fieldsV1: ManagedFieldsEntry['fieldsV1'],
): ManagedFieldsEntry => ({
  ...{ manager, operation: 'Update', time: at(minute), fieldsV1 },
});
const numbered = (minute: number) =>
  entry('kube-controller-manager', minute, {
    'f:revision': {},
    'f:data': {},
    'f:metadata': { 'f:ownerReferences': {} },
  });
/** Created by a client, then adopted by the controller. */
const restored = (minute: number) => [
  entry('velero-server', minute, { 'f:revision': {}, 'f:data': {} }),
  entry('kube-controller-manager', 12, { 'f:metadata': { 'f:ownerReferences': {} } }),
];
const older = (kind: string) => `Older than the ${kind}: adopted, or restored from a backup.`;

describe('revisions that are older than their workload', () => {
  test('tell no rollback and no time, in whatever order a backup restored them', () => {
    const sources = [
      replicaSet(3, '3', { created: 1 }),
      replicaSet(1, '1', { created: 2 }),
      replicaSet(2, '2', { created: 3 }),
    ];
    const known = { reactivated: false, explanation: older('Owner') };
    expect(read(deployment, sources)).toEqual([
      { number: 3, ...known, activations: ['3 null'] },
      { number: 2, ...known, activations: ['2 null'] },
      { number: 1, ...known, activations: ['1 null'] },
    ]);
  });

  test('are not renumbered because the adoption wrote to them', () => {
    const sources = [
      controllerRevision(1, '1', { created: 1, managedFields: [numbered(11)] }),
      controllerRevision(2, '3', { created: 2, managedFields: [numbered(11)] }),
    ];
    expect(read(statefulSet, sources).map(({ explanation }) => explanation)).toEqual([
      older('Owner'),
      older('Owner'),
    ]);
  });

  test('count as reused once the workload has numbered them after a revision of its own', () => {
    const sources = [
      replicaSet(4, '1', { created: 1, history: '1' }),
      replicaSet(2, '2', { created: 2 }),
      replicaSet(3, '3', { created: 12 }),
    ];
    const [again, own, before] = read(deployment, sources, '1');
    expect(again).toMatchObject({ reactivated: true, activations: ['1 null', '4 null'] });
    expect(again?.explanation).toMatch(/^Formerly revision 1; renumbered to 4 by a rollback/);
    expect(own).toMatchObject({ reactivated: false, explanation: null, activations: [`3 ${at(12)}`] });
    expect(before?.activations).toEqual(['2 null']);
  });
});

describe('a first revision that seems older than the workload that created it', () => {
  const timeBefore = (seconds: number) =>
    new Date(Date.parse(at(10)) - seconds * 1000).toISOString().replace('.000', '');
  const before = (seconds: number, source: KubeObject): KubeObject => ({
    ...source,
    metadata: { ...source.metadata, creationTimestamp: timeBefore(seconds) },
  });

  test.each([1, 2])('by %i s shows other clocks, and no adoption', (seconds) => {
    const activations = [`1 ${timeBefore(seconds)}`];
    const own = [{ number: 1, reactivated: false, explanation: null, activations }];
    expect(read(deployment, [before(seconds, replicaSet(1, '3'))])).toEqual(own);
    const revision = controllerRevision(1, '3', { managedFields: [numbered(10)] });
    expect(read(statefulSet, [before(seconds, revision)])).toEqual(own);
  });

  test('is adopted where more than clocks tell it: three seconds, or the client that created it', () => {
    const explanationOf = (source: KubeObject) => read(statefulSet, [source])[0]?.explanation;
    expect(explanationOf(before(3, controllerRevision(1, '3')))).toBe(older('Owner'));
    const claimed = controllerRevision(1, '3', { managedFields: restored(10) });
    expect(explanationOf(before(1, claimed))).toBe(older('Owner'));
  });
});

describe('revisions with lower numbers that a client creates later', () => {
  test.each([
    [
      'ReplicaSets',
      deployment,
      [
        replicaSet(3, '3', { created: 10, history: '1', managedFields: [] }),
        ...[1, 2].map((number) =>
          replicaSet(number, String(number), {
            created: 11,
            managedFields: [
              entry('velero-server', 11, { 'f:spec': { 'f:template': {} } }),
              entry('kube-controller-manager', 12, { 'f:metadata': { 'f:ownerReferences': {} } }),
            ],
          }),
        ),
      ],
    ],
    [
      'ControllerRevisions',
      statefulSet,
      [
        controllerRevision(3, '3', { created: 10, managedFields: [numbered(12)] }),
        controllerRevision(1, '1', { created: 11, managedFields: restored(11) }),
        controllerRevision(2, '2', { created: 11, managedFields: restored(11) }),
      ],
    ],
  ] as const)('move nothing: %s', (_, kind, sources) => {
    const [target, ...others] = read(kind, sources);
    expect(target).toEqual({
      ...{ number: 3, reactivated: false, activations: [`3 ${at(10)}`] },
      explanation: 'Renumbered to 3 when the Owner adopted older revisions.',
    });
    expect(others.map(({ reactivated, explanation }) => [reactivated, explanation])).toEqual([
      [false, older('Owner')],
      [false, older('Owner')],
    ]);
  });

  test('and that are adopted with the next change prove no rollout', () => {
    const sources = [
      controllerRevision(1, '3', { created: 10, managedFields: [numbered(10)] }),
      controllerRevision(1, '1', { created: 11, managedFields: restored(11) }),
      controllerRevision(2, '2', { created: 11, managedFields: restored(11) }),
      controllerRevision(3, '4', { created: 12, managedFields: [numbered(12)] }),
    ];
    const shown = read(statefulSet, sources, '4');
    expect(shown.map(({ number, explanation }) => [number, explanation])).toEqual([
      [3, null],
      [2, older('Owner')],
      [1, older('Owner')],
      [1, null],
    ]);
    expect(shown.flatMap(({ activations }) => activations)).toEqual([
      `3 ${at(12)}`,
      '2 null',
      '1 null',
      `1 ${at(10)}`,
    ]);
  });
});
