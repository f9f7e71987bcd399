import { type KubeClient } from '@/e2e/controlplane/kube-client';
import { waitFor } from '@/e2e/controlplane/wait';
import { startSandboxCluster } from '@/e2e/controllers/sandbox-cluster';
import { installKruise } from '@/e2e/controllers/kruise-crds';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { numberAt, textAt } from '@/lib/workloads/read';
import { customResource } from '@/server/sandbox/crds/custom-resource';

const NAMESPACE = 'shop';
const CORE = `/api/v1/namespaces/${NAMESPACE}`;
const INGRESSES = `/apis/networking.k8s.io/v1/namespaces/${NAMESPACE}/ingresses`;
const ROLLOUTS = `/apis/rollouts.kruise.io/v1beta1/namespaces/${NAMESPACE}/rollouts`;

const kinds = {
  Deployment: { apiVersion: 'apps/v1', path: `/apis/apps/v1/namespaces/${NAMESPACE}/deployments` },
  CloneSet: {
    apiVersion: 'apps.kruise.io/v1alpha1',
    path: `/apis/apps.kruise.io/v1alpha1/namespaces/${NAMESPACE}/clonesets`,
  },
} as const;

/** A workload with a Rollout of the same name before it. */
export interface PlayedApp {
  name: string;
  kind: keyof typeof kinds;
  replicas: number;
  style: 'canary' | 'partition' | 'blueGreen';
  steps: readonly JsonObject[];
  /** With a Service and an Ingress, which the steps set the traffic of. */
  routed?: boolean;
}

/** A sandbox with the played controllers of OpenKruise in this process. */
export interface PlayedReleases {
  readonly kubeconfig: string;
  readonly client: KubeClient;
  /** Creates it with the image `{name}:1.0.0`; returns once its Rollout is healthy. */
  create(app: PlayedApp): Promise<void>;
  /** Begins a release of `{name}:{version}`. */
  release(app: PlayedApp, version: string, extra?: JsonObject): Promise<void>;
  /** As `kubectl kruise rollout approve` does. */
  approve(name: string): Promise<void>;
  patch(name: string, change: JsonObject): Promise<void>;
  /** `Progressing 2 StepPaused`. */
  status(name: string): Promise<string>;
  until(name: string, wanted: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it, with the definitions of OpenKruise and an empty namespace `shop`. */
export async function startPlayedReleases(): Promise<PlayedReleases> {
  const cluster = await startSandboxCluster('kubectl');
  const client = cluster.client();
  await installKruise(client);
  await serveIngresses(client);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
  await client.create('/api/v1/namespaces', namespace);

  const rollout = (name: string) => client.get<KubeObject>(`${ROLLOUTS}/${name}`);

  async function status(name: string): Promise<string> {
    const { status: found } = await rollout(name);
    const [at] = found?.blueGreenStatus === undefined ? ['canaryStatus'] : ['blueGreenStatus'];
    return [
      textAt(found, 'phase'),
      numberAt(found, at ?? '', 'currentStepIndex'),
      textAt(found, at ?? '', 'currentStepState'),
    ].join(' ');
  }

  async function until(name: string, wanted: string): Promise<void> {
    let last = '';
    await waitFor(async () => (last = await status(name)) === wanted, {
      what: `${name} is at ${wanted}`,
      timeoutMs: 60_000,
      detail: () => `It is at ${last}.`,
    });
  }

  return {
    kubeconfig: cluster.kubeconfig,
    client,
    status,
    until,
    create: async (app) => {
      const { name, kind } = app;
      if (app.routed === true) await createRoute(client, name);
      await client.create(kinds[kind].path, workloadOf(app));
      await client.create(ROLLOUTS, rolloutOf(app));
      await until(name, `Healthy ${app.steps.length} Completed`);
      await untilReady(client, app);
    },
    release: async ({ name, kind }, version, extra = {}) => {
      const { metadata } = await client.get<KubeObject>(`${kinds[kind].path}/${name}`);
      const labels = { ...metadata.labels };
      const template = { spec: { containers: [containerOf(name, version, extra)] } };
      await client.patch(`${kinds[kind].path}/${name}`, { metadata: { labels }, spec: { template } });
    },
    approve: async (name) => {
      const { status: found } = await rollout(name);
      const at = found?.blueGreenStatus === undefined ? 'canaryStatus' : 'blueGreenStatus';
      await client.patch(`${ROLLOUTS}/${name}/status`, {
        status: { [at]: { currentStepState: 'StepReady' } },
      });
    },
    patch: async (name, change) => void (await client.patch(`${ROLLOUTS}/${name}`, change)),
    stop: () => cluster.stop(),
  };
}

/** The sandbox itself has no use for them. */
async function serveIngresses(client: KubeClient): Promise<void> {
  const isServed = () => client.list(INGRESSES).then(Boolean, () => false);
  if (await isServed()) return;
  const kind = { group: 'networking.k8s.io', kind: 'Ingress', plural: 'ingresses', versions: ['v1'] };
  await client.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', customResource(kind));
  await waitFor(isServed, { what: 'Ingresses are served' });
}

async function untilReady(client: KubeClient, { name, kind, replicas }: PlayedApp): Promise<void> {
  await waitFor(
    async () => {
      const { status } = await client.get<KubeObject>(`${kinds[kind].path}/${name}`);
      return numberAt(status, 'readyReplicas') === replicas;
    },
    { what: `${name} has ${replicas} ready pods`, timeoutMs: 60_000 },
  );
}

async function createRoute(client: KubeClient, name: string): Promise<void> {
  await client.create(`${CORE}/services`, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { app: name }, ports: [{ port: 80 }] },
  });
  const backend = { service: { name, port: { number: 80 } } };
  await client.create(INGRESSES, {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name },
    spec: { rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }] },
  });
}

function workloadOf({ name, kind, replicas }: PlayedApp): JsonObject {
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

function containerOf(name: string, version: string, extra: JsonObject = {}): JsonObject {
  return { name: 'main', image: `registry.example.com/shop/${name}:${version}`, ...extra };
}

function rolloutOf({ name, kind, style, steps, routed = false }: PlayedApp): JsonObject {
  const trafficRoutings = [{ service: name, gracePeriodSeconds: 1, ingress: { name } }];
  const plan = { steps: [...steps], ...(routed && { trafficRoutings }) };
  const strategy =
    style === 'blueGreen'
      ? { blueGreen: plan }
      : { canary: { ...plan, ...(style === 'canary' && { enableExtraWorkloadForCanary: true }) } };
  return {
    apiVersion: 'rollouts.kruise.io/v1beta1',
    kind: 'Rollout',
    metadata: { name },
    spec: { workloadRef: { apiVersion: kinds[kind].apiVersion, kind, name }, strategy },
  };
}
