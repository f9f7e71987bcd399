import { type JsonObject } from '@/lib/kube/json';
import { priyaNair, using } from '@/sandbox/seed/people';
import { type SeedAction, type Ago } from '@/sandbox/seed/workload-seed';

const SERVICES = '/apis/orchestration.aibrix.ai/v1alpha1/namespaces/ml/stormservices';

/** A kind that Shiplog knows by its revisions alone; its seed actions are part of another workload's seed. */
export const TRANSLATOR: readonly SeedAction[] = [
  {
    do: 'createObject',
    ago: '20d5h',
    by: priyaNair,
    collection: SERVICES,
    object: {
      apiVersion: 'orchestration.aibrix.ai/v1alpha1',
      kind: 'StormService',
      metadata: { name: 'translator', namespace: 'ml' },
      spec: { replicas: 2, stateful: true, template: template('0.8.5', '4096') },
    },
  },
  deploy('9d3h', template('0.9.0', '4096')),
  deploy('4d7h', template('0.9.0', '8192')),
  deploy('3d2h', template('0.9.1', '8192')),
];

function deploy(ago: Ago, to: JsonObject): SeedAction {
  return {
    do: 'patchObject',
    ago,
    by: using('edit', priyaNair),
    path: `${SERVICES}/translator`,
    patch: { spec: { template: to } },
  };
}

function template(tag: string, tokens: string): JsonObject {
  return {
    metadata: { labels: { app: 'translator' } },
    spec: {
      containers: [
        {
          name: 'engine',
          image: `registry.example.com/ml/vllm:${tag}`,
          args: ['--model', '/models/translator', '--max-model-len', tokens],
          ports: [{ containerPort: 8000 }],
          resources: { requests: { cpu: '500m', memory: '1Gi' }, limits: { memory: '1Gi' } },
        },
      ],
    },
  };
}
