import type { JsonObject } from '@/lib/kube/json';
import {
  appIn,
  argo,
  argoLabels,
  create,
  edit,
  ivanPetrov,
  jonasWeber,
  leaBrandt,
  majaLind,
  mirror,
  partition,
  pipeline,
  priyaNair,
  remove,
  restart,
  saraKim,
  ship,
  through,
  workloadsIn,
} from '@/sandbox/seed/story';
import {
  type Ago,
  manifest,
  type SeedAction,
  type SeedActor,
  type SeedObject,
  selectorOf,
  serviceOf,
  templateOf,
  type WorkloadSeed,
} from '@/sandbox/seed/workload';

const edge = workloadsIn('edge');
const ml = workloadsIn('ml');
const payments = workloadsIn('payments');
const search = workloadsIn('search');
const shop = workloadsIn('shop');

const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' };
/** As the controller of rollouts compares them: a CloneSet under another name counts as another kind. */
const CLONE_SET = { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet' };

const productPage = rolloutOf('shop/product-page', DEPLOYMENT, 'canary', [
  { traffic: '20%', replicas: '20%', pause: {} },
  { traffic: '50%', replicas: '50%', pause: { duration: 600 } },
  { traffic: '100%', replicas: '100%', pause: {} },
]);
const wallet = rolloutOf('payments/wallet', CLONE_SET, 'partition', [
  { traffic: '10%', replicas: 1, pause: {} },
  { traffic: '40%', replicas: '50%', pause: {} },
  { replicas: '100%', pause: {} },
]);
const autocomplete = rolloutOf('search/autocomplete', DEPLOYMENT, 'blueGreen', [
  { traffic: '0%', replicas: '100%', pause: {} },
  { traffic: '100%', replicas: '100%', pause: {} },
]);
const giftCards = rolloutOf('shop/gift-cards', CLONE_SET, 'partition', [
  { traffic: '25%', replicas: '25%', pause: { duration: 300 } },
  { replicas: '100%', pause: { duration: 0 } },
]);
const statementsAtFirst = rolloutOf(
  'payments/statements-try',
  { ...DEPLOYMENT, name: 'statements' },
  'partition',
  [{ traffic: '50%', replicas: '50%', pause: { duration: 120 } }, { replicas: '100%' }],
);
const statements = rolloutOf('payments/statements', DEPLOYMENT, 'partition', [
  { traffic: '34%', replicas: 1, pause: { duration: 900 } },
  { replicas: '100%' },
]);

/** Updates pods where they are, if only images change. */
const inPlace = { updateStrategy: { rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible' } } };

/** Workloads of OpenKruise, and workloads that its Rollouts update step by step, with a month of history. */
export const KRUISE: readonly WorkloadSeed[] = [
  shop('Deployment', 'product-page', { replicas: 5, prerequisites: routesOf('shop/product-page') }, [
    ship('30d', argo, 'Product page 3.8.0', {
      tag: '3.8.0',
      env: { CATALOG_URL: 'http://catalog:8080' },
      labels: argoLabels('shop-product-page'),
    }),
    create('29d20h', majaLind, productPage),
    ship('25d4h', argo, 'Product page 3.9.0: size guide', '3.9.0'),
    approve('25d2h', majaLind, productPage),
    ship('17d3h', argo, 'Product page 3.10.0: zoomable pictures', '3.10.0'),
    approve('17d1h', leaBrandt, productPage),
    ship('10d5h', argo, 'Product page 3.11.0: delivery date', '3.11.0'),
    approve('10d4h', majaLind, productPage),
    ship('43m', argo, 'Product page 3.12.0: reviews next to the price', {
      tag: '3.12.0',
      env: { REVIEWS: 'on' },
    }),
  ]),
  payments('CloneSet', 'wallet', { replicas: 6, prerequisites: routesOf('payments/wallet') }, [
    ship('30d', pipeline, 'Wallet 1.14.0', { tag: '1.14.0', memory: '256Mi', hasSecret: true }),
    create('29d18h', saraKim, wallet),
    ship('26d3h', pipeline, 'Wallet 1.15.0: top up by card', '1.15.0'),
    approve('26d2h', saraKim, wallet),
    approve('26d1h', ivanPetrov, wallet),
    ship('20d5h', pipeline, 'Wallet 1.16.0', '1.16.0'),
    approve('20d4h', saraKim, wallet),
    approve('20d2h', ivanPetrov, wallet),
    ship('13d6h', pipeline, 'Wallet 1.17.0: daily limits', '1.17.0'),
    approve('13d5h', saraKim, wallet),
    approve('13d1h', ivanPetrov, wallet),
    ship('6d5h', pipeline, 'Wallet 1.18.0: new ledger client', { tag: '1.18.0', memory: '192Mi' }),
    approve('6d4h', saraKim, wallet),
    {
      do: 'undo',
      ago: '6d3h',
      by: through(saraKim, 'rollback', 'One payment in two hundred is booked twice'),
      to: 3,
    },
    ship('3d5h', pipeline, 'Wallet 1.18.1: ledger client waits for the response', '1.18.1'),
    approve('3d4h', saraKim, wallet),
    approve('3d2h', ivanPetrov, wallet),
  ]),
  search('Deployment', 'autocomplete', { replicas: 3, prerequisites: routesOf('search/autocomplete') }, [
    ship('30d', pipeline, 'Autocomplete 2.3.0', { tag: '2.3.0', cpu: '150m' }),
    create('28d', priyaNair, autocomplete),
    ship('15d4h', pipeline, 'Autocomplete 2.4.0: German compounds', '2.4.0'),
    approve('15d3h', priyaNair, autocomplete),
    approve('15d2h', priyaNair, autocomplete),
    ship('2h20m', pipeline, 'Autocomplete 2.5.0: seasonal ranking', '2.5.0'),
  ]),
  shop('CloneSet', 'gift-cards', { replicas: 4, prerequisites: routesOf('shop/gift-cards', 'HTTPRoute') }, [
    ship('30d', pipeline, 'Gift cards 0.8.0', '0.8.0'),
    create('29d', leaBrandt, giftCards),
    ship('23d2h', pipeline, 'Gift cards 0.9.0', '0.9.0'),
    ship('12d3h', pipeline, 'Gift cards 0.10.0: picture cards', '0.10.0'),
    ship('4d6h', pipeline, 'Gift cards 1.0.0', '1.0.0'),
  ]),
  payments('Deployment', 'statements', { replicas: 3, prerequisites: routesOf('payments/statements') }, [
    ship('30d', jonasWeber, 'Statements 4.0.0', '4.0.0'),
    create('29d4h', jonasWeber, statementsAtFirst),
    ship('24d3h', jonasWeber, 'Statements 4.1.0', '4.1.0'),
    remove('22d', jonasWeber, statementsAtFirst),
    create('21d20h', jonasWeber, statements),
    labelled('18d6h', 'Statements 4.2.0: send by email', '4.2.0', 'statements-4'),
    labelled('9d3h', 'Statements 4.3.0: single PDF', '4.3.0', 'statements-4'),
    labelled('2d6h', 'Statements 5.0.0: quarterly statements', '5.0.0', 'statements-5'),
    // Restored from a backup: one without a route, one of a phase of its own, one that exists already.
    ...restored('statements-2', '4.0.0', 'completed', [1, 2], {}),
    ...restored('statements-3', '4.1.0', 'updated', [1]),
    ...restored('statements-4', '4.2.0', 'completed', [1, 2]),
    labelled('1d1h', 'Statements 5.0.1: sort quarterly statements', '5.0.1', 'statements-5'),
  ]),
  ml('CloneSet', 'image-tagger', { replicas: 6, spec: inPlace }, [
    ship('30d', priyaNair, 'Image tagger 6.2.0', { tag: '6.2.0', cpu: '300m', memory: '512Mi' }),
    ship('16d5h', priyaNair, 'Image tagger 6.3.0', '6.3.0'),
    ship('5h10m', priyaNair, 'Image tagger 7.0.0: half of the pods overnight', '7.0.0', partition('50%')),
  ]),
  search('AdvancedStatefulSet', 'vector-store', { replicas: 4, spec: inPlace }, [
    ship('30d', saraKim, 'Qdrant 1.13.4', {
      tag: '1.13.4',
      image: mirror('qdrant'),
      port: 6333,
      memory: '1Gi',
    }),
    ship('19d2h', saraKim, 'Qdrant 1.14.0', '1.14.0'),
    ship('1d7h', saraKim, 'Qdrant 1.15.1: last pod first', '1.15.1', partition(3)),
  ]),
  edge('AdvancedDaemonSet', 'flow-exporter', {}, [
    ship('30d', pipeline, 'Flow exporter 0.21.0', { tag: '0.21.0', port: 9100, memory: '64Mi' }),
    ship('14d4h', pipeline, 'Flow exporter 0.22.0', '0.22.0'),
    restart('8d8h', ivanPetrov, 'Load the renewed certificates'),
    ship('3h35m', pipeline, 'Flow exporter 0.23.0: two nodes first', '0.23.0', partition(3)),
  ]),
];

/** A Rollout of OpenKruise. `canary` rolls out a new version of a Deployment in a separate Deployment. */
function rolloutOf(
  place: string,
  { apiVersion, kind, name = nameIn(place) }: { apiVersion: string; kind: string; name?: string },
  style: 'canary' | 'partition' | 'blueGreen',
  steps: JsonObject[],
): SeedObject {
  const route =
    name === 'gift-cards' ? { gateway: { httpRouteName: name } } : { ingress: { classType: 'nginx', name } };
  const plan = {
    enableExtraWorkloadForCanary: style === 'canary' ? true : undefined,
    steps,
    trafficRoutings: [{ service: name, ...route }],
  };
  return manifest('rollouts.kruise.io/v1beta1', 'Rollout', place, {
    spec: {
      workloadRef: { apiVersion, kind, name },
      strategy: style === 'blueGreen' ? { blueGreen: plan } : { canary: plan },
    },
  });
}

/** A user checks the rollout and approves the next step. */
function approve(ago: Ago, by: SeedActor, rollout: SeedObject): SeedAction {
  const member = rollout === autocomplete ? 'blueGreenStatus' : 'canaryStatus';
  const patch = { status: { [member]: { currentStepState: 'StepReady' } } };
  return edit(ago, through(by, 'approve', 'Errors and latency as before'), rollout, patch, '/status');
}

/** The objects that route requests to a workload with stepwise rollouts. */
function routesOf(place: string, through: 'Ingress' | 'HTTPRoute' = 'Ingress'): SeedObject[] {
  const name = nameIn(place);
  const labels = selectorOf({ name });
  const host = `${place.split('/').reverse().join('.')}.example.com`;
  const backend = { service: { name, port: { name: 'http' } } };
  const route =
    through === 'Ingress'
      ? {
          ingressClassName: 'nginx',
          rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
        }
      : {
          parentRefs: [{ name: 'public', namespace: 'edge' }],
          hostnames: [host],
          rules: [{ backendRefs: [{ name, port: 80 }] }],
        };
  const group = through === 'Ingress' ? 'networking.k8s.io' : 'gateway.networking.k8s.io';
  return [serviceOf(place, labels), manifest(`${group}/v1`, through, place, { spec: route }, labels)];
}

function nameIn(place: string): string {
  return place.slice(place.indexOf('/') + 1);
}

/** With an id that a user chose; when it is reused, the records of OpenKruise don't notice. */
function labelled(ago: Ago, cause: string, tag: string, id: string): SeedAction {
  return { ...ship(ago, jonasWeber, cause, tag), labels: { 'rollouts.kruise.io/rollout-id': id } };
}

/** A record of `statements` as the controller completes it; the API server drops the status of a new object. */
function restored(
  id: string,
  tag: string,
  phase: string,
  podsByStep: readonly number[],
  trafficRouting: JsonObject = { ingress: { name: 'statements', data: {} } },
): SeedAction[] {
  const labels = {
    'rollouts.kruise.io/rollout-id': id,
    'rollouts.kruise.io/rollout-name': 'statements',
  };
  const workload = { ...DEPLOYMENT, name: 'statements' };
  const strategy = {
    canary: {
      trafficRoutings: [{ service: 'statements', ingress: { classType: 'nginx', name: 'statements' } }],
      steps: [{ replicas: 1, pause: { duration: 900 }, weight: 34 }, { replicas: '100%' }],
    },
  };
  const data = { disabled: false, objectRef: { workloadRef: workload }, strategy };
  const place = `payments/${id}-from-backup`;
  const record = manifest(
    'rollouts.kruise.io/v1alpha1',
    'RolloutHistory',
    place,
    {
      spec: {
        rollout: { name: 'statements', rolloutID: id, data },
        workload: {
          ...workload,
          data: { template: templateOf({ ...appIn('payments', 'statements'), tag }) },
        },
        service: { name: 'statements', data: {} },
        trafficRouting,
      },
    },
    labels,
  );
  const canarySteps = podsByStep.map((count, index) => ({
    canaryStepIndex: index + 1,
    pods: Array.from({ length: count }, (_, pod) => ({ name: `statements-${index + 1}-${pod + 1}` })),
  }));
  return [
    create('1d3h', jonasWeber, record),
    edit('1d3h', jonasWeber, record, { status: { phase, canarySteps } }, '/status'),
  ];
}
