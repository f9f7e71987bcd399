import {
  argo,
  argoLabels,
  flux,
  helm,
  helmLabels,
  ivanPetrov,
  jonasWeber,
  leaBrandt,
  majaLind,
  mirror,
  partition,
  pipeline,
  priyaNair,
  restart,
  rolling,
  saraKim,
  scale,
  ship,
  through,
  undo,
  using,
  workloadsIn,
} from '@/sandbox/seed/story';
import type { WorkloadSeed } from '@/sandbox/seed/workload';

const shop = workloadsIn('shop');
const payments = workloadsIn('payments');
const search = workloadsIn('search');
const edge = workloadsIn('edge');

/** Of five workloads on the last day, three of which fail and are rolled back. */
const RELEASE = 'Release 48: the new HTTP client everywhere';

/** What customers see. */
export const SHOP: readonly WorkloadSeed[] = [
  shop('Deployment', 'frontend', { replicas: 6, spec: { revisionHistoryLimit: 8 } }, [
    ship('21d', argo, 'Frontend 5.24.0', {
      tag: '5.24.0',
      env: { API_URL: 'http://gateway.edge:8080', CDN: 'https://cdn.example.com' },
      cpu: '250m',
      memory: '256Mi',
      sidecar: ['assets', 'registry.example.com/shop/assets:1.9.0'],
      labels: argoLabels('shop-frontend'),
    }),
    ship('19d2h', argo, 'Frontend 5.25.0: new product page', '5.25.0'),
    ship('16d5h', argo, 'Frontend 5.26.0: search box in the header', '5.26.0'),
    ship('13d3h', argo, 'Frontend 5.27.0: vouchers in the cart', '5.27.0'),
    ship('13d1h', argo, 'Frontend 5.27.1: fix voucher spelling', '5.27.1'),
    ship('9d6h', argo, 'Frontend 5.28.0', '5.28.0'),
    ship('6d2h', argo, 'Frontend 5.29.0: faster images', '5.29.0'),
    ship('2d4h', argo, 'Frontend 5.30.0: saved addresses', '5.30.0'),
    ship('25s', argo, 'Frontend 5.31.0 with the new asset server', {
      tag: '5.31.0',
      sidecar: ['assets', 'registry.example.com/shop/assets:2.0.1'],
    }),
  ]),
  shop('Deployment', 'checkout', { replicas: 4 }, [
    ship('21d', argo, 'Checkout 2.16.0', {
      tag: '2.16.0',
      env: { CART_URL: 'http://cart:8080', PAYMENTS_URL: 'http://payments.payments:8080' },
      cpu: '200m',
      memory: '256Mi',
      hasSecret: true,
      labels: argoLabels('shop-checkout'),
    }),
    ship('18d3h', argo, 'Checkout 2.17.0: vouchers', '2.17.0'),
    ship('12d2h', argo, 'Checkout 2.18.0: saved addresses', '2.18.0'),
    ship('8d5h', majaLind, 'More memory after Friday’s OOM kills', { memory: '512Mi' }),
    ship('4d3h', argo, 'Checkout 2.18.2: retry card payments once', '2.18.2'),
    ship('26m', argo, 'Checkout 2.19.0: one-page checkout, payments over gRPC', {
      tag: '2.19.0',
      env: { PAYMENTS_URL: undefined, PAYMENTS_GRPC_ADDR: 'payments.payments:9090' },
    }),
  ]),
  shop('Deployment', 'cart', { replicas: 3, isLively: true }, [
    ship('21d', argo, 'Cart 1.3.8', { tag: '1.3.8', labels: argoLabels('shop-cart') }),
    ship('15d4h', argo, 'Cart 1.4.0: keep carts for 30 days', '1.4.0'),
    ship('11d2h', priyaNair, 'Right-size after the sale', { cpu: '250m', memory: '256Mi' }),
    ship('5d7h', argo, 'Cart 1.4.1', '1.4.1'),
    ship('17m', argo, 'Cart 1.4.2: quieter logs', { tag: '1.4.2', env: { LOG_LEVEL: 'warn' } }),
  ]),
  shop('Deployment', 'catalog', { replicas: 4, spec: rolling(0, 1) }, [
    ship('21d', pipeline, 'Catalog 7.0.3', {
      tag: '7.0.3',
      env: { INDEX_URL: 'http://search-index.search:9200', PAGE_SIZE: '48' },
      cpu: '300m',
      memory: '512Mi',
      hasSecret: true,
    }),
    ship('14d6h', pipeline, 'Catalog 7.1.0: facets', '7.1.0'),
    ship('7d4h', pipeline, 'Add the color facet', { env: { FACETS: 'brand,size,colour' } }),
    ship('3d1h', pipeline, 'Catalog 7.1.8', '7.1.8'),
    ship('51m', pipeline, 'Catalog 7.2.0: new index, one pod first', '7.2.0'),
    {
      do: 'merge',
      ago: '50m57s',
      by: through(priyaNair, 'pause', 'One pod with the new index first'),
      patch: { spec: { paused: true } },
    },
  ]),
  shop('Deployment', 'account', { replicas: 3, spec: rolling(1, 1) }, [
    ship('21d', pipeline, 'Account 3.11.0', {
      tag: '3.11.0',
      env: { SESSION_STORE: 'valkey://sessions:6379', MFA: 'optional' },
      hasSecret: true,
    }),
    ship('17d1h', pipeline, 'Account 3.11.2', '3.11.2'),
    ship('10d3h', pipeline, 'Account 3.12.0: second factor', '3.12.0'),
    ship('7m', using('edit', leaBrandt), 'Sessions over TLS', {
      env: { SESSION_STORE: 'valkeys://sessions:6380' },
    }),
  ]),
  shop('Deployment', 'pricing', { replicas: 3, isLively: true }, [
    ship('21d', pipeline, 'Pricing 3.6.0', { tag: '3.6.0', hasSecret: true }),
    ship('13d7h', pipeline, 'Pricing 3.7.0', '3.7.0'),
    ship('6d9h', pipeline, 'Pricing 3.8.0: accounting rounding', {
      tag: '3.8.0',
      env: { ROUNDING: 'half-even' },
    }),
    undo('6d8h', ivanPetrov, 1, 'Carts show three decimals'),
    ship('1d3h', pipeline, 'Pricing 3.8.1: fix rounding', '3.8.1'),
  ]),
  shop('Deployment', 'vouchers', { replicas: 2, isLively: true }, [
    ship('18d4h', pipeline, 'Vouchers 1.2.0, first release', '1.2.0'),
    ship('13d5h', pipeline, 'Vouchers 1.2.1: case-insensitive codes', '1.2.1'),
    ship('34m', pipeline, 'Vouchers 1.3.0: gift cards', '1.3.0'),
  ]),
  shop('Deployment', 'reviews', { replicas: 2, isLively: true }, [
    ship('21d', pipeline, 'Reviews 2.2.4', '2.2.4'),
    ship('8d1h', pipeline, 'Reviews 2.3.0: pictures', '2.3.0'),
    ship('2h34m', pipeline, RELEASE, '2.4.0'),
  ]),
  shop('Deployment', 'emailer', { replicas: 2 }, [
    ship('21d', jonasWeber, 'Emailer 2.3.1', { tag: '2.3.1', args: ['--concurrency=8'] }),
    ship('12d8h', jonasWeber, 'Emailer 2.3.2', '2.3.2'),
    ship('5d2h', jonasWeber, 'Emailer 2.3.3: three delivery attempts', {
      tag: '2.3.3',
      args: ['--concurrency=8', '--retry=3'],
    }),
    restart('23m', jonasWeber, 'Load the new templates'),
  ]),
  shop('Deployment', 'media', { replicas: 3 }, [
    ship('21d', pipeline, 'Media 4.4.0', { tag: '4.4.0', cpu: '500m', memory: '512Mi' }),
    ship('9d4h', pipeline, 'Media 4.5.0: AVIF', '4.5.0'),
    ship('9d3h', majaLind, 'More memory for AVIF: OOM kills under load', { memory: '1Gi' }),
    scale('2d7h', majaLind, 4),
    ship('1d6h', pipeline, 'Media 4.5.1: less memory per pod', { tag: '4.5.1', memory: '512Mi' }),
    ship('2h33m', pipeline, RELEASE, '4.6.0'),
    undo('2h9m', majaLind, 3, 'Release 48: uploads fail'),
  ]),
  shop('StatefulSet', 'sessions', { replicas: 3 }, [
    ship('21d', argo, 'Valkey 8.1.1', { tag: '8.1.1', image: mirror('valkey'), port: 6379, memory: '512Mi' }),
    ship('14d2h', argo, 'Valkey 8.1.2', '8.1.2'),
    ship('3d6h', argo, 'Valkey 8.1.3 with a memory cap', { tag: '8.1.3', args: ['--maxmemory', '400mb'] }),
  ]),
];

/** Payments. */
export const PAYMENTS: readonly WorkloadSeed[] = [
  payments('Deployment', 'payments', { replicas: 4 }, [
    ship('21d', argo, 'Payments 9.3.0', {
      tag: '9.3.0',
      env: { PSP_TIMEOUT_MS: '2500' },
      cpu: '400m',
      memory: '512Mi',
      hasSecret: true,
      labels: argoLabels('payments'),
    }),
    ship('16d2h', argo, 'Payments 9.4.0', '9.4.0'),
    ship('10d9h', saraKim, 'Increase the bank timeout', { env: { PSP_TIMEOUT_MS: '4000' } }),
    ship('6d5h', argo, 'Payments 9.4.1', '9.4.1'),
    ship('1d1h', argo, 'Payments 9.4.2: readiness probe checks the bank API', {
      tag: '9.4.2',
      probe: '/readyz',
    }),
  ]),
  payments('StatefulSet', 'ledger-db', { replicas: 5 }, [
    ship('21d', saraKim, 'PostgreSQL 17.4', {
      tag: '17.4',
      image: mirror('postgres'),
      port: 5432,
      cpu: '1',
      memory: '2Gi',
      hasSecret: true,
    }),
    ship('15d8h', saraKim, 'PostgreSQL 17.5', '17.5'),
    ship('8d2h', saraKim, 'Raise the connection limit', { args: ['-c', 'max_connections=400'] }),
    ship('44m', saraKim, 'PostgreSQL 17.6: last two pods first, then verify', '17.6', partition(3)),
  ]),
  payments('Deployment', 'ledger', { replicas: 3, isLively: true }, [
    ship('21d', argo, 'Ledger 6.1.0', { tag: '6.1.0', hasSecret: true }),
    ship('11d5h', argo, 'Ledger 6.2.0: double-entry checks', '6.2.0'),
    ship('4d8h', argo, 'Ledger 6.2.1', '6.2.1'),
  ]),
  payments('Deployment', 'webhooks', { replicas: 2, isLively: true }, [
    ship('21d', pipeline, 'Webhooks 3.2.0', '3.2.0'),
    ship('12d6h', pipeline, 'Webhooks 3.3.0', '3.3.0'),
    ship('6d6h', ivanPetrov, 'Debug logging for lost webhooks', {
      env: { LOG_LEVEL: 'debug' },
    }),
    undo('6d4h', ivanPetrov, 1, 'Timeout found, quiet logs again'),
    ship('49m', pipeline, 'Webhooks 3.4.0: signed bodies', '3.4.0'),
  ]),
  payments('StatefulSet', 'outbox', { replicas: 3 }, [
    ship('21d', pipeline, 'Outbox 1.6.0', { tag: '1.6.0', memory: '256Mi' }),
    ship('9d2h', pipeline, 'Outbox 1.7.0', '1.7.0'),
    ship('12m', pipeline, 'Outbox 1.7.1', '1.7.1'),
  ]),
  payments('Deployment', 'refunds', { replicas: 2, isLively: true }, [
    ship('21d', pipeline, 'Refunds 1.9.2', { tag: '1.9.2', hasSecret: true }),
    ship('7d7h', pipeline, 'Refunds 1.10.0: partial refunds', '1.10.0'),
    ship('2h32m', pipeline, RELEASE, '1.11.0'),
    undo('2h12m', saraKim, 1, 'Release 48: the bank refuses the new client'),
  ]),
  payments('Deployment', 'invoices', { replicas: 2 }, [
    ship('21d', jonasWeber, 'Invoices 2.7.3', { tag: '2.7.3', cpu: '200m', memory: '256Mi' }),
    ship('3d4h', jonasWeber, 'Invoices 2.8.0', '2.8.O'),
    ship('3d3h56m', jonasWeber, 'Invoices 2.8.0, corrected tag', '2.8.0'),
  ]),
];

/** Search. */
export const SEARCH: readonly WorkloadSeed[] = [
  search('Deployment', 'query-api', { replicas: 5 }, [
    ship('21d', argo, 'Query API 4.10.1', {
      tag: '4.10.1',
      env: { INDEX_URL: 'http://search-index:9200', QUERY_CACHE: '512Mi' },
      cpu: '400m',
      memory: '512Mi',
      labels: argoLabels('search-query-api'),
    }),
    ship('17d6h', argo, 'Query API 4.10.2', '4.10.2'),
    ship('9d8h', argo, 'Query API 4.10.3: typo tolerance', '4.10.3'),
    ship('4d5h', argo, 'Double the query cache', { env: { QUERY_CACHE: '1Gi' }, memory: '1Gi' }),
    ship('57m', argo, 'Query API 4.11.0: new ranking', { tag: '4.11.0', cpu: '600m' }),
    undo('48m', jonasWeber, 3, 'Search times out on the new ranking'),
  ]),
  search('Deployment', 'indexer', { replicas: 2, spec: { strategy: { type: 'Recreate' } } }, [
    ship('21d', leaBrandt, 'Indexer 3.0.2: batches of 500', { tag: '3.0.2', cpu: '500m', memory: '512Mi' }),
    ship('14d8h', leaBrandt, null, '3.0.3'),
    ship('10d1h', leaBrandt, null, '3.0.4'),
    ship('5d4h', leaBrandt, null, { tag: '3.1.0', memory: '1Gi' }),
    ship('29m', leaBrandt, null, '3.1.1'),
  ]),
  search('StatefulSet', 'search-index', { replicas: 3 }, [
    ship('21d', argo, 'OpenSearch 2.19.0', {
      tag: '2.19.0',
      image: mirror('opensearch'),
      port: 9200,
      cpu: '1',
      memory: '4Gi',
    }),
    ship('6d7h', argo, 'OpenSearch 2.19.1', '2.19.1'),
  ]),
  search('Deployment', 'suggest', { replicas: 3, isLively: true }, [
    ship('21d', pipeline, 'Suggest 1.14.0', '1.14.0'),
    ship('11d8h', pipeline, 'Suggest 1.15.0', '1.15.0'),
    ship('2d2h', pipeline, 'Suggest 1.15.1: fix cache eviction', '1.15.1'),
    ship('2h31m', pipeline, RELEASE, '1.16.0'),
    undo('2h6m', jonasWeber, 2, 'Release 48: no suggestions'),
  ]),
  search('Deployment', 'synonyms', { replicas: 1 }, [
    ship('16d2h', leaBrandt, 'Synonyms 0.8.0', { tag: '0.8.0', probe: '/ready' }),
    ship('16d1h', leaBrandt, 'Synonyms 0.8.1: trousers = pants', '0.8.1'),
  ]),
  search('Deployment', 'spell', { replicas: 0 }, [
    ship('21d', pipeline, 'Spell 0.7.2', '0.7.2'),
    ship('19d', pipeline, 'Spell 0.7.3', '0.7.3'),
  ]),
];

/** Ingress traffic of the shop. */
export const EDGE: readonly WorkloadSeed[] = [
  edge('Deployment', 'gateway', { replicas: 3 }, [
    ship('21d', helm, null, {
      tag: '1.35.4',
      image: mirror('envoy'),
      cpu: '500m',
      memory: '256Mi',
      args: ['--concurrency', '2'],
      labels: helmLabels('gateway', 'gateway-4.2.1'),
    }),
    ship('13d9h', helm, null, { tag: '1.36.0', labels: helmLabels('gateway', 'gateway-4.3.0') }),
    ship('4d1h', helm, null, { args: ['--concurrency', '4'] }),
    ship('1d6h', helm, null, { tag: '1.36.1', labels: helmLabels('gateway', 'gateway-4.3.1') }),
  ]),
  edge('DaemonSet', 'node-agent', { spec: { updateStrategy: { type: 'OnDelete' } } }, [
    ship('21d', flux, 'Node agent 4.7.0', { tag: '4.7.0', probe: '/ready' }),
    ship('12d1h', flux, 'Node agent 4.8.0', '4.8.0'),
    { do: 'deletePods', ago: '12d', by: saraKim, count: 5 },
    ship('2h10m', flux, 'Node agent 4.8.1', '4.8.1'),
    { do: 'deletePods', ago: '38m', by: saraKim, count: 2 },
  ]),
  edge('DaemonSet', 'dns-cache', {}, [
    ship('21d', flux, 'DNS cache 1.26.0', { tag: '1.26.0', port: 9253, memory: '64Mi' }),
    ship('9d9h', flux, 'DNS cache 1.26.4', '1.26.4'),
  ]),
  edge('Deployment', 'rate-limiter', { replicas: 2, isLively: true }, [
    ship('21d', pipeline, 'Rate limiter 0.12.0', '0.12.0'),
    ship('6d3h', pipeline, 'Rate limiter 0.12.1', '0.12.1'),
    ship('5h', pipeline, 'Allow bursts of 200', { env: { BURST: '200' } }),
    ship('2h30m', pipeline, RELEASE, '0.13.0'),
  ]),
  edge('Deployment', 'cdn-purger', { replicas: 1 }, [
    ship('21d', pipeline, null, '1.1.4'),
    ship('8d7h', pipeline, null, '1.1.5'),
    restart('1d9h', saraKim, 'Hangs on a connection to the CDN'),
  ]),
];
