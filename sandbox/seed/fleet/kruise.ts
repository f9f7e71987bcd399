import {
  appsOf,
  approve,
  argoLabels,
  change,
  restart,
  ship,
  startStepping,
} from '@/sandbox/seed/seed-actions';
import {
  argo,
  ivanPetrov,
  jonasWeber,
  leaBrandt,
  majaLind,
  noraFalk,
  pipeline,
  priyaNair,
  saraKim,
  using,
} from '@/sandbox/seed/people';
import {
  type SeedAction,
  type SeedActor,
  type Ago,
  type RolloutSeed,
  type WorkloadSeed,
} from '@/sandbox/seed/workload-seed';

const ROLLOUT_ID = 'rollouts.kruise.io/rollout-id';

const shop = appsOf('shop');
const payments = appsOf('payments');
const search = appsOf('search');

const productPage: RolloutSeed = {
  name: 'product-page',
  style: 'canary',
  through: 'Ingress',
  steps: [
    { traffic: '20%', replicas: '20%', pause: {} },
    { traffic: '50%', replicas: '50%', pause: { duration: 600 } },
    { traffic: '100%', replicas: '100%', pause: {} },
  ],
};

const wallet: RolloutSeed = {
  name: 'wallet',
  style: 'partition',
  through: 'Ingress',
  steps: [
    { traffic: '10%', replicas: 1, pause: {} },
    { traffic: '40%', replicas: '50%', pause: {} },
    { replicas: '100%', pause: {} },
  ],
};

const autocomplete: RolloutSeed = {
  name: 'autocomplete',
  style: 'blueGreen',
  through: 'Ingress',
  steps: [
    { traffic: '0%', replicas: '100%', pause: {} },
    { traffic: '100%', replicas: '100%', pause: {} },
  ],
};

const giftCards: RolloutSeed = {
  name: 'gift-cards',
  style: 'partition',
  through: 'HTTPRoute',
  steps: [
    { traffic: '25%', replicas: '25%', pause: { duration: 300 } },
    { replicas: '100%', pause: { duration: 0 } },
  ],
};

const statementsAtFirst: RolloutSeed = {
  name: 'statements-try',
  style: 'partition',
  through: 'Ingress',
  steps: [{ traffic: '50%', replicas: '50%', pause: { duration: 120 } }, { replicas: '100%' }],
};

const statements: RolloutSeed = {
  name: 'statements',
  style: 'partition',
  through: 'Ingress',
  steps: [{ traffic: '34%', replicas: 1, pause: { duration: 900 } }, { replicas: '100%' }],
};

/** Workloads of OpenKruise, and workloads that its Rollouts update step by step, with a month of history. */
export const KRUISE: readonly WorkloadSeed[] = [
  {
    kind: 'Deployment',
    app: shop('product-page', '3.8.0', {
      env: { LOG_LEVEL: 'info', CATALOG_URL: 'http://catalog:8080' },
      labels: argoLabels('shop-product-page'),
    }),
    replicas: 5,
    created: '30d',
    by: argo,
    cause: 'Product page 3.8.0',
    acts: [
      startStepping('29d20h', productPage, majaLind),
      ship('25d4h', '3.9.0', 'Product page 3.9.0: size guide'),
      approve('25d2h', productPage, majaLind),
      ship('17d3h', '3.10.0', 'Product page 3.10.0: zoomable pictures'),
      approve('17d1h', productPage, leaBrandt),
      ship('10d5h', '3.11.0', 'Product page 3.11.0: delivery date'),
      approve('10d4h', productPage, majaLind),
      change(
        '43m',
        { tag: '3.12.0', env: { LOG_LEVEL: 'info', CATALOG_URL: 'http://catalog:8080', REVIEWS: 'on' } },
        'Product page 3.12.0: reviews next to the price',
      ),
    ],
  },
  {
    kind: 'CloneSet',
    app: payments('wallet', '1.14.0', { hasSecret: true, memory: '256Mi' }),
    replicas: 6,
    created: '30d',
    by: pipeline,
    cause: 'Wallet 1.14.0',
    acts: [
      startStepping('29d18h', wallet, saraKim),
      ...shipWallet('26d3h', '1.15.0', 'Wallet 1.15.0: top up by card', '26d2h', '26d1h'),
      ...shipWallet('20d5h', '1.16.0', 'Wallet 1.16.0', '20d4h', '20d2h'),
      ...shipWallet('13d6h', '1.17.0', 'Wallet 1.17.0: daily limits', '13d5h', '13d1h'),
      change('6d5h', { tag: '1.18.0', memory: '192Mi' }, 'Wallet 1.18.0: new ledger client', pipeline),
      approve('6d4h', wallet, saraKim),
      { do: 'undo', ago: '6d3h', to: 3, by: using('kruise', saraKim) },
      ...shipWallet('3d5h', '1.18.1', 'Wallet 1.18.1: ledger client waits for the response', '3d4h', '3d2h'),
    ],
  },
  {
    kind: 'Deployment',
    app: search('autocomplete', '2.3.0', { cpu: '150m' }),
    replicas: 3,
    created: '30d',
    by: pipeline,
    cause: 'Autocomplete 2.3.0',
    acts: [
      startStepping('28d', autocomplete, priyaNair),
      ship('15d4h', '2.4.0', 'Autocomplete 2.4.0: German compounds', pipeline),
      approve('15d3h', autocomplete, priyaNair),
      approve('15d2h', autocomplete, priyaNair),
      ship('2h20m', '2.5.0', 'Autocomplete 2.5.0: seasonal ranking', pipeline),
    ],
  },
  {
    kind: 'CloneSet',
    app: shop('gift-cards', '0.8.0'),
    replicas: 4,
    created: '30d',
    by: pipeline,
    cause: 'Gift cards 0.8.0',
    acts: [
      startStepping('29d', giftCards, leaBrandt),
      ship('23d2h', '0.9.0', 'Gift cards 0.9.0', pipeline),
      ship('12d3h', '0.10.0', 'Gift cards 0.10.0: picture cards', pipeline),
      ship('4d6h', '1.0.0', 'Gift cards 1.0.0', pipeline),
    ],
  },
  {
    kind: 'Deployment',
    app: payments('statements', '4.0.0'),
    replicas: 3,
    created: '30d',
    by: jonasWeber,
    cause: 'Statements 4.0.0',
    acts: [
      startStepping('29d4h', statementsAtFirst, jonasWeber),
      ship('24d3h', '4.1.0', 'Statements 4.1.0', jonasWeber),
      { do: 'stopStepping', ago: '22d', by: jonasWeber, rollout: 'statements-try' },
      startStepping('21d20h', statements, jonasWeber),
      ...labelled('18d6h', '4.2.0', 'Statements 4.2.0: send by email', 'statements-4'),
      ...labelled('9d3h', '4.3.0', 'Statements 4.3.0: single PDF', 'statements-4'),
      ...labelled('2d6h', '5.0.0', 'Statements 5.0.0: quarterly statements', 'statements-5'),
      // Restored from a backup: one without a route, one of a phase of its own, one that exists already.
      restored('1d3h', 'statements-2', { of: 0, phase: 'completed', isRouted: false, pods: [1, 2] }),
      restored('1d3h', 'statements-3', { of: 1, phase: 'updated', isRouted: true, pods: [1] }),
      restored('1d3h', 'statements-4', { of: 2, phase: 'completed', isRouted: true, pods: [1, 2] }),
      ...labelled('1d1h', '5.0.1', 'Statements 5.0.1: sort quarterly statements', 'statements-5'),
    ],
  },
  {
    kind: 'CloneSet',
    app: appsOf('ml')('image-tagger', '6.2.0', { cpu: '300m', memory: '512Mi' }),
    replicas: 6,
    spec: { updateStrategy: { rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible' } } },
    created: '30d',
    by: priyaNair,
    cause: 'Image tagger 6.2.0',
    acts: [
      ship('16d5h', '6.3.0', 'Image tagger 6.3.0', priyaNair),
      change('5h10m', { tag: '7.0.0' }, 'Image tagger 7.0.0: half of the pods overnight', priyaNair, {
        updateStrategy: { rollingUpdate: { partition: '50%' } },
      }),
    ],
  },
  {
    kind: 'AdvancedStatefulSet',
    app: search('vector-store', '1.13.4', {
      image: 'registry.example.com/mirror/qdrant',
      port: 6333,
      memory: '1Gi',
    }),
    replicas: 4,
    spec: { updateStrategy: { rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible' } } },
    created: '30d',
    by: noraFalk,
    cause: 'Qdrant 1.13.4',
    acts: [
      ship('19d2h', '1.14.0', 'Qdrant 1.14.0', noraFalk),
      change('1d7h', { tag: '1.15.1' }, 'Qdrant 1.15.1: last pod first', noraFalk, {
        updateStrategy: { rollingUpdate: { partition: 3 } },
      }),
    ],
  },
  {
    kind: 'AdvancedDaemonSet',
    app: appsOf('edge')('flow-exporter', '0.21.0', { port: 9100, memory: '64Mi' }),
    created: '30d',
    by: pipeline,
    cause: 'Flow exporter 0.21.0',
    acts: [
      ship('14d4h', '0.22.0', 'Flow exporter 0.22.0', pipeline),
      restart('8d8h', ivanPetrov),
      change('3h35m', { tag: '0.23.0' }, 'Flow exporter 0.23.0: two nodes first', pipeline, {
        updateStrategy: { rollingUpdate: { partition: 3 } },
      }),
    ],
  },
];

function shipWallet(ago: Ago, tag: string, cause: string, first: Ago, second: Ago): SeedAction[] {
  return [
    ship(ago, tag, cause, pipeline),
    approve(first, wallet, saraKim),
    approve(second, wallet, ivanPetrov),
  ];
}

type Restored = Pick<SeedAction & { do: 'putRecord' }, 'of' | 'phase' | 'isRouted' | 'pods'>;

/** A record that was restored from a backup. */
function restored(ago: Ago, id: string, parts: Restored): SeedAction {
  return {
    do: 'putRecord',
    ago,
    by: jonasWeber,
    rollout: statements,
    name: `${id}-from-backup`,
    id,
    ...parts,
  };
}

/** With an id that a user chose; when it is reused, the records of OpenKruise don't notice. */
function labelled(
  ago: Ago,
  tag: string,
  cause: string,
  id: string,
  by: SeedActor = jonasWeber,
): SeedAction[] {
  return [{ do: 'ship', ago, by, change: { tag }, cause, labels: { [ROLLOUT_ID]: id } }];
}
