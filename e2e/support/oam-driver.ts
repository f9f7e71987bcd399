import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createNamespace, type KubeClient } from '@/e2e/controlplane/kube-client';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { testCluster } from '@/e2e/controlplane/test-cluster';
import { waitFor, waitForText } from '@/e2e/controlplane/wait';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { numberAt, textAt } from '@/lib/kube/read';
import { manifest } from '@/server/controllers/oam-rollout/testing/manifest';
import { kubevelaCrds, oamRolloutCrd } from '@/sandbox/crds/crds';

/** Rollouts of OAM and Applications of one namespace, and actions on them. */
export interface OamDriver {
  readonly namespace: string;
  pathOf(rollout: string): string;
  /**
   * Creates the Deployments `{name}-old` and `{name}-new`, the former with four pods, and a Rollout from one to the
   * other in four batches; returns once the old pods are ready and the Rollout exists.
   */
  begin(name: string, plan?: JsonObject): Promise<void>;
  /** A metric that always has this value, in the form that a Rollout queries. */
  metric(name: string, value: number, range: { max: number }): Promise<JsonObject>;
  /**
   * Returns when exactly that many pods of the old and of the new Deployment are ready, and there are no others:
   * `3+1`.
   */
  untilPods(name: string, expected: string): Promise<void>;
  /** Returns when the Rollout is deleted. */
  untilGone(name: string): Promise<void>;
  /** Creates an Application with the image `{name}:1`; returns once it runs. */
  apply(name: string, publishVersion: string): Promise<void>;
  /** Changes it to `{name}:{version}`; returns once that runs. */
  ship(name: string, version: number, publishVersion: string): Promise<void>;
  /** Returns when the Application runs this revision: `v2 second 1`, number, publishVersion and version. */
  untilRuns(name: string, expected: string): Promise<void>;
}

const PODS = 4;
const TIMEOUT_MS = 90_000;
const PUBLISH_VERSION = 'app.oam.dev/publishVersion';
const QUARTERS: JsonObject[] = Array.from({ length: 4 }, () => ({ replicas: '25%' }));

/** Installs the definitions and returns when every kind is served. */
export async function installOam(client: KubeClient): Promise<void> {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const all = [oamRolloutCrd(), ...kubevelaCrds];
  await Promise.all(all.map((definition) => client.create(definitions, definition)));
  for (const { spec } of all) {
    const [group, plural] = [textAt(spec, 'group') ?? '', textAt(spec, 'names', 'plural') ?? ''];
    const path = `/apis/${group}/${group === 'core.oam.dev' ? 'v1beta1' : 'v1alpha1'}/${plural}`;
    await waitFor(() => client.list(path), { what: `${path} is served` });
  }
}

/** A Prometheus in which every query is a number, and its own answer. */
async function startMetrics(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://metrics').searchParams.get('query') ?? '';
    const data = { resultType: 'scalar', result: [0, query] };
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ status: 'success', data }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/**
 * Lets Rollouts be carried out: on the real control plane by the Shiplog that gets these variables, once the admission
 * policy is there. The sandbox has no admission policies, and plays the controller itself.
 */
export async function carryOutRollouts(
  cluster: ControlPlane,
): Promise<{ readonly env: Record<string, string>; stop(): Promise<void> }> {
  if (testCluster() === 'sandbox') return { env: {}, stop: () => Promise.resolve() };
  const [policy = {}, binding = {}] = manifest('policy.yaml');
  const admission = '/apis/admissionregistration.k8s.io/v1';
  await cluster.client().create(`${admission}/validatingadmissionpolicies`, policy);
  await cluster.client().create(`${admission}/validatingadmissionpolicybindings`, binding);
  const metrics = await startMetrics();
  const env = { SHIPLOG_CONTROLLERS: 'oam-rollout', SHIPLOG_PROMETHEUS_URL: metrics.url };
  return { env, stop: () => metrics.stop() };
}

export async function createOamDriver(client: KubeClient, namespace: string): Promise<OamDriver> {
  const core = `/api/v1/namespaces/${namespace}`;
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const rollouts = `/apis/standard.oam.dev/v1alpha1/namespaces/${namespace}/rollouts`;
  const applications = `/apis/core.oam.dev/v1beta1/namespaces/${namespace}/applications`;
  await createNamespace(client, namespace);

  const deployment = (name: string, spec: JsonObject) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'app', image: `${name}:1` }] },
      },
      ...spec,
    },
  });

  const driver: OamDriver = {
    namespace,
    pathOf: (name) => `${rollouts}/${name}`,
    begin: async (name, plan = {}) => {
      await client.create(deployments, deployment(`${name}-old`, { replicas: PODS }));
      await client.create(deployments, deployment(`${name}-new`, { replicas: 0, paused: true }));
      await driver.untilPods(name, `${PODS}+0`);
      const reference = (of: string) => ({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        name: `${name}-${of}`,
      });
      await client.create(rollouts, {
        apiVersion: 'standard.oam.dev/v1alpha1',
        kind: 'Rollout',
        metadata: { name, labels: { 'shiplog.dev/controller': 'shiplog' } },
        spec: {
          targetRef: reference('new'),
          sourceRef: [reference('old')],
          rolloutPlan: { rolloutBatches: QUARTERS, batchPartition: 0, ...plan },
        },
      });
    },
    metric: async (name, value, metricsRange) => {
      await client.create(`${core}/configmaps`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name },
        data: { query: String(value), threshold: '1' },
      });
      return { name, metricsRange, templateRef: { apiVersion: 'v1', kind: 'ConfigMap', name } };
    },
    untilPods: (name, expected) =>
      waitForText(
        `${name} has the pods`,
        async () => {
          const both = ['old', 'new'].map((of) => client.get<KubeObject>(`${deployments}/${name}-${of}`));
          return (await Promise.all(both)).map(podsOf).join('+');
        },
        expected,
      ),
    untilGone: async (name) => {
      await waitFor(async () => (await client.list(rollouts)).items.every((item) => nameOf(item) !== name), {
        what: `${name} is gone`,
        timeoutMs: TIMEOUT_MS,
      });
    },
    apply: async (name, publishVersion) => {
      await client.create(applications, {
        apiVersion: 'core.oam.dev/v1beta1',
        kind: 'Application',
        metadata: { name, annotations: { [PUBLISH_VERSION]: publishVersion } },
        spec: specOf(name, 1),
      });
      await driver.untilRuns(name, `v1 ${publishVersion} 1`);
    },
    ship: async (name, version, publishVersion) => {
      await client.patch(`${applications}/${name}`, {
        metadata: { annotations: { [PUBLISH_VERSION]: publishVersion } },
        spec: specOf(name, version),
      });
      await waitFor(
        async () => {
          const { status } = await client.get<KubeObject>(`${applications}/${name}`);
          const [published, phase] = [textAt(status, 'workflow', 'appRevision'), textAt(status, 'status')];
          return published === publishVersion && phase === 'running';
        },
        { what: `${name} runs ${publishVersion}`, timeoutMs: TIMEOUT_MS },
      );
    },
    untilRuns: (name, expected) =>
      waitForText(
        `${name} runs`,
        async () => {
          const { metadata, spec, status } = await client.get<KubeObject>(`${applications}/${name}`);
          const number = numberAt(status, 'latestRevision', 'revision');
          const [component] = (spec?.components ?? []) as { properties: { image: string } }[];
          const version = component?.properties.image.split(':')[1] ?? '';
          const isRunning = textAt(status, 'status') === 'running';
          const published = metadata.annotations?.[PUBLISH_VERSION] ?? '';
          const isOf = textAt(status, 'workflow', 'appRevision') === published;
          return isRunning && isOf ? `v${number} ${published} ${version}` : 'in progress';
        },
        expected,
      ),
  };
  return driver;
}

function specOf(name: string, version: number): JsonObject {
  const properties = { image: `${name}:${version}`, ports: [{ port: 8080, expose: true }] };
  return { components: [{ name: `${name}-api`, type: 'webservice', properties }] };
}

/** Ready pods, if the Deployment has no others and its controller has observed the spec. */
function podsOf({ metadata, spec, status }: KubeObject): string {
  const isSeen = numberAt(status, 'observedGeneration') === metadata.generation;
  const [there, ready] = [numberAt(status, 'replicas') ?? 0, numberAt(status, 'readyReplicas') ?? 0];
  return isSeen && there === ready && ready === numberAt(spec, 'replicas') ? String(ready) : 'some';
}

function nameOf(item: object): string {
  return (item as KubeObject).metadata.name;
}
