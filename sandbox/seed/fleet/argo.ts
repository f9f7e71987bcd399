import { type JsonObject } from '@/lib/kube/json';
import { abort, appsOf, argoLabels, change, promote, ship } from '@/sandbox/seed/seed-actions';
import { argo, leaBrandt, majaLind, pipeline, saraKim, using } from '@/sandbox/seed/people';
import { selectorOf } from '@/sandbox/seed/app-template';
import { type WorkloadSeed } from '@/sandbox/seed/workload-seed';

const shop = appsOf('shop');
const payments = appsOf('payments');

/** Rollouts of Argo, which are workloads themselves. */
export const ARGO: readonly WorkloadSeed[] = [
  {
    kind: 'ArgoRollout',
    app: shop('price-engine', '7.0.0', {
      env: { LOG_LEVEL: 'info', RATES_URL: 'http://rates:8080' },
      labels: argoLabels('shop-price-engine'),
    }),
    replicas: 5,
    spec: {
      strategy: {
        canary: {
          canaryMetadata: { labels: { 'example.com/role': 'canary' } },
          stableMetadata: { labels: { 'example.com/role': 'stable' } },
          steps: [
            { setWeight: 20 },
            { pause: {} },
            { analysis: { templates: [{ templateName: 'error-rate' }] } },
            { setWeight: 60 },
            { pause: { duration: '10m' } },
          ],
        },
      },
    },
    prerequisites: [errorRate('shop')],
    created: '28d',
    by: argo,
    cause: 'Price engine 7.0.0',
    acts: [
      ship('22d5h', '7.1.0', 'Price engine 7.1.0: round per currency'),
      promote('22d4h', majaLind),
      ship('15d6h', '7.2.0', 'Price engine 7.2.0: combine discounts'),
      promote('15d5h', leaBrandt),
      change(
        '8d4h',
        { tag: '7.3.0', env: { LOG_LEVEL: 'info', RATES_URL: 'http://rates:8080', CACHE: 'on' } },
        'Price engine 7.3.0: cache exchange rates',
      ),
      abort('8d3h30m', majaLind),
      { do: 'undo', ago: '8d3h', to: 2, by: using('argo-rollouts', majaLind) },
      change(
        '6d2h',
        { tag: '7.3.1', env: { LOG_LEVEL: 'info', RATES_URL: 'http://rates:8080', CACHE: '60s' } },
        'Price engine 7.3.1: cache exchange rates for 1 minute',
      ),
      promote('6d1h', majaLind),
      ship('38m', '7.4.0', 'Price engine 7.4.0: regional prices'),
    ],
  },
  {
    kind: 'ArgoRollout',
    app: payments('payouts', '2.1.0', { hasSecret: true }),
    replicas: 3,
    spec: {
      strategy: {
        blueGreen: {
          activeService: 'payouts',
          previewService: 'payouts-preview',
          autoPromotionEnabled: false,
          scaleDownDelaySeconds: 900,
        },
      },
    },
    prerequisites: ['payouts', 'payouts-preview'].map((name) => serviceOf('payments', 'payouts', name)),
    created: '27d',
    by: pipeline,
    cause: 'Payouts 2.1.0',
    acts: [
      ship('20d4h', '2.2.0', 'Payouts 2.2.0: instant transfers', pipeline),
      promote('20d3h', saraKim),
      ship('11d5h', '2.3.0', 'Payouts 2.3.0', pipeline),
      promote('11d4h', saraKim),
      ship('4d7h', '2.3.1', 'Payouts 2.3.1: one more retry', pipeline),
      promote('4d6h', saraKim),
      ship('1h25m', '2.4.0', 'Payouts 2.4.0: statements per account', pipeline),
    ],
  },
];

type Prerequisite = NonNullable<WorkloadSeed['prerequisites']>[number];

function errorRate(namespace: string): Prerequisite {
  return {
    collection: `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/analysistemplates`,
    object: {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AnalysisTemplate',
      metadata: { name: 'error-rate', namespace },
      spec: { metrics: [metric()] },
    },
  };
}

function metric(): JsonObject {
  const query = 'sum(rate(http_requests_total{code=~"5.."}[1m])) / sum(rate(http_requests_total[1m]))';
  return {
    name: 'error-rate',
    interval: '1m',
    count: 5,
    failureLimit: 1,
    successCondition: 'result[0] < 0.01',
    provider: { prometheus: { address: 'http://prometheus.ops:9090', query } },
  };
}

function serviceOf(namespace: string, app: string, name: string): Prerequisite {
  return {
    collection: `/api/v1/namespaces/${namespace}/services`,
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace, labels: selectorOf({ name: app }) },
      spec: { selector: selectorOf({ name: app }), ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
    },
  };
}
