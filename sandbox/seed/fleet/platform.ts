import type { JsonObject } from '@/lib/kube/json';
import {
  create,
  edit,
  flux,
  helm4,
  helmController,
  helmLabels,
  ivanPetrov,
  mirror,
  pipeline,
  priyaNair,
  rolling,
  saraKim,
  ship,
  undo,
  workloadsIn,
} from '@/sandbox/seed/story';
import {
  type Ago,
  manifest,
  type SeedAction,
  type SeedObject,
  type WorkloadSeed,
} from '@/sandbox/seed/workload';

const ml = workloadsIn('ml');
const ops = workloadsIn('ops');

/** Models. */
export const ML: readonly WorkloadSeed[] = [
  ml('Deployment', 'recommender', { replicas: 3, isLively: true }, [
    ship('21d', priyaNair, 'Recommender 1.6.2', {
      tag: '1.6.2',
      env: { MODEL: 's3://models/recommender/2026-10', TOP_K: '24' },
      cpu: '1',
      memory: '2Gi',
    }),
    ship('13d2h', priyaNair, 'Recommender 1.6.4', '1.6.4'),
    ship('5d9h', priyaNair, 'Recommender 1.7.0 with the November model', {
      tag: '1.7.0',
      env: { MODEL: 's3://models/recommender/2026-11' },
    }),
  ]),
  ml('Deployment', 'fraud-scorer', { replicas: 3 }, [
    ship('21d', ivanPetrov, 'September model', {
      tag: '1.8.0',
      env: { THRESHOLD: '0.85' },
      cpu: '500m',
      memory: '1Gi',
    }),
    ship('15d3h', ivanPetrov, 'October model', '1.9.0'),
    ship('12d4h', ivanPetrov, 'Lower the detection threshold', { env: { THRESHOLD: '0.82' } }),
    undo('12d2h', ivanPetrov, 1, 'Too many false alarms'),
    ship('2d9h', ivanPetrov, 'November model', '1.10.0'),
    ship('2d8h59m', ivanPetrov, 'November model, lower threshold', {
      tag: '1.10.1',
      env: { THRESHOLD: '0.8' },
    }),
  ]),
  ml('Deployment', 'embedder', { replicas: 2, spec: rolling(1, 0) }, [
    ship('21d', priyaNair, 'Embedder 0.9.1', { tag: '0.9.1', cpu: '2', memory: '4Gi' }),
    create('20d5h', priyaNair, translator('0.8.5', '4096')),
    deployTranslator('9d3h', '0.9.0', '4096'),
    ship('8d8h', priyaNair, 'Embedder 0.9.2', '0.9.2'),
    deployTranslator('4d7h', '0.9.0', '8192'),
    deployTranslator('3d2h', '0.9.1', '8192'),
  ]),
  ml('LeaderWorkerSet', 'assistant', { replicas: 4 }, [
    ship('27d', priyaNair, 'Assistant with the September model', {
      tag: '0.10.1',
      image: 'registry.example.com/ml/model-server',
      port: 8000,
      env: { LOG_LEVEL: undefined, MODEL: 's3://models/assistant/2026-09', TENSOR_PARALLEL: '8' },
      cpu: '250m',
      memory: '512Mi',
    }),
    ship('19d5h', priyaNair, 'October model for the assistant', {
      env: { MODEL: 's3://models/assistant/2026-10' },
    }),
    ship('11d3h', priyaNair, 'Model server 0.11.0', '0.11.0'),
    ship('6d4h', ivanPetrov, 'November model for the assistant', {
      tag: '0.11.2',
      env: { MODEL: 's3://models/assistant/2026-11' },
    }),
    ship('13m', priyaNair, 'Model server 0.12.0', '0.12.0'),
  ]),
  ml('StatefulSet', 'feature-store', { replicas: 2 }, [
    ship('21d', pipeline, 'Feature store 2.2.0', { tag: '2.2.0', port: 6566, cpu: '500m', memory: '2Gi' }),
    ship('10d6h', pipeline, 'Feature store 2.2.1', '2.2.1'),
    ship('3d8h', pipeline, 'Feature store 2.3.0', '2.3.0'),
  ]),
  ml('DaemonSet', 'model-cache', {}, [
    ship('21d', pipeline, 'Model cache 0.4.0', { tag: '0.4.0', probe: '/ready' }),
    ship('7d1h', pipeline, 'Model cache 0.4.1', '0.4.1'),
  ]),
];

/** Monitoring. */
export const OPS: readonly WorkloadSeed[] = [
  ops('Deployment', 'grafana', { replicas: 1 }, [
    ship('21d', helm4, null, {
      tag: '12.1.0',
      image: mirror('grafana'),
      port: 3000,
      memory: '256Mi',
      labels: helmLabels('grafana', 'grafana-9.4.0'),
    }),
    ship('11d3h', helm4, null, { tag: '12.1.1', labels: helmLabels('grafana', 'grafana-9.4.2') }),
    ship('3h20m', helm4, null, { tag: '12.2.0', labels: helmLabels('grafana', 'grafana-9.5.0') }),
  ]),
  ops('StatefulSet', 'prometheus', { replicas: 2 }, [
    ship('21d', helmController, null, {
      tag: 'v3.5.0',
      image: mirror('prometheus'),
      port: 9090,
      cpu: '500m',
      memory: '2Gi',
      labels: helmLabels('prometheus', 'prometheus-27.3.0'),
    }),
    ship('5d8h', helmController, null, { args: ['--storage.tsdb.retention.time=30d'] }),
  ]),
  ops('DaemonSet', 'log-shipper', {}, [
    ship('21d', flux, 'Vector 3.1.2', { tag: '3.1.2', image: mirror('vector') }),
    ship('4d2h', flux, 'Vector 3.1.4', '3.1.4'),
  ]),
  ops('Deployment', 'alert-router', { replicas: 2 }, [
    ship('21d', flux, 'Alertmanager 0.28.0', { tag: '0.28.0', image: mirror('alertmanager'), port: 9093 }),
    ship('7d9h', flux, 'Alertmanager 0.28.1', '0.28.1'),
  ]),
  ops('Deployment', 'backup', { replicas: 1, spec: { strategy: { type: 'Recreate' } } }, [
    ship('21d', saraKim, 'Backup 2.0.5', { tag: '2.0.5', hasSecret: true }),
    ship('1d4h', saraKim, 'Backup 2.1.0: two backup locations', '2.1.0'),
  ]),
  ops('Deployment', 'status-page', { replicas: 2, isLively: true }, [
    ship('21d', pipeline, 'Status page 1.5.0', '1.5.0'),
    ship('10d8h', pipeline, 'Status page 1.5.1', '1.5.1'),
  ]),
  ops('Deployment', 'cert-renewer', { replicas: 1 }, [
    ship('21d', flux, null, { tag: '1.18.2', image: mirror('cert-manager') }),
  ]),
];

/** A kind that Shiplog knows by its revisions alone; what happens to it is part of another workload's story. */
function translator(tag: string, tokens: string): SeedObject {
  const engine = {
    name: 'engine',
    image: `registry.example.com/ml/vllm:${tag}`,
    args: ['--model', '/models/translator', '--max-model-len', tokens],
    ports: [{ containerPort: 8000 }],
    resources: { requests: { cpu: '500m', memory: '1Gi' }, limits: { memory: '1Gi' } },
  };
  const template = { metadata: { labels: { app: 'translator' } }, spec: { containers: [engine] } };
  return manifest('orchestration.aibrix.ai/v1alpha1', 'StormService', 'ml/translator', {
    spec: { replicas: 2, stateful: true, template },
  });
}

function deployTranslator(ago: Ago, tag: string, tokens: string): SeedAction {
  const object = translator(tag, tokens);
  const { template } = object.spec as JsonObject;
  return edit(ago, priyaNair, object, { spec: { template } });
}
