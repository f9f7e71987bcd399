import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { REVISION_KEY } from '@/lib/workloads/leader-worker-set/metadata';
import { leaderWorkerSetCrd } from '@/sandbox/crds/crds';
import { TestSandbox } from '@/sandbox/controllers/testing/test-sandbox';
import { imageOf } from '@/sandbox/controllers/testing/pods';

export const LLAMA = '/leaderworkerset.x-k8s.io/v1/namespaces/default/leaderworkersets/llama';
export const LEADERS = '/apps/v1/namespaces/default/statefulsets/llama';

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

export async function startServing(spec: JsonObject = {}): Promise<TestSandbox> {
  const sandbox = await TestSandbox.start();
  await sandbox.define(leaderWorkerSetCrd);
  await sandbox.create(llama(spec));
  await sandbox.untilIdle();
  return sandbox;
}

/** A new image for all pods, at once and without letting time pass. */
export function setImage(sandbox: TestSandbox, image: string): Promise<void> {
  const path = '/spec/leaderWorkerTemplate/workerTemplate/spec/containers/0/image';
  return sandbox.patch(LLAMA, [{ op: 'replace', path, value: image }]);
}

/** Image and key by pod: what each pod really runs, and under which revision. */
export async function runs(sandbox: TestSandbox): Promise<Record<string, string>> {
  const pods = await sandbox.list('pods', '/api/v1');
  return Object.fromEntries(pods.map((pod) => [pod.metadata.name, imageOf(pod)]));
}

/** Numbers and keys of the revisions of the LeaderWorkerSet itself. */
export async function revisions(sandbox: TestSandbox): Promise<{ number: number; key: string }[]> {
  const all = await sandbox.list('controllerrevisions');
  return all
    .filter(({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'LeaderWorkerSet')
    .map(({ revision, metadata }) => ({
      number: revision ?? 0,
      key: metadata.labels?.[REVISION_KEY] ?? '',
    }))
    .sort((a, b) => a.number - b.number);
}

export async function theSet(sandbox: TestSandbox): Promise<KubeObject> {
  const [set] = await sandbox.list('leaderworkersets', '/apis/leaderworkerset.x-k8s.io/v1');
  if (set === undefined) throw new Error('there is no LeaderWorkerSet');
  return set;
}
