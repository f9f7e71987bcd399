import type { JsonObject } from '@/lib/kube/json';
import {
  argo,
  argoLabels,
  create,
  edit,
  flagger,
  leaBrandt,
  majaLind,
  pipeline,
  priyaNair,
  saraKim,
  scale,
  ship,
  through,
  workloadsIn,
} from '@/sandbox/seed/story';
import {
  type Ago,
  manifest,
  type SeedAction,
  type SeedActor,
  selectorOf,
  serviceOf,
  type WorkloadSeed,
} from '@/sandbox/seed/workload';

const shop = workloadsIn('shop');
const payments = workloadsIn('payments');
const search = workloadsIn('search');

const priceEngine: JsonObject = {
  canaryMetadata: { labels: { 'example.com/role': 'canary' } },
  stableMetadata: { labels: { 'example.com/role': 'stable' } },
  steps: [
    { setWeight: 20 },
    { pause: {} },
    { analysis: { templates: [{ templateName: 'error-rate' }] } },
    { setWeight: 60 },
    { pause: { duration: '10m' } },
  ],
};

const errorRate: JsonObject = {
  name: 'error-rate',
  interval: '1m',
  count: 5,
  failureLimit: 1,
  successCondition: 'result[0] < 0.01',
  provider: {
    prometheus: {
      address: 'http://prometheus.ops:9090',
      query: 'sum(rate(http_requests_total{code=~"5.."}[1m])) / sum(rate(http_requests_total[1m]))',
    },
  },
};

const payouts: JsonObject = {
  activeService: 'payouts',
  previewService: 'payouts-preview',
  autoPromotionEnabled: false,
  scaleDownDelaySeconds: 900,
};

/** The pause ends, and the rollout continues. */
const PROMOTED: JsonObject = { pauseConditions: null };

const analysis = manifest('argoproj.io/v1alpha1', 'AnalysisTemplate', 'shop/error-rate', {
  spec: { metrics: [errorRate] },
});
const services = ['payouts', 'payouts-preview'].map((name) =>
  serviceOf(`payments/${name}`, selectorOf({ name: 'payouts' })),
);
const byCanary = { replicas: 5, spec: { strategy: { canary: priceEngine } }, prerequisites: [analysis] };
const byBlueGreen = { replicas: 3, spec: { strategy: { blueGreen: payouts } }, prerequisites: services };

/** Rollouts of Argo, which are workloads themselves. */
export const ARGO: readonly WorkloadSeed[] = [
  shop('ArgoRollout', 'price-engine', byCanary, [
    ship('28d', argo, 'Price engine 7.0.0', {
      tag: '7.0.0',
      env: { RATES_URL: 'http://rates:8080' },
      labels: argoLabels('shop-price-engine'),
    }),
    ship('22d5h', argo, 'Price engine 7.1.0: round per currency', '7.1.0'),
    setStatus('22d4h', majaLind, PROMOTED),
    ship('15d6h', argo, 'Price engine 7.2.0: combine discounts', '7.2.0'),
    setStatus('15d5h', leaBrandt, PROMOTED),
    ship('8d4h', argo, 'Price engine 7.3.0: cache exchange rates', { tag: '7.3.0', env: { CACHE: 'on' } }),
    setStatus('8d3h30m', majaLind, { abort: true }),
    { do: 'undo', ago: '8d3h', by: through(majaLind, 'rollback', 'Exchange rates of yesterday'), to: 2 },
    ship('6d2h', argo, 'Price engine 7.3.1: cache exchange rates for 1 minute', {
      tag: '7.3.1',
      env: { CACHE: '60s' },
    }),
    setStatus('6d1h', majaLind, PROMOTED),
    ship('38m', argo, 'Price engine 7.4.0: regional prices', '7.4.0'),
  ]),
  payments('ArgoRollout', 'payouts', byBlueGreen, [
    ship('27d', pipeline, 'Payouts 2.1.0', { tag: '2.1.0', hasSecret: true }),
    ship('20d4h', pipeline, 'Payouts 2.2.0: instant transfers', '2.2.0'),
    setStatus('20d3h', saraKim, PROMOTED),
    ship('11d5h', pipeline, 'Payouts 2.3.0', '2.3.0'),
    setStatus('11d4h', saraKim, PROMOTED),
    ship('4d7h', pipeline, 'Payouts 2.3.1: one more retry', '2.3.1'),
    setStatus('4d6h', saraKim, PROMOTED),
    ship('1h25m', pipeline, 'Payouts 2.4.0: statements per account', '2.4.0'),
  ]),
];

/** Approves the next step, or aborts. */
function setStatus(ago: Ago, by: SeedActor, status: JsonObject): SeedAction {
  const actor =
    'abort' in status
      ? through(by, 'abort', 'Prices of yesterday')
      : through(by, 'approve', 'Error rate as before');
  return { do: 'merge', ago, by: actor, patch: { status } };
}

const canary = manifest('flagger.app/v1beta1', 'Canary', 'search/spellcheck', {
  spec: {
    targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'spellcheck' },
    progressDeadlineSeconds: 600,
    service: { port: 80, targetPort: 8080 },
    analysis: {
      interval: '1m',
      threshold: 5,
      maxWeight: 50,
      stepWeight: 10,
      metrics: [{ name: 'request-success-rate', interval: '1m', thresholdRange: { min: 99 } }],
      webhooks: [
        {
          name: 'approval',
          type: 'confirm-promotion',
          url: 'http://flagger-loadtester.flagger-system/gate/check',
        },
      ],
    },
  },
});

const MESSAGES = {
  Initialized: 'Deployment initialization completed.',
  Progressing: 'New revision detected, progressing canary analysis.',
  WaitingPromotion: 'Waiting for approval.',
  Succeeded: 'Canary analysis completed successfully, promotion finished.',
};

/**
 * A Deployment that Flagger rolls out, and its primary copy. The sandbox has no Flagger controller: the seed
 * contains what it would write.
 */
export const FLAGGER: readonly WorkloadSeed[] = [
  search('Deployment', 'spellcheck', { replicas: 2 }, [
    ship('24d', pipeline, 'Spellcheck 1.4.0', '1.4.0'),
    create('23d20h', priyaNair, canary),
    scale('23d19h', flagger, 0),
    status('23d19h', 'Initialized', ['1.4.0', '1.4.0'], 0),
    ship('9d3h', pipeline, 'Spellcheck 1.5.0: recognize names', '1.5.0'),
    scale('9d2h59m', flagger, 2),
    status('9d2h59m', 'Progressing', ['1.5.0', '1.4.0'], 10),
    status('9d2h', 'Succeeded', ['1.5.0', '1.5.0'], 0),
    scale('9d1h59m', flagger, 0),
    ship('52m', pipeline, 'Spellcheck 1.6.0: keep brand names', '1.6.0'),
    scale('51m', flagger, 2),
    status('50m', 'Progressing', ['1.6.0', '1.5.0'], 10, 1),
    status('44m', 'WaitingPromotion', ['1.6.0', '1.5.0'], 50, 1),
  ]),
  search('Deployment', 'spellcheck-primary', { replicas: 2 }, [
    ship('23d19h30m', flagger, null, { tag: '1.4.0', image: 'registry.example.com/search/spellcheck' }),
    ship('9d2h5m', flagger, null, '1.5.0'),
  ]),
];

/** The versions of the target that Flagger observed last and promoted last are in its status as hashes. */
function status(
  ago: Ago,
  phase: keyof typeof MESSAGES,
  versions: readonly [applied: string, promoted: string],
  canaryWeight: number,
  failedChecks = 0,
): SeedAction {
  const [lastAppliedSpec = '', lastPromotedSpec = ''] = versions.map(
    (version) => `5f8b6c${version.replaceAll('.', '')}d`,
  );
  const value = phase === 'Initialized' || phase === 'Succeeded' ? 'True' : 'Unknown';
  const condition = { type: 'Promoted', status: value, reason: phase, message: MESSAGES[phase] };
  const counts = { phase, canaryWeight, failedChecks, iterations: 0 };
  const patch = { status: { ...counts, lastAppliedSpec, lastPromotedSpec, conditions: [condition] } };
  return edit(ago, flagger, canary, patch, '/status');
}
