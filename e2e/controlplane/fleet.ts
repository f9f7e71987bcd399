import type { TestApp } from '@/e2e/controlplane/app-template';
import type { BehaviourImages } from '@/e2e/controlplane/stages';

export type FleetKind = 'Deployment' | 'StatefulSet' | 'DaemonSet';

/** The author of a change: the field manager that the API server records. */
export type SeedAuthor =
  'argocd-controller' | 'kubectl-client-side-apply' | 'kubectl-set' | 'helm' | 'kustomize-controller';

/** One change of a workload, in order. */
export type SeedStep =
  /** A new template; waits for its end unless `stuck`. */
  | { do: 'ship'; change: Partial<TestApp>; cause?: string; by?: SeedAuthor; stuck?: boolean }
  /** kubectl rollout undo */
  | { do: 'undo'; to?: number }
  /** kubectl rollout restart */
  | { do: 'restart' }
  /** A new template that is paused once `pods` pods run it. */
  | { do: 'shipAndPause'; change: Partial<TestApp>; cause?: string; by?: SeedAuthor; pods: number }
  /** A new template for the pods from ordinal `partition` on. */
  | { do: 'shipPartition'; change: Partial<TestApp>; cause?: string; by?: SeedAuthor; partition: number }
  /** A new template under OnDelete; `pods` pods are deleted and recreated with it. */
  | { do: 'shipOnDelete'; change: Partial<TestApp>; cause?: string; by?: SeedAuthor; pods: number };

export interface SeedWorkload {
  kind: FleetKind;
  app: TestApp;
  /** Not for a DaemonSet. */
  replicas?: number;
  /** Other fields of the spec: strategy, history limit, deadline. */
  spec?: Record<string, unknown>;
  steps: SeedStep[];
}

/** Images of the fleet that fail although their tag looks ordinary, so that screens look like a real shop. */
export const FLEET_BEHAVIOURS: BehaviourImages = {
  crash: ['registry.example.com/shop/checkout:2.19.0'],
  broken: ['registry.example.com/payments/webhooks:3.4.0'],
  hang: ['registry.example.com/payments/outbox:1.8.0'],
  slow: ['registry.example.com/shop/catalog:7.2.0'],
};

/** Long enough for a demonstration, so that "stuck" does not become "deadline exceeded" meanwhile. */
const LONG_DEADLINE = { progressDeadlineSeconds: 86_400 };

const shop = (name: string, tag: string, more: Partial<TestApp> = {}): TestApp =>
  app('shop', name, tag, more);
const payments = (name: string, tag: string, more: Partial<TestApp> = {}): TestApp =>
  app('payments', name, tag, more);
const search = (name: string, tag: string, more: Partial<TestApp> = {}): TestApp =>
  app('search', name, tag, more);
const edge = (name: string, tag: string, more: Partial<TestApp> = {}): TestApp =>
  app('edge', name, tag, more);
const ml = (name: string, tag: string, more: Partial<TestApp> = {}): TestApp => app('ml', name, tag, more);

/** The shop: every kind and every state that Shiplog distinguishes. */
export const FLEET: SeedWorkload[] = [
  {
    kind: 'Deployment',
    app: shop('checkout', '2.16.0', { env: { LOG_LEVEL: 'info', CART_URL: 'http://cart:8080' } }),
    replicas: 6,
    spec: LONG_DEADLINE,
    // prettier-ignore
    steps: [
      ship({ tag: '2.17.0' }, 'Checkout 2.17.0: vouchers', 'argocd-controller'),
      ship({ env: { LOG_LEVEL: 'info', CART_URL: 'http://cart:8080', VOUCHERS: 'on' } }, 'Switch vouchers on'),
      ship({ tag: '2.18.0' }, 'Checkout 2.18.0: saved addresses', 'argocd-controller'),
      ship({ memory: '512Mi' }, 'More memory after OOM kills on Friday', 'kubectl-set'),
      ship({ tag: '2.18.2', probe: '/readyz' }, 'Checkout 2.18.2: readiness looks at the database', 'argocd-controller'),
      { ...ship({ tag: '2.19.0' }, 'Checkout 2.19.0: one-page checkout', 'argocd-controller'), stuck: true },
    ],
  },
  {
    kind: 'Deployment',
    app: shop('cart', '1.3.8'),
    replicas: 10,
    steps: [
      ship({ tag: '1.4.0' }, 'Cart 1.4.0', 'argocd-controller'),
      ship({ cpu: '250m', memory: '256Mi' }, 'Right-size after the sale', 'kubectl-set'),
      ship({ tag: '1.4.1' }, undefined, 'argocd-controller'),
      { do: 'restart' },
      ship({ tag: '1.4.2', env: { LOG_LEVEL: 'warn' } }, 'Cart 1.4.2: quieter logs', 'argocd-controller'),
    ],
  },
  {
    kind: 'Deployment',
    app: shop('frontend', '5.24.0', { sidecar: ['assets', 'registry.example.com/shop/assets:1.9.0'] }),
    replicas: 8,
    spec: { revisionHistoryLimit: 5 },
    steps: [
      ...['5.25.0', '5.26.0', '5.27.0', '5.27.1', '5.28.0', '5.29.0', '5.30.0'].map((tag) =>
        ship({ tag }, `Frontend ${tag}`, 'argocd-controller'),
      ),
      ship(
        { tag: '5.31.0', sidecar: ['assets', 'registry.example.com/shop/assets:2.0.1'] },
        'Frontend 5.31.0 with the new asset server',
        'argocd-controller',
      ),
    ],
  },
  {
    kind: 'Deployment',
    app: shop('catalog', '7.0.3'),
    replicas: 8,
    spec: {
      ...LONG_DEADLINE,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 3 } },
    },
    steps: [
      ship({ tag: '7.1.0' }, 'Catalog 7.1.0: facets', 'helm'),
      ship({ env: { LOG_LEVEL: 'info', FACETS: 'brand,size,color' } }, 'Facet by color', 'helm'),
      {
        do: 'shipAndPause',
        change: { tag: '7.2.0' },
        cause: 'Catalog 7.2.0: new index',
        by: 'helm',
        pods: 3,
      },
    ],
  },
  {
    kind: 'Deployment',
    app: shop('emailer', '2.3.1'),
    replicas: 3,
    steps: [
      ship({ tag: '2.3.2' }, 'Emailer 2.3.2'),
      ship({ tag: '2.3.3', args: ['--concurrency=8', '--retry=3'] }, 'Emailer 2.3.3: retries'),
      { do: 'restart' },
    ],
  },
  {
    kind: 'Deployment',
    app: shop('pricing', '3.6.0'),
    replicas: 6,
    steps: [
      ship({ tag: '3.7.0' }, 'Pricing 3.7.0', 'argocd-controller'),
      ship({ tag: '3.8.0', env: { LOG_LEVEL: 'info', ROUNDING: 'half-even' } }, 'Pricing 3.8.0: rounding'),
      { do: 'undo' },
    ],
  },
  {
    kind: 'StatefulSet',
    app: shop('sessions', '8.1.1', { image: 'registry.example.com/mirror/valkey', port: 6379 }),
    replicas: 3,
    steps: [
      ship({ tag: '8.1.2' }, 'Valkey 8.1.2', 'argocd-controller'),
      ship(
        { tag: '8.1.3', args: ['--maxmemory', '1gb'] },
        'Valkey 8.1.3 with a memory cap',
        'argocd-controller',
      ),
    ],
  },
  {
    kind: 'Deployment',
    app: payments('payments', '9.3.0', { env: { LOG_LEVEL: 'info', PSP_TIMEOUT_MS: '2500' } }),
    replicas: 8,
    steps: [
      ship({ tag: '9.4.0' }, 'Payments 9.4.0', 'argocd-controller'),
      ship(
        { env: { LOG_LEVEL: 'info', PSP_TIMEOUT_MS: '4000' } },
        'Increase the bank timeout',
        'kubectl-set',
      ),
      ship({ tag: '9.4.1' }, 'Payments 9.4.1', 'argocd-controller'),
      ship({ tag: '9.4.2', probe: '/readyz' }, 'Payments 9.4.2', 'argocd-controller'),
    ],
  },
  {
    kind: 'StatefulSet',
    app: payments('ledger-db', '17.4', {
      image: 'registry.example.com/mirror/postgres',
      port: 5432,
      memory: '2Gi',
    }),
    replicas: 5,
    steps: [
      ship({ tag: '17.5' }, 'PostgreSQL 17.5', 'argocd-controller'),
      ship({ args: ['-c', 'max_connections=400'] }, 'Raise the connection limit', 'argocd-controller'),
      {
        do: 'shipPartition',
        change: { tag: '17.6' },
        cause: 'PostgreSQL 17.6',
        by: 'argocd-controller',
        partition: 3,
      },
    ],
  },
  {
    kind: 'StatefulSet',
    app: payments('outbox', '1.6.0'),
    replicas: 3,
    steps: [
      ship({ tag: '1.7.0' }, 'Outbox 1.7.0', 'argocd-controller'),
      { ...ship({ tag: '1.8.0' }, 'Outbox 1.8.0: leader election', 'argocd-controller'), stuck: true },
    ],
  },
  {
    kind: 'Deployment',
    app: payments('webhooks', '3.2.0'),
    replicas: 4,
    spec: LONG_DEADLINE,
    steps: [
      ship({ tag: '3.3.0' }, 'Webhooks 3.3.0', 'kustomize-controller'),
      ship({ env: { LOG_LEVEL: 'debug' } }, 'Debug logging for lost webhooks', 'kubectl-set'),
      { ...ship({ tag: '3.4.0' }, 'Webhooks 3.4.0: signed bodies', 'kustomize-controller'), stuck: true },
    ],
  },
  {
    kind: 'Deployment',
    app: payments('fraud-scorer', '1.8.0', { cpu: '500m', memory: '1Gi' }),
    replicas: 5,
    steps: [
      ship({ tag: '1.9.0' }, 'Model of August'),
      ship({ env: { LOG_LEVEL: 'info', THRESHOLD: '0.82' } }, 'Fewer false alarms', 'kubectl-set'),
      ship({ tag: '1.9.1' }, 'September model'),
      { do: 'undo', to: 2 },
      ship(
        { tag: '1.9.1', env: { LOG_LEVEL: 'info', THRESHOLD: '0.8' } },
        'Model of September, lower threshold',
      ),
    ],
  },
  {
    kind: 'Deployment',
    app: search('query-api', '4.10.1'),
    replicas: 14,
    steps: [
      ship({ tag: '4.10.2' }, 'Query API 4.10.2', 'argocd-controller'),
      ship({ tag: '4.10.3' }, 'Query API 4.10.3', 'argocd-controller'),
      ship({ tag: '4.11.0', cpu: '400m' }, 'Query API 4.11.0: new ranking', 'argocd-controller'),
      { do: 'undo' },
    ],
  },
  {
    kind: 'Deployment',
    app: search('indexer', '3.0.2'),
    replicas: 4,
    spec: { strategy: { type: 'Recreate' } },
    steps: [
      ship({ tag: '3.0.3' }, undefined, 'argocd-controller'),
      ship({ tag: '3.0.4', memory: '1Gi' }, undefined, 'argocd-controller'),
    ],
  },
  {
    kind: 'Deployment',
    app: search('recommender', '1.6.2'),
    replicas: 3,
    spec: LONG_DEADLINE,
    steps: [
      ship({ tag: '1.7.0' }, 'Recommender 1.7.0', 'argocd-controller'),
      { ...ship({ cpu: '96' }, 'The new model needs the big machines', 'kubectl-set'), stuck: true },
    ],
  },
  {
    kind: 'Deployment',
    app: search('spell', '0.7.2'),
    replicas: 0,
    steps: [ship({ tag: '0.7.3' }, 'Spell 0.7.3', 'argocd-controller')],
  },
  {
    kind: 'Deployment',
    app: ml('embedder', '0.9.1', { cpu: '2', memory: '4Gi' }),
    replicas: 4,
    spec: {
      ...LONG_DEADLINE,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    },
    steps: [{ ...ship({ tag: '0.9.2' }, 'Embedder 0.9.2'), stuck: true }],
  },
  {
    kind: 'DaemonSet',
    app: edge('node-agent', '4.7.0'),
    spec: { updateStrategy: { type: 'OnDelete' } },
    steps: [
      {
        do: 'shipOnDelete',
        change: { tag: '4.8.0' },
        cause: 'Node agent 4.8.0',
        by: 'kustomize-controller',
        pods: Infinity,
      },
      {
        do: 'shipOnDelete',
        change: { tag: '4.8.1' },
        cause: 'Node agent 4.8.1',
        by: 'kustomize-controller',
        pods: 2,
      },
    ],
  },
  {
    kind: 'DaemonSet',
    app: edge('ingress', '1.35.4', { image: 'registry.example.com/mirror/envoy', port: 8443 }),
    steps: [
      ship({ tag: '1.36.0' }, 'Envoy 1.36.0', 'kustomize-controller'),
      ship({ args: ['--concurrency', '4'] }, 'Four workers', 'kustomize-controller'),
      ship({ tag: '1.36.1' }, 'Envoy 1.36.1', 'kustomize-controller'),
    ],
  },
];

/** Objects besides the workloads: what a rollback is checked against. */
export const FLEET_LIMITS: object[] = [
  {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'defaults', namespace: 'shop' },
    spec: { limits: [{ type: 'Container', max: { cpu: '8', memory: '16Gi' } }] },
  },
  {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'gpu-team', namespace: 'ml' },
    spec: { hard: { 'requests.cpu': '8', pods: '20' } },
  },
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'checkout', namespace: 'shop' },
    spec: { minAvailable: 5, selector: { matchLabels: { 'app.kubernetes.io/name': 'checkout' } } },
  },
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'ledger-db', namespace: 'payments' },
    spec: { maxUnavailable: 1, selector: { matchLabels: { 'app.kubernetes.io/name': 'ledger-db' } } },
  },
];

function app(namespace: string, name: string, tag: string, more: Partial<TestApp>): TestApp {
  const image = `registry.example.com/${namespace}/${name}`;
  const env = { LOG_LEVEL: 'info' };

  return {
    name,
    namespace,
    image,
    tag,
    port: 8080,
    env,
    cpu: '200m',
    memory: '128Mi',
    probe: '/healthz',
    ...more,
  };
}

function ship(
  change: Partial<TestApp>,
  cause?: string,
  by: SeedAuthor = 'kubectl-client-side-apply',
): SeedStep & { do: 'ship' } {
  return { do: 'ship', change, by, ...(cause === undefined ? {} : { cause }) };
}
