import { appsOf, argoLabels, change, ship, undo } from '@/sandbox/seed/seed-actions';
import { argo, jonasWeber, leaBrandt, pipeline, using } from '@/sandbox/seed/people';
import { type WorkloadSeed } from '@/sandbox/seed/workload-seed';

const app = appsOf('search');

/** Search. */
export const SEARCH: readonly WorkloadSeed[] = [
  {
    kind: 'Deployment',
    app: app('query-api', '4.10.1', {
      env: { LOG_LEVEL: 'info', INDEX_URL: 'http://search-index:9200', QUERY_CACHE: '512Mi' },
      cpu: '400m',
      memory: '512Mi',
      labels: argoLabels('search-query-api'),
    }),
    replicas: 5,
    created: '21d',
    by: argo,
    cause: 'Query API 4.10.1',
    acts: [
      ship('17d6h', '4.10.2', 'Query API 4.10.2'),
      ship('9d8h', '4.10.3', 'Query API 4.10.3: typo tolerance'),
      change(
        '4d5h',
        {
          env: { LOG_LEVEL: 'info', INDEX_URL: 'http://search-index:9200', QUERY_CACHE: '1Gi' },
          memory: '1Gi',
        },
        'Double the query cache',
      ),
      change('57m', { tag: '4.11.0', cpu: '600m' }, 'Query API 4.11.0: new ranking'),
      undo('48m', 3, jonasWeber),
    ],
  },
  {
    kind: 'Deployment',
    app: app('indexer', '3.0.2', { cpu: '500m', memory: '512Mi' }),
    replicas: 2,
    spec: { strategy: { type: 'Recreate' } },
    created: '21d',
    by: leaBrandt,
    cause: 'Indexer 3.0.2: batches of 500',
    acts: [
      ship('14d8h', '3.0.3', null, using('set', leaBrandt)),
      ship('10d1h', '3.0.4', null, using('set', leaBrandt)),
      change('5d4h', { tag: '3.1.0', memory: '1Gi' }, null, leaBrandt),
      ship('29m', '3.1.1', null, using('set', leaBrandt)),
    ],
  },
  {
    kind: 'StatefulSet',
    app: app('search-index', '2.19.0', {
      image: 'registry.example.com/mirror/opensearch',
      port: 9200,
      cpu: '1',
      memory: '4Gi',
    }),
    replicas: 3,
    created: '21d',
    by: argo,
    cause: 'OpenSearch 2.19.0',
    acts: [ship('6d7h', '2.19.1', 'OpenSearch 2.19.1')],
  },
  {
    kind: 'Deployment',
    app: app('suggest', '1.14.0'),
    replicas: 3,
    created: '21d',
    by: pipeline,
    cause: 'Suggest 1.14.0',
    acts: [
      ship('11d8h', '1.15.0', 'Suggest 1.15.0', pipeline),
      ship('2d2h', '1.15.1', 'Suggest 1.15.1: fix cache eviction', pipeline),
    ],
    isLively: true,
  },
  {
    kind: 'Deployment',
    app: app('synonyms', '0.8.0', { probe: '/ready' }),
    replicas: 1,
    created: '16d2h',
    by: leaBrandt,
    cause: 'Synonyms 0.8.0',
    acts: [ship('16d1h', '0.8.1', 'Synonyms 0.8.1: trousers = pants', leaBrandt)],
  },
  {
    kind: 'Deployment',
    app: app('spell', '0.7.2'),
    replicas: 0,
    created: '21d',
    by: pipeline,
    cause: 'Spell 0.7.2',
    acts: [ship('19d', '0.7.3', 'Spell 0.7.3', pipeline)],
  },
];
