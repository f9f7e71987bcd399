import { appsOf, argoLabels, change, ship, undo } from '@/sandbox/seed/seed-actions';
import { argo, ivanPetrov, jonasWeber, noraFalk, pipeline, saraKim, using } from '@/sandbox/seed/people';
import { type WorkloadSeed } from '@/sandbox/seed/workload-seed';

const app = appsOf('payments');

/** Payments. */
export const PAYMENTS: readonly WorkloadSeed[] = [
  {
    kind: 'Deployment',
    app: app('payments', '9.3.0', {
      env: { LOG_LEVEL: 'info', PSP_TIMEOUT_MS: '2500' },
      cpu: '400m',
      memory: '512Mi',
      hasSecret: true,
      labels: argoLabels('payments'),
    }),
    replicas: 4,
    created: '21d',
    by: argo,
    cause: 'Payments 9.3.0',
    acts: [
      ship('16d2h', '9.4.0', 'Payments 9.4.0'),
      change(
        '10d9h',
        { env: { LOG_LEVEL: 'info', PSP_TIMEOUT_MS: '4000' } },
        'Increase the bank timeout',
        using('set', saraKim),
      ),
      ship('6d5h', '9.4.1', 'Payments 9.4.1'),
      change(
        '1d1h',
        { tag: '9.4.2', probe: '/readyz' },
        'Payments 9.4.2: readiness probe checks the bank API',
      ),
    ],
  },
  {
    kind: 'StatefulSet',
    app: app('ledger-db', '17.4', {
      image: 'registry.example.com/mirror/postgres',
      port: 5432,
      cpu: '1',
      memory: '2Gi',
      hasSecret: true,
    }),
    replicas: 5,
    created: '21d',
    by: noraFalk,
    cause: 'PostgreSQL 17.4',
    acts: [
      ship('15d8h', '17.5', 'PostgreSQL 17.5', noraFalk),
      change('8d2h', { args: ['-c', 'max_connections=400'] }, 'Raise the connection limit', noraFalk),
      change('44m', { tag: '17.6' }, 'PostgreSQL 17.6: last two pods first, then verify', noraFalk, {
        updateStrategy: { rollingUpdate: { partition: 3 } },
      }),
    ],
  },
  {
    kind: 'Deployment',
    app: app('ledger', '6.1.0', { hasSecret: true }),
    replicas: 3,
    created: '21d',
    by: argo,
    cause: 'Ledger 6.1.0',
    acts: [
      ship('11d5h', '6.2.0', 'Ledger 6.2.0: double-entry checks'),
      ship('4d8h', '6.2.1', 'Ledger 6.2.1'),
    ],
    isLively: true,
  },
  {
    kind: 'Deployment',
    app: app('webhooks', '3.2.0'),
    replicas: 2,
    created: '21d',
    by: pipeline,
    cause: 'Webhooks 3.2.0',
    acts: [
      ship('12d6h', '3.3.0', 'Webhooks 3.3.0', pipeline),
      change(
        '6d6h',
        { env: { LOG_LEVEL: 'debug' } },
        'Debug logging for lost webhooks',
        using('set', ivanPetrov),
      ),
      undo('6d4h', 1, ivanPetrov),
      ship('49m', '3.4.0', 'Webhooks 3.4.0: signed bodies', pipeline),
    ],
    isLively: true,
  },
  {
    kind: 'StatefulSet',
    app: app('outbox', '1.6.0', { memory: '256Mi' }),
    replicas: 3,
    created: '21d',
    by: pipeline,
    cause: 'Outbox 1.6.0',
    acts: [ship('9d2h', '1.7.0', 'Outbox 1.7.0', pipeline), ship('12m', '1.7.1', 'Outbox 1.7.1', pipeline)],
  },
  {
    kind: 'Deployment',
    app: app('refunds', '1.9.2', { hasSecret: true }),
    replicas: 2,
    created: '21d',
    by: pipeline,
    cause: 'Refunds 1.9.2',
    acts: [ship('7d7h', '1.10.0', 'Refunds 1.10.0: partial refunds', pipeline)],
    isLively: true,
  },
  {
    kind: 'Deployment',
    app: app('invoices', '2.7.3', { cpu: '200m', memory: '256Mi' }),
    replicas: 2,
    created: '21d',
    by: jonasWeber,
    cause: 'Invoices 2.7.3',
    acts: [
      ship('3d4h', '2.8.O', 'Invoices 2.8.0', jonasWeber),
      ship('3d3h56m', '2.8.0', 'Invoices 2.8.0, corrected tag', jonasWeber),
    ],
  },
];
