import { createNamespace, type KubeClient } from '@/e2e/controlplane/kube-client';
import { waitForText } from '@/e2e/controlplane/wait';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { numberAt, objectsAt, textAt } from '@/lib/kube/read';

/** Rollouts of one namespace, and actions on them. */
export interface ArgoDriver {
  readonly namespace: string;
  pathOf(name: string): string;
  /** Creates one with the image `{name}:1`, and the Services that its strategy names; returns once it is healthy. */
  create(name: string, spec: JsonObject & { strategy: JsonObject }): Promise<void>;
  /** Begins a rollout of `{name}:{version}`. */
  ship(name: string, version: string, cause?: string): Promise<void>;
  read(name: string): Promise<KubeObject>;
  /** Returns when phase, message and index of the step are these: `Paused CanaryPauseStep 1`. */
  until(name: string, expected: string): Promise<void>;
  /** Returns when the ReplicaSets are these, by number: `1 v1*4, 2(1,1) v2*1`. */
  untilSets(name: string, expected: string): Promise<void>;
}

const REPLICAS = 4;

export async function createArgoDriver(client: KubeClient, namespace: string): Promise<ArgoDriver> {
  const core = `/api/v1/namespaces/${namespace}`;
  const rollouts = `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/rollouts`;
  await createNamespace(client, namespace);
  const pathOf = (name: string) => `${rollouts}/${name}`;
  const read = (name: string) => client.get<KubeObject>(pathOf(name));

  const driver: ArgoDriver = {
    namespace,
    pathOf,
    read,
    until: (name, expected) => waitForText(`${name} is`, async () => statusText(await read(name)), expected),
    untilSets: (name, expected) =>
      waitForText(
        `${name} has`,
        async () => {
          const path = `/apis/apps/v1/namespaces/${namespace}/replicasets`;
          const { items } = await client.list(`${path}?labelSelector=app=${name}`);
          return setsText(items as object[] as KubeObject[]);
        },
        expected,
      ),
    create: async (name, spec) => {
      const labels = { app: name };
      const { activeService, previewService } = (spec.strategy.blueGreen ?? {}) as Record<string, string>;
      for (const service of [activeService, previewService])
        if (service !== undefined)
          await client.create(`${core}/services`, {
            apiVersion: 'v1',
            kind: 'Service',
            metadata: { name: service },
            spec: { selector: labels, ports: [{ port: 80 }] },
          });
      await client.create(rollouts, {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'Rollout',
        metadata: { name, annotations: { 'kubernetes.io/change-cause': 'version 1' } },
        spec: {
          replicas: REPLICAS,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: `${name}:1` }] } },
          ...spec,
        },
      });
      const steps = objectsAt(spec.strategy, 'canary', 'steps').length;
      await driver.until(name, steps > 0 ? `Healthy ${steps}` : 'Healthy');
    },
    ship: async (name, version, cause = `version ${version}`) => {
      await client.patch(pathOf(name), {
        metadata: { annotations: { 'kubernetes.io/change-cause': cause } },
        spec: { template: { spec: { containers: [{ name: 'app', image: `${name}:${version}` }] } } },
      });
    },
  };
  return driver;
}

function statusText({ status, metadata }: KubeObject): string {
  const isObserved = textAt(status, 'observedGeneration') === String(metadata.generation);
  const parts = [textAt(status, 'phase'), textAt(status, 'message'), numberAt(status, 'currentStepIndex')];
  return isObserved ? parts.filter((part) => part !== undefined).join(' ') : 'not seen yet';
}

function setsText(sets: readonly KubeObject[]): string {
  const noteOf = ({ metadata }: KubeObject, name: string) =>
    metadata.annotations?.[`rollout.argoproj.io/${name}`] ?? '';
  return sets
    .toSorted((a, b) => Number(noteOf(a, 'revision')) - Number(noteOf(b, 'revision')))
    .map((set) => {
      const [container] = objectsAt(set.spec, 'template', 'spec', 'containers');
      const version = textAt(container, 'image')?.split(':')[1] ?? '';
      const former = noteOf(set, 'revision-history');
      const pods = `v${version}*${numberAt(set.status, 'replicas') ?? 0}`;
      return `${noteOf(set, 'revision')}${former === '' ? '' : `(${former})`} ${pods}`;
    })
    .join(', ');
}
