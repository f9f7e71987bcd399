import { appsOf, change, helmLabels, helmRelease, ship } from '@/sandbox/seed/seed-actions';
import { flux, helm4, helmController, pipeline, saraKim } from '@/sandbox/seed/people';
import { type WorkloadSeed } from '@/sandbox/seed/workload-seed';

const app = appsOf('ops');
const mirror = (name: string) => `registry.example.com/mirror/${name}`;

/** Monitoring. */
export const OPS: readonly WorkloadSeed[] = [
  {
    kind: 'Deployment',
    app: app('grafana', '12.1.0', {
      image: mirror('grafana'),
      port: 3000,
      memory: '256Mi',
      labels: helmLabels('grafana', 'grafana-9.4.0'),
    }),
    replicas: 1,
    annotations: helmRelease('grafana', 'ops'),
    created: '21d',
    by: helm4,
    acts: [
      change('11d3h', { tag: '12.1.1', labels: helmLabels('grafana', 'grafana-9.4.2') }, null, helm4),
      change('3h20m', { tag: '12.2.0', labels: helmLabels('grafana', 'grafana-9.5.0') }, null, helm4),
    ],
  },
  {
    kind: 'StatefulSet',
    app: app('prometheus', 'v3.5.0', {
      image: mirror('prometheus'),
      port: 9090,
      cpu: '500m',
      memory: '2Gi',
      labels: helmLabels('prometheus', 'prometheus-27.3.0'),
    }),
    replicas: 2,
    annotations: helmRelease('prometheus', 'ops'),
    created: '21d',
    by: helmController,
    acts: [change('5d8h', { args: ['--storage.tsdb.retention.time=30d'] }, null, helmController)],
  },
  {
    kind: 'DaemonSet',
    app: app('log-shipper', '3.1.2', { image: mirror('vector'), memory: '128Mi' }),
    created: '21d',
    by: flux,
    cause: 'Vector 3.1.2',
    acts: [ship('4d2h', '3.1.4', 'Vector 3.1.4', flux)],
  },
  {
    kind: 'Deployment',
    app: app('alert-router', '0.28.0', { image: mirror('alertmanager'), port: 9093 }),
    replicas: 2,
    created: '21d',
    by: flux,
    cause: 'Alertmanager 0.28.0',
    acts: [ship('7d9h', '0.28.1', 'Alertmanager 0.28.1', flux)],
  },
  {
    kind: 'Deployment',
    app: app('backup', '2.0.5', { hasSecret: true }),
    replicas: 1,
    spec: { strategy: { type: 'Recreate' } },
    created: '21d',
    by: saraKim,
    cause: 'Backup 2.0.5',
    acts: [ship('1d4h', '2.1.0', 'Backup 2.1.0: two backup locations', saraKim)],
  },
  {
    kind: 'Deployment',
    app: app('status-page', '1.5.0'),
    replicas: 2,
    created: '21d',
    by: pipeline,
    cause: 'Status page 1.5.0',
    acts: [ship('10d8h', '1.5.1', 'Status page 1.5.1', pipeline)],
    isLively: true,
  },
  {
    kind: 'Deployment',
    app: app('cert-renewer', '1.18.2', { image: mirror('cert-manager') }),
    replicas: 1,
    created: '21d',
    by: flux,
    acts: [],
  },
];
