import type { JsonObject } from '@/lib/kube/json';

export function llama(spec: JsonObject = {}, image = 'vllm:1'): JsonObject & { kind: string } {
  return {
    apiVersion: 'leaderworkerset.x-k8s.io/v1',
    kind: 'LeaderWorkerSet',
    metadata: { name: 'llama' },
    spec: { replicas: 3, leaderWorkerTemplate: groupTemplate(image), ...spec },
  };
}

export function groupTemplate(image: string, size = 2): JsonObject {
  return { size, workerTemplate: { spec: { containers: [{ name: 'vllm', image }] } } };
}

export function rolling(members: JsonObject): JsonObject {
  return { rolloutStrategy: { type: 'RollingUpdate', rollingUpdateConfiguration: members } };
}
