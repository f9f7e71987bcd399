import type { JsonObject } from '@/lib/kube/json';
import {
  create,
  edit,
  helm,
  helmLabels,
  leaBrandt,
  majaLind,
  mirror,
  saraKim,
  pipeline,
  remove,
  ship,
  through,
  using,
  vela,
  workloadsIn,
} from '@/sandbox/seed/story';
import {
  type Ago,
  manifest,
  type SeedAction,
  type SeedActor,
  type SeedObject,
  type WorkloadSeed,
} from '@/sandbox/seed/workload';

const shop = workloadsIn('shop');
const search = workloadsIn('search');
const ops = workloadsIn('ops');

const loyalty = rolloutOf('shop/loyalty', {
  ...pair('loyalty-v2', 'loyalty-v3'),
  rolloutPlan: {
    rolloutBatches: Array.from({ length: 4 }, () => ({ replicas: '25%' })),
    batchPartition: 0,
    revertOnDelete: true,
  },
});
const ranker = rolloutOf('search/ranker', {
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
});
const wishlist = rolloutOf('shop/wishlist', {
  ...pair('wishlist-blue', 'wishlist-green'),
  rolloutPlan: {
    rolloutBatches: [{ replicas: 1 }, { replicas: '100%' }],
    batchPartition: 0,
    revertOnDelete: true,
  },
});

const errorRate = manifest('v1', 'ConfigMap', 'search/ranker-error-rate', {
  data: {
    query:
      '100 * sum(rate(http_errors_total{workload="{{ target }}"}[2m])) / sum(rate(http_requests_total{workload="{{ target }}"}[2m]))',
    threshold: '2',
  },
});

/** The new pods of a pair: a separate Deployment, which starts with zero replicas. */
const waiting = { replicas: 0, spec: { paused: true } };
/** What the Deployments of a pair share. */
const ofLoyalty = { component: 'loyalty', image: 'registry.example.com/shop/loyalty' };
const ofWishlist = { component: 'wishlist', image: 'registry.example.com/shop/wishlist' };

/** Workloads that Rollouts of OAM move from version to version in batches, by Shiplog's own controller. */
export const OAM: readonly WorkloadSeed[] = [
  shop('Deployment', 'loyalty-v2', { replicas: 4 }, [
    ship('25d', pipeline, 'Loyalty 2.6.0', { tag: '2.6.0', env: { POINTS_PER_EURO: '1' }, ...ofLoyalty }),
    ship('12d6h', pipeline, 'Loyalty 2.7.0: points summary by email', '2.7.0'),
  ]),
  shop('Deployment', 'loyalty-v3', waiting, [
    ship('9d5h', pipeline, 'Loyalty 3.0.0: double points', {
      tag: '3.0.0',
      env: { POINTS_PER_EURO: '2' },
      ...ofLoyalty,
    }),
    create('9d4h50m', pipeline, loyalty),
    approve('9d4h', 1),
    approve('9d3h30m', 2),
    approve('9d3h', 3),
  ]),
  shop('Deployment', 'loyalty-v4', waiting, [
    ship('52m', pipeline, 'Loyalty 4.0.0: points expire after two years', {
      tag: '4.0.0',
      env: { POINTS_PER_EURO: '2' },
      ...ofLoyalty,
    }),
    edit('50m', pipeline, loyalty, {
      spec: { ...pair('loyalty-v3', 'loyalty-v4'), rolloutPlan: { batchPartition: 0 } },
    }),
    approve('34m', 1),
  ]),
  search('CloneSet', 'ranker', { replicas: 6, prerequisites: [errorRate] }, [
    ship('24d', pipeline, 'Ranker 3.1.0', { tag: '3.1.0', env: { MODEL: 'clicks-3' } }),
    ship('14d2h', pipeline, 'Ranker 3.2.0: seasonal signals', '3.2.0'),
    {
      ...ship('4h12m', pipeline, 'Ranker 3.3.0: rank by clicks of the last 7 days', {
        tag: '3.3.0',
        env: { MODEL: 'clicks-4' },
      }),
      spec: { updateStrategy: { paused: true } },
    },
    create('4h10m', pipeline, ranker),
  ]),
  shop('Deployment', 'wishlist-blue', { replicas: 4 }, [
    ship('23d', pipeline, 'Wishlist 1.8.0', { tag: '1.8.0', ...ofWishlist }),
    ship('10d7h', pipeline, 'Wishlist 1.8.2: share by link', '1.8.2'),
  ]),
  shop('Deployment', 'wishlist-green', waiting, [
    ship('49m', pipeline, 'Wishlist 1.9.0: sort by price', { tag: '1.9.0', ...ofWishlist }),
    create('48m', pipeline, wishlist),
    remove('31m', saraKim, wishlist),
  ]),
];

function rolloutOf(place: string, spec: JsonObject): SeedObject {
  const labels = { 'shiplog.dev/controller': 'shiplog' };
  return manifest('standard.oam.dev/v1alpha1', 'Rollout', place, { spec }, labels);
}

function pair(source: string, target: string): JsonObject {
  const reference = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', name });
  return { targetRef: reference(target), sourceRef: [reference(source)] };
}

/** One more batch of the loyalty program may run. */
function approve(ago: Ago, batchPartition: number): SeedAction {
  return edit(ago, through(majaLind, 'approve', 'Points are booked as before'), loyalty, {
    spec: { rolloutPlan: { batchPartition } },
  });
}

/** The fields that the team changes in its Application from one rollout to the next. */
interface Campaigns {
  readonly api: string;
  readonly mailer: string;
  readonly replicas: number;
  readonly env: Readonly<Record<string, string>>;
}

const first: Campaigns = { api: '1.4.0', mailer: '0.8.1', replicas: 2, env: { LOG_LEVEL: 'info' } };
const segments: Campaigns = { ...first, api: '1.5.0', env: { ...first.env, SEGMENTS: 'on' } };
const mailer: Campaigns = { ...segments, mailer: '0.9.0' };
const sale: Campaigns = { ...mailer, api: '2.0.0', replicas: 3 };
const preview: Campaigns = { ...sale, api: '2.1.0', env: { ...sale.env, PREVIEW: 'all' } };
const winter: Campaigns = { ...sale, api: '2.1.1', mailer: '0.9.2' };

const definitions = [
  component('webservice', 'Long-running, scalable service with exposed ports.'),
  component('worker', 'Long-running worker without exposed ports.'),
  definition('TraitDefinition', 'scaler', 'Number of replicas.', {
    appliesToWorkloads: ['deployments.apps'],
  }),
];

/**
 * KubeVela itself, and an Application that it applies: some revisions are compressed one way, some the other.
 */
export const KUBEVELA: readonly WorkloadSeed[] = [
  ops('Deployment', 'vela-core', { prerequisites: definitions }, [
    ship('27d', helm, null, {
      image: mirror('vela-core'),
      probe: '/readyz',
      ...velaCore('1.9.13', 'GzipApplicationRevision=true'),
    }),
    create('25d4h', vela, campaigns(first)),
    apply('19d5h', segments),
    apply('16d3h', mailer),
    ship('13d7h', helm, null, velaCore('1.10.9', 'ZstdApplicationRevision=true')),
    apply('9d2h', sale, 'autumn-sale'),
    apply('5d5h', preview, 'autumn-sale-preview'),
    apply('5d3h', sale, 'autumn-sale-again', majaLind),
    apply('2h20m', winter, 'winter'),
    // Without another publishVersion this has no effect.
    apply('36m', { ...winter, replicas: 5 }, undefined, using('edit', leaBrandt)),
  ]),
];

function velaCore(tag: string, gate: string) {
  const args = ['--leader-election=true', `--feature-gates=${gate}`, '--application-revision-limit=2'];
  return { tag, args, labels: helmLabels('kubevela', `vela-core-${tag}`) };
}

function apply(ago: Ago, to: Campaigns, publishVersion?: string, by: SeedActor = vela): SeedAction {
  const application = campaigns(to);
  const annotations = { 'app.oam.dev/publishVersion': publishVersion ?? '' };
  const metadata = publishVersion === undefined ? undefined : { annotations };
  return edit(ago, by, application, { spec: application.spec, metadata });
}

function campaigns({ api, mailer, replicas, env }: Campaigns): SeedObject {
  const components = [
    {
      name: 'campaigns-api',
      type: 'webservice',
      properties: {
        image: `registry.example.com/shop/campaigns-api:${api}`,
        ports: [{ port: 8080, expose: true }],
        env: Object.entries(env).map(([name, value]) => ({ name, value })),
        cpu: '100m',
        memory: '128Mi',
      },
      traits: [{ type: 'scaler', properties: { replicas } }],
    },
    {
      name: 'campaigns-mailer',
      type: 'worker',
      properties: {
        image: `registry.example.com/shop/campaigns-mailer:${mailer}`,
        cpu: '50m',
        memory: '64Mi',
      },
    },
  ];
  const policies = [
    { name: 'history', type: 'garbage-collect', properties: { applicationRevisionLimit: 10 } },
  ];
  return manifest('core.oam.dev/v1beta1', 'Application', 'shop/campaigns', {
    spec: { components, policies },
  });
}

function component(name: string, description: string): SeedObject {
  const workload = { definition: { apiVersion: 'apps/v1', kind: 'Deployment' }, type: 'deployments.apps' };
  return definition('ComponentDefinition', name, description, { workload });
}

function definition(kind: string, name: string, description: string, spec: JsonObject): SeedObject {
  const object = manifest('core.oam.dev/v1beta1', kind, `ops/${name}`, { spec });
  object.metadata.annotations = { 'definition.oam.dev/description': description };
  return object;
}
