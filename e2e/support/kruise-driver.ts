import { createNamespace, type KubeClient } from '@/e2e/controlplane/kube-client';
import { waitFor, waitForText } from '@/e2e/controlplane/wait';
import { installKruise } from '@/e2e/support/install-crds';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { numberAt, textAt } from '@/lib/kube/read';

const NAMESPACE = 'shop';
const CORE = `/api/v1/namespaces/${NAMESPACE}`;
const ROLLOUTS = `/apis/rollouts.kruise.io/v1beta1/namespaces/${NAMESPACE}/rollouts`;

const kinds = {
  Deployment: { apiVersion: 'apps/v1', path: `/apis/apps/v1/namespaces/${NAMESPACE}/deployments` },
  CloneSet: {
    apiVersion: 'apps.kruise.io/v1alpha1',
    path: `/apis/apps.kruise.io/v1alpha1/namespaces/${NAMESPACE}/clonesets`,
  },
} as const;

/** A workload, preceded by a Rollout of the same name. */
export interface KruiseApp {
  name: string;
  kind: keyof typeof kinds;
  replicas: number;
  style: 'canary' | 'partition';
  steps: readonly JsonObject[];
}

/** The actions of people and their tools on them. */
export interface KruiseDriver {
  /** Creates it with the image `{name}:1.0.0`; returns once its Rollout is healthy and its pods are ready. */
  create(app: KruiseApp): Promise<void>;
  /** Begins a rollout of `{name}:{version}`. */
  ship(app: KruiseApp, version: string): Promise<void>;
  /** Like `kubectl kruise rollout approve`. */
  approve(name: string): Promise<void>;
  /** Returns when the Rollout has this status: `Progressing 2 StepPaused`. */
  until(name: string, expected: string): Promise<void>;
  /** Names of the pods that carry the label of a step of the current rollout, sorted. */
  podsOfStep(name: string, step: number): Promise<string[]>;
}

/** Installs the definitions of OpenKruise in a cluster that runs its controllers, with an empty namespace `shop`. */
export async function createKruiseDriver(client: KubeClient): Promise<KruiseDriver> {
  await installKruise(client);
  await createNamespace(client, NAMESPACE);
  const rollout = (name: string) => client.get<KubeObject>(`${ROLLOUTS}/${name}`);
  const until = (name: string, expected: string) =>
    waitForText(`${name} is at`, async () => statusText(await rollout(name)), expected);

  return {
    until,
    create: async (app) => {
      const { name, kind, steps } = app;
      await client.create(kinds[kind].path, workloadOf(app));
      await client.create(ROLLOUTS, rolloutOf(app));
      await until(name, `Healthy ${steps.length} Completed`);
      await untilReady(client, app);
    },
    ship: async ({ name, kind }, version) => {
      const template = { spec: { containers: [containerOf(name, version)] } };
      await client.patch(`${kinds[kind].path}/${name}`, { spec: { template } });
    },
    approve: async (name) => {
      const canaryStatus = { currentStepState: 'StepReady' };
      await client.patch(`${ROLLOUTS}/${name}/status`, { status: { canaryStatus } });
    },
    podsOfStep: async (name, step) => {
      const id = textAt((await rollout(name)).status, 'canaryStatus', 'observedRolloutID') ?? '';
      const selector = `app=${name},rollouts.kruise.io/rollout-id=${id},rollouts.kruise.io/rollout-batch-id=${step}`;
      const { items } = await client.list(`${CORE}/pods?${new URLSearchParams({ labelSelector: selector })}`);
      return items.map((pod) => (pod as unknown as KubeObject).metadata.name).sort();
    },
  };
}

function statusText({ status }: KubeObject): string {
  const step = numberAt(status, 'canaryStatus', 'currentStepIndex');
  return [textAt(status, 'phase'), step, textAt(status, 'canaryStatus', 'currentStepState')].join(' ');
}

async function untilReady(client: KubeClient, { name, kind, replicas }: KruiseApp): Promise<void> {
  await waitFor(
    async () => {
      const { status } = await client.get<KubeObject>(`${kinds[kind].path}/${name}`);
      return numberAt(status, 'readyReplicas') === replicas;
    },
    { what: `${name} has ${replicas} ready pods` },
  );
}

function workloadOf({ name, kind, replicas }: KruiseApp): JsonObject {
  const labels = { app: name };
  return {
    apiVersion: kinds[kind].apiVersion,
    kind,
    metadata: { name, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [containerOf(name, '1.0.0')] } },
    },
  };
}

function containerOf(name: string, version: string): JsonObject {
  return { name: 'main', image: `registry.example.com/shop/${name}:${version}` };
}

function rolloutOf({ name, kind, style, steps }: KruiseApp): JsonObject {
  const canary = { steps: [...steps], ...(style === 'canary' && { enableExtraWorkloadForCanary: true }) };
  return {
    apiVersion: 'rollouts.kruise.io/v1beta1',
    kind: 'Rollout',
    metadata: { name },
    spec: { workloadRef: { apiVersion: kinds[kind].apiVersion, kind, name }, strategy: { canary } },
  };
}
