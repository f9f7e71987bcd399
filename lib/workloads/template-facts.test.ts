import { deriveStatus } from '@/lib/messages/workload-status';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import { replicaSets } from '@/lib/workloads/sources/replica-sets';
import { cleanTemplate, imagesOf, withoutRestart, fieldWritesOf } from '@/lib/workloads/template-facts';
import { kindOf, workloadKinds } from '@/lib/workloads/kinds/table';
import { at, controllerRevision, object, replicaSet } from '@/lib/workloads/testing/objects';

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

describe('a template', () => {
  test('loses the markers of its record, and its object is not changed', () => {
    const raw = frozen({
      $patch: 'replace',
      metadata: { labels: { a: 'b', 'pod-template-hash': 'x' }, creationTimestamp: null },
      spec: {},
    });
    expect(cleanTemplate(raw)).toEqual({
      metadata: { labels: { a: 'b' }, creationTimestamp: null },
      spec: {},
    });
    const plain = frozen({ metadata: { labels: { a: 'b' } }, spec: {} });
    expect(cleanTemplate(plain)).toEqual(plain);
    expect(cleanTemplate(frozen({}))).toEqual({});
  });

  test('without its restart equals its predecessor', () => {
    const key = 'kubectl.kubernetes.io/restartedAt';
    expect(withoutRestart(frozen({ metadata: { labels: {}, annotations: { [key]: 'x' } } }))).toEqual({
      metadata: { labels: {} },
    });
    expect(withoutRestart(frozen({ metadata: { annotations: { [key]: 'x', a: 'b' } } }))).toEqual({
      metadata: { annotations: { a: 'b' } },
    });
    expect(withoutRestart(frozen({ spec: {} }))).toEqual({ spec: {} });
  });

  test('names its containers before its init containers, whatever shape the rest has', () => {
    const template = {
      spec: {
        initContainers: [{ name: 'i', image: 'x' }],
        containers: [{ name: 'c', image: 'y' }, 7, { image: 3 }],
      },
    };
    expect(imagesOf(template as JsonObject)).toEqual([
      { container: 'c', image: 'y', init: false },
      { container: '', image: '', init: false },
      { container: 'i', image: 'x', init: true },
    ]);
    expect(imagesOf({ spec: null })).toEqual([]);
  });
});

test('only entries that own the template or the number become a field write', () => {
  const entry = (manager: string, fieldsV1?: JsonObject) => ({
    manager,
    operation: 'Update',
    time: at(1),
    ...(fieldsV1 && { fieldsV1 }),
  });
  const marks = fieldWritesOf(
    [
      entry('set-image', { 'f:spec': { 'f:template': { 'f:spec': {} } } }),
      entry('scaler', { 'f:spec': { 'f:replicas': {} } }),
      entry('controller', {
        'f:metadata': { 'f:annotations': { 'f:deployment.kubernetes.io/revision': {} } },
      }),
      entry('bare'),
    ],
    (fields) => replicaSets.ownsNumber(fields),
  );
  expect(marks.map(({ manager, template, revision }) => [manager, template, revision])).toEqual([
    ['set-image', true, false],
    ['controller', false, true],
  ]);
  expect(controllerRevisions.ownsNumber({ 'f:revision': {} })).toBe(true);
  expect(controllerRevisions.ownsNumber({ 'f:data': {} })).toBe(false);
});

test('the entry of Shiplog has the template only while it holds nothing but what a rollback writes', () => {
  const spec = { 'f:template': { 'f:spec': { 'f:hostNetwork': {} } } };
  const annotations = { '.': {}, 'f:kubernetes.io/change-cause': {} };
  const others: JsonObject[] = [
    { 'f:spec': { ...spec, 'f:replicas': {} } },
    { 'f:spec': { ...spec, 'f:strategy': { 'f:rollingUpdate': { 'f:maxSurge': {} } } } },
    { 'f:spec': spec, 'f:metadata': { 'f:annotations': { ...annotations, 'f:team': {} } } },
    { 'f:spec': spec, 'f:metadata': { 'f:labels': { 'f:team': {} } } },
  ];
  const isOnly = (manager: string, fieldsV1: JsonObject) =>
    fieldWritesOf([{ manager, operation: 'Update', fieldsV1 }], () => false).map(
      ({ templateOnly = false }) => templateOnly,
    );
  expect(isOnly('shiplog', { 'f:spec': spec })).toEqual([true]);
  expect(isOnly('shiplog', { 'f:spec': spec, 'f:metadata': { 'f:annotations': annotations } })).toEqual([
    true,
  ]);
  for (const fields of others) expect(isOnly('shiplog', fields)).toEqual([false]);
  expect(isOnly('kubectl', { 'f:spec': spec })).toEqual([false]);
});

describe('source objects', () => {
  test('read their template and their former numbers', () => {
    const set = replicaSet(5, '1', { history: '3, 1,x' });
    expect(replicaSets.templateOf(set)).toMatchObject({ metadata: { labels: { app: 'checkout' } } });
    expect(replicaSets.formerNumbersOf(set)).toEqual([1, 3]);
    expect(controllerRevisions.templateOf(controllerRevision(1, '1'))).not.toHaveProperty('$patch');
  });

  test('without a template keep their content, and unusual numbers are kept as text', () => {
    expect(
      controllerRevisions.templateOf(
        object('ControllerRevision', {}, { data: { webServices: {} }, revision: 1 }),
      ),
    ).toEqual({ data: { webServices: {} } });
    expect(controllerRevisions.templateOf(object('ControllerRevision', {}))).toEqual({ data: null });
    expect(controllerRevisions.numberOf(object('ControllerRevision', {}))).toEqual({ kind: 'missing' });
    expect(
      controllerRevisions.numberOf(object('ControllerRevision', {}, { revision: 2 ** 60 })),
    ).toMatchObject({ kind: 'invalid' });
  });
});

test('every kind is found by its resource, and nothing else is', () => {
  expect(workloadKinds.map(({ resource }) => resource.id)).toEqual([
    'deployments.apps',
    'statefulsets.apps',
    'daemonsets.apps',
    'clonesets.apps.kruise.io',
    'statefulsets.apps.kruise.io',
    'daemonsets.apps.kruise.io',
    'leaderworkersets.leaderworkerset.x-k8s.io',
    'stormservices.orchestration.aibrix.ai',
    'rollouts.argoproj.io',
    'applications.core.oam.dev',
  ]);
  for (const kind of workloadKinds) expect(kindOf(kind.resource.id)).toBe(kind);
  expect(kindOf('jobs.batch')).toBeUndefined();
  expect(kindOf('constructor')).toBeUndefined();
});

test('no kind throws on an object that is nearly empty', () => {
  for (const kind of workloadKinds) {
    const facts = { bodyId: '', semanticId: '', images: [], restartedAt: null, templateCause: null };
    const workload = {
      ...facts,
      resource: kind.resource.id,
      version: 'v1',
      uid: 'u',
      namespace: 'n',
      name: 'w',
      resourceVersion: '',
      generation: 0,
      createdAt: '',
      deletedAt: null,
      labels: {},
      annotations: {},
      hasLastApplied: false,
      owners: [],
      writes: [],
      spec: {},
      status: {},
    };
    const input = { workload, sources: [], orphans: [], pods: [] };
    const history = kind.history(input);
    expect(history).toMatchObject({ revisions: [], target: null, warnings: [] });
    expect(deriveStatus(kind.facts({ ...input, history })).message).not.toBe('');
    expect(kind.previous(history)).toBeNull();
    expect(kind.settings(workload).strategy).not.toBe('');
    const { pause, resume, restart, partition, deletePod } = kind.writes;
    for (const plan of [pause, resume, restart, partition, deletePod]) {
      const plans = () => plan?.({ ...input, currentTemplate: {}, history, now: at(1) });
      expect(plans).not.toThrow();
    }
  }
});
