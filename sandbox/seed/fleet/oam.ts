import { type JsonObject } from '@/lib/kube/json';
import { appsOf, change, ship } from '@/sandbox/seed/seed-actions';
import { majaLind, noraFalk, pipeline, using } from '@/sandbox/seed/people';
import { type SeedAction, type SeedActor, type Ago, type WorkloadSeed } from '@/sandbox/seed/workload-seed';

const shop = appsOf('shop');
const search = appsOf('search');

const LOYALTY = rolloutIn('shop', 'loyalty');
const RANKER = rolloutIn('search', 'ranker');
const WISHLIST = rolloutIn('shop', 'wishlist');

const QUARTERS: JsonObject[] = [
  { replicas: '25%' },
  { replicas: '25%' },
  { replicas: '25%' },
  { replicas: '25%' },
];

/** The new pods of a pair: a separate Deployment, which starts with zero replicas. */
const WAITING: JsonObject = { paused: true };

const loyalty = (tag: string, points: string) =>
  shop(`loyalty-v${tag.split('.')[0]}`, tag, {
    component: 'loyalty',
    image: 'registry.example.com/shop/loyalty',
    env: { LOG_LEVEL: 'info', POINTS_PER_EURO: points },
  });

const wishlist = (name: string, tag: string) =>
  shop(name, tag, { component: 'wishlist', image: 'registry.example.com/shop/wishlist' });

/** Workloads that Rollouts of OAM move from version to version in batches, by Shiplog's own controller. */
export const OAM: readonly WorkloadSeed[] = [
  {
    kind: 'Deployment',
    app: loyalty('2.6.0', '1'),
    replicas: 4,
    created: '25d',
    by: pipeline,
    cause: 'Loyalty 2.6.0',
    acts: [ship('12d6h', '2.7.0', 'Loyalty 2.7.0: points summary by email', pipeline)],
  },
  {
    kind: 'Deployment',
    app: loyalty('3.0.0', '2'),
    replicas: 0,
    spec: WAITING,
    created: '9d5h',
    by: pipeline,
    cause: 'Loyalty 3.0.0: double points',
    acts: [
      begin('9d4h50m', LOYALTY, {
        ...pair('loyalty-v2', 'loyalty-v3'),
        rolloutPlan: { rolloutBatches: QUARTERS, batchPartition: 0, revertOnDelete: true },
      }),
      approve('9d4h', LOYALTY, 1, majaLind),
      approve('9d3h30m', LOYALTY, 2, majaLind),
      approve('9d3h', LOYALTY, 3, majaLind),
    ],
  },
  {
    kind: 'Deployment',
    app: loyalty('4.0.0', '2'),
    replicas: 0,
    spec: WAITING,
    created: '52m',
    by: pipeline,
    cause: 'Loyalty 4.0.0: points expire after two years',
    acts: [
      edit('50m', LOYALTY, pipeline, {
        ...pair('loyalty-v3', 'loyalty-v4'),
        rolloutPlan: { batchPartition: 0 },
      }),
      approve('34m', LOYALTY, 1, majaLind),
    ],
  },
  {
    kind: 'CloneSet',
    app: search('ranker', '3.1.0', { env: { LOG_LEVEL: 'info', MODEL: 'clicks-3' } }),
    replicas: 6,
    prerequisites: [
      {
        collection: '/api/v1/namespaces/search/configmaps',
        object: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'ranker-error-rate', namespace: 'search' },
          data: {
            query:
              '100 * sum(rate(http_errors_total{workload="{{ target }}"}[2m])) / sum(rate(http_requests_total{workload="{{ target }}"}[2m]))',
            threshold: '2',
          },
        },
      },
    ],
    created: '24d',
    by: pipeline,
    cause: 'Ranker 3.1.0',
    acts: [
      ship('14d2h', '3.2.0', 'Ranker 3.2.0: seasonal signals', pipeline),
      change(
        '4h12m',
        { tag: '3.3.0', env: { LOG_LEVEL: 'info', MODEL: 'clicks-4' } },
        'Ranker 3.3.0: rank by clicks of the last 7 days',
        pipeline,
        { updateStrategy: { paused: true } },
      ),
      begin('4h10m', RANKER, {
        targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'ranker' },
        rolloutPlan: {
          rolloutBatches: [{ replicas: 2 }, { replicas: '50%' }, { replicas: '100%' }],
          canaryMetric: [
            {
              name: 'error-rate',
              interval: '30s',
              metricsRange: { max: 1 },
              templateRef: { apiVersion: 'v1', kind: 'ConfigMap', name: 'ranker-error-rate' },
            },
          ],
        },
      }),
    ],
  },
  {
    kind: 'Deployment',
    app: wishlist('wishlist-blue', '1.8.0'),
    replicas: 4,
    created: '23d',
    by: pipeline,
    cause: 'Wishlist 1.8.0',
    acts: [ship('10d7h', '1.8.2', 'Wishlist 1.8.2: share by link', pipeline)],
  },
  {
    kind: 'Deployment',
    app: wishlist('wishlist-green', '1.9.0'),
    replicas: 0,
    spec: WAITING,
    created: '49m',
    by: pipeline,
    cause: 'Wishlist 1.9.0: sort by price',
    acts: [
      begin('48m', WISHLIST, {
        ...pair('wishlist-blue', 'wishlist-green'),
        rolloutPlan: {
          rolloutBatches: [{ replicas: 1 }, { replicas: '100%' }],
          batchPartition: 0,
          revertOnDelete: true,
        },
      }),
      { do: 'deleteObject', ago: '31m', by: using('patch', noraFalk), path: WISHLIST },
    ],
  },
];

function rolloutIn(namespace: string, name: string): string {
  return `/apis/standard.oam.dev/v1alpha1/namespaces/${namespace}/rollouts/${name}`;
}

function pair(source: string, target: string): JsonObject {
  const reference = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', name });
  return { targetRef: reference(target), sourceRef: [reference(source)] };
}

function begin(ago: Ago, path: string, spec: JsonObject): SeedAction {
  const [, namespace = '', name = ''] = /namespaces\/([^/]+)\/rollouts\/(.+)$/.exec(path) ?? [];
  return {
    do: 'createObject',
    ago,
    by: pipeline,
    collection: path.slice(0, path.lastIndexOf('/')),
    object: {
      apiVersion: 'standard.oam.dev/v1alpha1',
      kind: 'Rollout',
      metadata: { name, namespace, labels: { 'shiplog.dev/controller': 'shiplog' } },
      spec,
    },
  };
}

/** One more batch may run. */
function approve(ago: Ago, path: string, batchPartition: number, by: SeedActor): SeedAction {
  return edit(ago, path, using('patch', by), { rolloutPlan: { batchPartition } });
}

function edit(ago: Ago, path: string, by: SeedActor, spec: JsonObject): SeedAction {
  return { do: 'patchObject', ago, by, path, patch: { spec } };
}
