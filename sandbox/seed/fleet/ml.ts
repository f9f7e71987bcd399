import { appsOf, change, ship, undo } from '@/sandbox/seed/seed-actions';
import { ivanPetrov, pipeline, priyaNair, using } from '@/sandbox/seed/people';
import { TRANSLATOR } from '@/sandbox/seed/fleet/storm-service';
import { msOf, type WorkloadSeed } from '@/sandbox/seed/workload-seed';

const app = appsOf('ml');

/** Models. */
export const ML: readonly WorkloadSeed[] = [
  {
    kind: 'Deployment',
    app: app('recommender', '1.6.2', {
      env: { LOG_LEVEL: 'info', MODEL: 's3://models/recommender/2026-10', TOP_K: '24' },
      cpu: '1',
      memory: '2Gi',
    }),
    replicas: 3,
    created: '21d',
    by: priyaNair,
    cause: 'Recommender 1.6.2',
    acts: [
      ship('13d2h', '1.6.4', 'Recommender 1.6.4', priyaNair),
      change(
        '5d9h',
        {
          tag: '1.7.0',
          env: { LOG_LEVEL: 'info', MODEL: 's3://models/recommender/2026-11', TOP_K: '24' },
        },
        'Recommender 1.7.0 with the November model',
        priyaNair,
      ),
    ],
    isLively: true,
  },
  {
    kind: 'Deployment',
    app: app('fraud-scorer', '1.8.0', {
      env: { LOG_LEVEL: 'info', THRESHOLD: '0.85' },
      cpu: '500m',
      memory: '1Gi',
    }),
    replicas: 3,
    created: '21d',
    by: ivanPetrov,
    cause: 'September model',
    // prettier-ignore
    acts: [
      ship('15d3h', '1.9.0', 'October model', ivanPetrov),
      change('12d4h', { env: { LOG_LEVEL: 'info', THRESHOLD: '0.82' } }, 'Lower the detection threshold', using('set', ivanPetrov)),
      undo('12d2h', 1, ivanPetrov),
      ship('2d9h', '1.10.0', 'November model', ivanPetrov),
      change('2d8h59m', { tag: '1.10.1', env: { LOG_LEVEL: 'info', THRESHOLD: '0.8' } }, 'November model, lower threshold', ivanPetrov),
    ],
  },
  {
    kind: 'Deployment',
    app: app('embedder', '0.9.1', { cpu: '2', memory: '4Gi' }),
    replicas: 2,
    spec: { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
    created: '21d',
    by: priyaNair,
    cause: 'Embedder 0.9.1',
    acts: [ship('8d8h', '0.9.2', 'Embedder 0.9.2', priyaNair), ...TRANSLATOR].toSorted(
      (a, b) => msOf(b.ago) - msOf(a.ago),
    ),
  },
  {
    kind: 'LeaderWorkerSet',
    app: app('assistant', '0.10.1', {
      image: 'registry.example.com/ml/model-server',
      port: 8000,
      env: { MODEL: 's3://models/assistant/2026-09', TENSOR_PARALLEL: '8' },
      cpu: '250m',
      memory: '512Mi',
    }),
    replicas: 4,
    groupSize: 3,
    created: '27d',
    by: priyaNair,
    cause: 'Assistant with the September model',
    acts: [
      change(
        '19d5h',
        { env: { MODEL: 's3://models/assistant/2026-10', TENSOR_PARALLEL: '8' } },
        'October model for the assistant',
        priyaNair,
      ),
      ship('11d3h', '0.11.0', 'Model server 0.11.0', priyaNair),
      change(
        '6d4h',
        { tag: '0.11.2', env: { MODEL: 's3://models/assistant/2026-11', TENSOR_PARALLEL: '8' } },
        'November model for the assistant',
        ivanPetrov,
      ),
      change(
        '13m',
        { tag: '0.12.0', env: { MODEL: 's3://models/assistant/2026-11', TENSOR_PARALLEL: '8' } },
        'Model server 0.12.0',
        priyaNair,
      ),
    ],
  },
  {
    kind: 'StatefulSet',
    app: app('feature-store', '2.2.0', { port: 6566, cpu: '500m', memory: '2Gi' }),
    replicas: 2,
    created: '21d',
    by: pipeline,
    cause: 'Feature store 2.2.0',
    acts: [
      ship('10d6h', '2.2.1', 'Feature store 2.2.1', pipeline),
      ship('3d8h', '2.3.0', 'Feature store 2.3.0', pipeline),
    ],
  },
  {
    kind: 'DaemonSet',
    app: app('model-cache', '0.4.0', { probe: '/ready' }),
    created: '21d',
    by: pipeline,
    cause: 'Model cache 0.4.0',
    acts: [ship('7d1h', '0.4.1', 'Model cache 0.4.1', pipeline)],
  },
];
