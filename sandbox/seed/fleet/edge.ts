import { appsOf, change, helmLabels, helmRelease, restart, ship } from '@/sandbox/seed/seed-actions';
import { flux, helm, pipeline, saraKim } from '@/sandbox/seed/people';
import { type WorkloadSeed } from '@/sandbox/seed/workload-seed';

const app = appsOf('edge');

/** Ingress traffic of the shop. */
export const EDGE: readonly WorkloadSeed[] = [
  {
    kind: 'Deployment',
    app: app('gateway', '1.35.4', {
      image: 'registry.example.com/mirror/envoy',
      args: ['--concurrency', '2'],
      cpu: '500m',
      memory: '256Mi',
      labels: helmLabels('gateway', 'gateway-4.2.1'),
    }),
    replicas: 3,
    annotations: helmRelease('gateway', 'edge'),
    created: '21d',
    by: helm,
    acts: [
      change('13d9h', { tag: '1.36.0', labels: helmLabels('gateway', 'gateway-4.3.0') }, null, helm),
      change('4d1h', { args: ['--concurrency', '4'] }, null, helm),
      change('1d6h', { tag: '1.36.1', labels: helmLabels('gateway', 'gateway-4.3.1') }, null, helm),
    ],
  },
  {
    kind: 'DaemonSet',
    app: app('node-agent', '4.7.0', { probe: '/ready' }),
    spec: { updateStrategy: { type: 'OnDelete' } },
    created: '21d',
    by: flux,
    cause: 'Node agent 4.7.0',
    acts: [
      ship('12d1h', '4.8.0', 'Node agent 4.8.0', flux),
      { do: 'deletePods', ago: '12d', by: saraKim, count: 5 },
      ship('2h10m', '4.8.1', 'Node agent 4.8.1', flux),
      { do: 'deletePods', ago: '38m', by: saraKim, count: 2 },
    ],
  },
  {
    kind: 'DaemonSet',
    app: app('dns-cache', '1.26.0', { port: 9253, memory: '64Mi' }),
    created: '21d',
    by: flux,
    cause: 'DNS cache 1.26.0',
    acts: [ship('9d9h', '1.26.4', 'DNS cache 1.26.4', flux)],
  },
  {
    kind: 'Deployment',
    app: app('rate-limiter', '0.12.0'),
    replicas: 2,
    created: '21d',
    by: pipeline,
    cause: 'Rate limiter 0.12.0',
    acts: [
      ship('6d3h', '0.12.1', 'Rate limiter 0.12.1', pipeline),
      change('5h', { env: { LOG_LEVEL: 'info', BURST: '200' } }, 'Allow bursts of 200', pipeline),
    ],
    isLively: true,
  },
  {
    kind: 'Deployment',
    app: app('cdn-purger', '1.1.4'),
    replicas: 1,
    created: '21d',
    by: pipeline,
    acts: [ship('8d7h', '1.1.5', null, pipeline), restart('1d9h', saraKim)],
  },
];
