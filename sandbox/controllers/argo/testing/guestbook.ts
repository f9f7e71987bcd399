import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { argoCrds } from '@/sandbox/crds/argo';
import {
  type ArgoResource,
  HASH_LABEL,
  REVISION,
  REVISION_HISTORY,
} from '@/sandbox/controllers/argo/argo-rollout';
import { type ReplicaSet } from '@/sandbox/controllers/objects/workloads';
import { type TestSandbox } from '@/sandbox/controllers/testing/test-sandbox';

export const GUESTBOOK = '/argoproj.io/v1alpha1/namespaces/default/rollouts/guestbook';
export const ARGO = '/apis/argoproj.io/v1alpha1';

export function guestbook(
  strategy: JsonObject,
  spec: JsonObject = {},
): JsonObject & { apiVersion: string; kind: string } {
  const labels = { app: 'guestbook' };
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    metadata: { name: 'guestbook', annotations: { 'kubernetes.io/change-cause': 'first' } },
    spec: {
      replicas: 5,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'guestbook:1' }] } },
      strategy,
      ...spec,
    },
  };
}

export async function installArgo(sandbox: TestSandbox): Promise<void> {
  await sandbox.define(...argoCrds);
}

export async function theRollout(sandbox: TestSandbox): Promise<ArgoResource> {
  const [rollout] = await sandbox.list('rollouts', ARGO);
  if (rollout === undefined) throw new Error('there is no Rollout');
  return rollout as ArgoResource;
}

/** Of each ReplicaSet, oldest number first: `number(former numbers)image*pods`. */
export async function revisionHistory(sandbox: TestSandbox): Promise<string[]> {
  const sets = (await sandbox.list('replicasets')) as ReplicaSet[];
  const number = ({ metadata }: ReplicaSet) => Number(metadata.annotations?.[REVISION]);
  return sets
    .toSorted((a, b) => number(a) - number(b))
    .map((set) => {
      const former = set.metadata.annotations?.[REVISION_HISTORY];
      const [container] = set.spec.template.spec.containers;
      const version = container?.image?.split(':')[1] ?? '';
      return `${number(set)}${former === undefined ? '' : `(${former})`} v${version}*${set.spec.replicas}`;
    });
}

/**
 * `phase message
 * step
 * pods by hash`, as a terminal shows it.
 */
export async function statusText(sandbox: TestSandbox): Promise<string> {
  const { status } = await theRollout(sandbox);
  return [status.phase, status.message, status.currentStepIndex]
    .filter((part) => part !== undefined)
    .join(' ');
}

export async function setOf(sandbox: TestSandbox, version: string): Promise<ReplicaSet> {
  const sets = (await sandbox.list('replicasets')) as ReplicaSet[];
  const set = sets.find(({ spec }) => spec.template.spec.containers[0]?.image === `guestbook:${version}`);
  if (set === undefined) throw new Error(`nothing has been made for ${version}`);
  return set;
}

export function hashLabelOf({ metadata }: KubeObject): string {
  return metadata.labels?.[HASH_LABEL] ?? '';
}
