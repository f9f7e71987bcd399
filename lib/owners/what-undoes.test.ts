import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import { adviceOf } from '@/lib/owners/advice';
import { type Owner, type OwnerReading, type Reading, unread } from '@/lib/owners/owner';
import { ownersOf } from '@/lib/owners/owners-of';
import {
  application,
  argo,
  argoReading,
  found,
  marked,
  NOW,
  selfHeal,
  succeeded,
} from '@/lib/owners/testing/marked';
import { whatUndoes } from '@/lib/owners/what-undoes';
import { formatVerdict } from '@/lib/owners/verdict-text';

function say(reading: OwnerReading, workload = marked()): string {
  return formatVerdict(reading.owner, whatUndoes(reading, workload, NOW), NOW);
}

const sayArgo = (spec: JsonObject, status: JsonObject = succeeded, metadata: JsonObject = {}) =>
  say(argoReading(argo(spec, status, metadata)));

const automated = { syncPolicy: { automated: {} } };
const MANUAL = 'This change stays until the next manual sync (auto-sync is off).';
const COMMIT = 'Argo CD reverts this at the next commit to deploy/prod.';
const SECONDS = 'Argo CD reverts this within seconds (self-heal is on).';

describe('an application of Argo CD', () => {
  test.each<[string, JsonObject, JsonObject, string]>([
    ['without automation', {}, succeeded, MANUAL],
    [
      'whose automation is not enabled',
      { syncPolicy: { automated: { enabled: false, selfHeal: true } } },
      succeeded,
      MANUAL,
    ],
    ['with automation', automated, succeeded, COMMIT],
    ['with self-heal', selfHeal, succeeded, SECONDS],
    ['that has never synced', selfHeal, {}, SECONDS],
    [
      'whose last sync failed',
      selfHeal,
      { operationState: { phase: 'Failed' } },
      'Argo CD does not revert this while the last sync is failed, but at the next commit to deploy/prod.',
    ],
    ['whose last sync failed, without self-heal', automated, { operationState: { phase: 'Error' } }, COMMIT],
    [
      'whose last sync failed at an earlier commit',
      selfHeal,
      {
        operationState: { phase: 'Failed', syncResult: { revision: 'a' } },
        sync: { revision: 'b' },
      },
      SECONDS,
    ],
    [
      'that syncs now',
      selfHeal,
      { operationState: { phase: 'Running' } },
      'Argo CD is syncing now and may revert this; after that sync, Argo CD reverts this within seconds (self-heal is on).',
    ],
    [
      'that syncs now without automation',
      {},
      { operationState: { phase: 'Running' } },
      'Argo CD is syncing now and may revert this; after that sync, this change stays until the next manual sync (auto-sync is off).',
    ],
    [
      'with several sources',
      { ...automated, sources: [{ path: 'a' }, { chart: 'b' }] },
      succeeded,
      'Argo CD reverts this at the next commit to any of its 2 sources.',
    ],
    [
      'of a chart',
      { ...automated, source: { chart: 'b' } },
      succeeded,
      'Argo CD reverts this at the next version of its source.',
    ],
    [
      'with a hydrator: the commit that a person knows',
      { ...automated, sourceHydrator: { drySource: { path: 'dry' } } },
      succeeded,
      'Argo CD reverts this at the next commit to dry.',
    ],
  ])('%s', (_, spec, status, sentence) => {
    expect(sayArgo(spec, status)).toBe(sentence);
  });

  test('that is skipped says that its status is stale', () => {
    expect(
      sayArgo(selfHeal, succeeded, { annotations: { 'argocd.argoproj.io/skip-reconcile': 'true' } }),
    ).toBe('This change stays while Argo CD skips the application (skip-reconcile); its status is stale.');
  });

  test('with an operation that has not started yet is syncing', () => {
    expect(say(argoReading({ ...argo(selfHeal, succeeded), operation: { sync: {} } }))).toMatch(
      /^Argo CD is syncing/,
    );
  });

  test.each<[string, JsonObject, RegExp]>([
    [
      'the template',
      { kind: 'Deployment', group: 'apps', jsonPointers: ['/spec/template'] },
      /ignores this difference, and reverts it at the next sync/,
    ],
    ['all kinds', { kind: '*', group: '*', jqPathExpressions: ['.spec'] }, /at the next sync/],
    [
      'its manager',
      { kind: 'Deployment', group: 'apps', managedFieldsManagers: ['shiplog'] },
      /at the next sync/,
    ],
    [
      'a part of it',
      { kind: 'Deployment', group: 'apps', jsonPointers: ['/spec/replicas'] },
      /within seconds/,
    ],
    [
      'another object',
      { kind: 'Deployment', group: 'apps', name: 'other', jsonPointers: ['/spec'] },
      /within seconds/,
    ],
    ['another kind', { kind: 'StatefulSet', group: 'apps', jsonPointers: ['/spec'] }, /within seconds/],
  ])('that ignores differences of %s', (_, rule, sentence) => {
    expect(sayArgo({ ...selfHeal, ignoreDifferences: [rule] })).toMatch(sentence);
  });

  test('that respects ignored differences leaves them', () => {
    const ignoreDifferences = [{ kind: 'Deployment', group: 'apps', jsonPointers: ['/spec/template'] }];
    const syncPolicy = { automated: { selfHeal: true }, syncOptions: ['RespectIgnoreDifferences=true'] };
    expect(sayArgo({ ignoreDifferences, syncPolicy })).toBe(
      'This change stays: ignoreDifferences excludes it from Argo CD.',
    );
  });

  test('of an ApplicationSet that rolls out in steps syncs with the next commit', () => {
    const parent = { kind: 'applicationSet', namespace: 'argocd', name: 'all' } as const;
    const object = found({ spec: { strategy: { type: 'RollingSync' } } });
    expect(say(argoReading(argo({}, succeeded), { parents: [{ parent, object }] }))).toBe(COMMIT);
  });

  test('names the stages of Kargo that sync it without automation', () => {
    const annotations = { 'kargo.akuity.io/authorized-stage': 'shop:prod, $(id):x' };
    expect(sayArgo({}, succeeded, { annotations })).toBe(
      'This change stays until the next manual sync or promotion of Kargo stage shop/prod (auto-sync is off).',
    );
  });

  test.each<[Reading['state'], RegExp]>([
    [
      'unreadable',
      /^Argo CD reverts this within seconds with self-heal, at the next commit with auto-sync, or else at the next manual sync \(it cannot be read/,
    ],
    ['absent', /it was not found/],
    ['ambiguous', /several have its name/],
  ])('that is %s says all that may happen', (state, sentence) => {
    expect(say({ ...unread(application), object: { state } as Reading })).toMatch(sentence);
  });

  test('without a name says so', () => {
    expect(say(unread({ ...application, name: null }))).toMatch(/its name is unknown/);
  });

  const window = (parts: JsonObject): Reading =>
    found({
      spec: {
        syncWindows: [
          { kind: 'deny', schedule: '0 8 * * *', duration: '22h', applications: ['*'], ...parts },
        ],
      },
    });

  test('in a deny window says its end, and what comes then', () => {
    const object = argo(selfHeal, succeeded);
    expect(say(argoReading(object, { project: window({}) }))).toBe(
      'Argo CD does not revert this before 2026-08-02 06:00:00 UTC (deny window); after that, Argo CD reverts this within seconds (self-heal is on).',
    );
    expect(say(argoReading(object, { project: window({ applications: ['other'] }) }))).toBe(SECONDS);
  });

  test('outside of the only allow window says its start', () => {
    const project = window({ kind: 'allow', schedule: '0 20 * * *', duration: '1h' });
    expect(say(argoReading(argo(selfHeal, succeeded), { project }))).toMatch(
      /^Argo CD does not revert this before 2026-08-01 20:00:00 UTC \(no allow window is active\)/,
    );
  });

  test('whose project cannot be read may be in a window, where it would act at all', () => {
    const project = { state: 'unreadable' } as const;
    expect(say(argoReading(argo(selfHeal, succeeded), { project }))).toMatch(
      /, unless a sync window prevents it/,
    );
    expect(say(argoReading(argo({}, succeeded), { project }))).toBe(MANUAL);
  });
});

function flux(
  kind: 'kustomization' | 'helmRelease' | 'resourceSet',
  object: JsonObject,
  workload = marked(),
) {
  const owner: Owner = { kind, namespace: 'flux-system', name: 'apps', excludedBy: null, evidence: '' };
  return say({ ...unread(owner), object: found(object) }, workload);
}

const ready = (lastTransitionTime: string, status = 'True') => ({
  conditions: [{ type: 'Ready', status, lastTransitionTime }],
});
const minutesAgo = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();

describe('a Kustomization of Flux', () => {
  test('reverts at its next reconciliation', () => {
    const spec = { interval: '1h' };
    const status = { ...ready(minutesAgo(300)), history: [{ lastReconciled: minutesAgo(50) }] };
    expect(flux('kustomization', { spec, status })).toBe('Flux reverts this in about 10 min (interval 1 h).');
    expect(flux('kustomization', { spec: { interval: '10m0s' }, status: ready(minutesAgo(3)) })).toBe(
      'Flux reverts this in about 7 min (interval 10 min).',
    );
  });

  test('without a recent time reverts within its interval', () => {
    const spec = { interval: '10m' };
    expect(flux('kustomization', { spec })).toBe('Flux reverts this within 10 min (its interval).');
    expect(flux('kustomization', { spec, status: ready(minutesAgo(300)) })).toBe(
      'Flux reverts this within 10 min (its interval).',
    );
    expect(flux('kustomization', { spec: { interval: 'soon' } })).toBe(
      'Flux reverts this at its next reconciliation.',
    );
  });

  test('that failed tries again sooner', () => {
    const spec = { interval: '1h', retryInterval: '5m' };
    expect(flux('kustomization', { spec, status: ready(minutesAgo(3), 'False') })).toMatch(/in about 2 min/);
  });

  test('that is requested to reconcile does so at any moment', () => {
    const metadata = { annotations: { 'reconcile.fluxcd.io/requestedAt': 'b' } };
    const object = { metadata, spec: { interval: '1h' }, status: { lastHandledReconcileAt: 'a' } };
    expect(flux('kustomization', object)).toBe('Flux reverts this at any moment (interval 1 h).');
    expect(flux('kustomization', { ...object, status: { lastHandledReconcileAt: 'b' } })).toMatch(
      /within 1 h/,
    );
  });

  test('that is suspended reverts nothing', () => {
    expect(flux('kustomization', { spec: { suspend: true, interval: '1h' } })).toBe(
      'This change stays while the Kustomization is suspended.',
    );
  });

  test.each<[JsonObject, RegExp]>([
    [{ paths: ['/spec/template'] }, /stays: spec.ignore excludes it/],
    [{ paths: ['/spec'], target: { kind: 'Deployment', name: 'cart' } }, /stays: spec.ignore/],
    [{ paths: ['/spec'], target: { kind: 'StatefulSet' } }, /reverts this within/],
    [{ paths: ['/spec/replicas'] }, /reverts this within/],
    [
      { paths: ['/spec'], target: { name: 'c.*' } },
      /unless the Kustomization is suspended \(its ignore rules may/,
    ],
    [{ paths: ['/spec'], target: { labelSelector: 'a=b' } }, /its ignore rules may exclude this/],
  ])('with rules for what it ignores: %j', (rule, sentence) => {
    expect(flux('kustomization', { spec: { interval: '1h', ignore: [rule] } })).toMatch(sentence);
  });
});

describe('a HelmRelease of Flux', () => {
  const spec = (mode: string, parts: JsonObject = {}) => ({
    interval: '1h',
    driftDetection: { mode, ...parts },
  });
  const UPGRADE = 'This change stays until the next Helm upgrade by Flux.';

  test.each<[JsonObject, string]>([
    [{ interval: '1h' }, UPGRADE],
    [spec('disabled'), UPGRADE],
    [spec('warn'), UPGRADE],
    [spec('enabled'), 'Flux reverts this within 1 h (its interval).'],
    [spec('enabled', { ignore: [{ paths: [''] }] }), UPGRADE],
    [{ ...spec('enabled'), suspend: true }, 'This change stays while the HelmRelease is suspended.'],
  ])('reverts only with drift detection: %j', (body, sentence) => {
    expect(flux('helmRelease', { spec: body })).toBe(sentence);
  });

  test('that is unreadable says both', () => {
    const owner: Owner = { kind: 'helmRelease', namespace: 'a', name: 'b', excludedBy: null, evidence: '' };
    expect(say(unread(owner))).toMatch(
      /^Flux reverts this at the next Helm upgrade, or at the next reconciliation with drift detection/,
    );
  });
});

test('a ResourceSet reverts at the interval of its annotation, and not while it is disabled', () => {
  const metadata = (name: string, value: string) => ({
    annotations: { [`fluxcd.controlplane.io/${name}`]: value },
  });
  expect(flux('resourceSet', { metadata: metadata('reconcileEvery', '30m') })).toMatch(/within 30 min/);
  expect(flux('resourceSet', {})).toMatch(/within 1 h/);
  expect(flux('resourceSet', { metadata: metadata('reconcile', 'disabled') })).toMatch(/is suspended/);
});

const FLUX_LABELS = {
  kustomization: { 'kustomize.toolkit.fluxcd.io/name': 'apps' },
  helmRelease: { 'helm.toolkit.fluxcd.io/name': 'apps' },
};

test.each([
  [
    'kustomization',
    'kustomize.toolkit.fluxcd.io/reconcile',
    'disabled',
    /^This change stays: kustomize.toolkit.fluxcd.io\/reconcile excludes/,
  ],
  ['kustomization', 'kustomize.toolkit.fluxcd.io/ssa', 'Ignore', /^This change stays: kustomize/],
  ['kustomization', 'kustomize.toolkit.fluxcd.io/ssa', 'Merge', /reverts this within/],
  [
    'helmRelease',
    'helm.toolkit.fluxcd.io/driftDetection',
    'disabled',
    /stays until the next Helm upgrade by Flux/,
  ],
] as const)(
  'a mark on the object, label or annotation, excludes it from a %s: %s=%s',
  (kind, key, value, sentence) => {
    const object = found({ spec: { interval: '1h', driftDetection: { mode: 'enabled' } } });
    for (const workload of [
      marked({ labels: { ...FLUX_LABELS[kind], [key]: value } }),
      marked({ labels: FLUX_LABELS[kind], annotations: { [key]: value } }),
    ]) {
      const [owner] = ownersOf(workload);
      if (owner === undefined) throw new Error('no owner');
      expect(say({ ...unread(owner), object }, workload)).toMatch(sentence);
    }
  },
);

test.each([
  ['helm', 'This change stays until the next helm upgrade.', /Roll back the Helm release too/],
  ['configsync.gke.io', 'Config Sync reverts this within seconds.', /Config Sync/],
  ['fleetagent', 'Rancher Fleet may revert this the next time it runs.', /GitRepo/],
  ['kapp', 'This change stays until the next deployment by kapp.', /kapp/],
  ['vela-core', 'KubeVela may revert this the next time it runs.', /Application/],
])('of any other owner: %s', (manager, sentence, advice) => {
  const workload = marked({}, manager);
  const [owner] = ownersOf(workload);
  if (owner === undefined) throw new Error('no owner');
  const reading = unread(owner);
  expect(say(reading, workload)).toBe(sentence);
  expect(adviceOf(reading, whatUndoes(reading, workload, NOW), NOW).text).toMatch(advice);
});

test('what a CI system deploys stays until its next deployment', () => {
  const owner: Owner = { kind: 'pipeline', tool: 'Harness', identifies: 'release', name: 'a', evidence: '' };
  expect(say(unread(owner))).toBe('This change stays until the next deployment by Harness.');
});
