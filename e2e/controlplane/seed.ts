import { type TestApp, appTemplate, selectorOf } from '@/e2e/controlplane/app-template';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import {
  type SeedAuthor,
  FLEET,
  FLEET_LIMITS,
  type FleetKind,
  type SeedWorkload,
  type SeedStep,
} from '@/e2e/controlplane/fleet';
import { KubeError } from '@/e2e/controlplane/kube-client';
import { waitFor } from '@/e2e/controlplane/wait';
import type { KubeObject } from '@/lib/kube/object';

const CAUSE = 'kubernetes.io/change-cause';
const RESOURCE: Record<FleetKind, string> = {
  Deployment: 'deployments',
  StatefulSet: 'statefulsets',
  DaemonSet: 'daemonsets',
};

/** Writes the fleet: its namespaces and every workload with its history; about half a minute. */
export async function seedFleet(cp: ControlPlane, fleet: SeedWorkload[] = FLEET): Promise<void> {
  const namespaces = new Set(fleet.map(({ app }) => app.namespace));
  await Promise.all([...namespaces].map((name) => seedNamespace(cp, name)));
  // Without `---`: kubectl, which reads the first document as JSON, at times refuses what follows.
  const limits = FLEET_LIMITS.map((manifest) => JSON.stringify(manifest)).join('\n');
  await seedKubectl(cp, ['apply', '-f', '-'], limits);
  await Promise.all(fleet.map((workload) => seedWorkload(cp, workload)));
  await recordNodeImages(cp);
}

/** Creates a namespace; an existing one is unchanged. */
export async function seedNamespace(cp: ControlPlane, name: string): Promise<void> {
  await cp
    .client()
    .create('/api/v1/namespaces', { metadata: { name } })
    .catch((error: unknown) => {
      if (!(error instanceof KubeError && error.reason === 'AlreadyExists')) throw error;
    });
}

/** Most of a history runs with this number of pods; the last step has the full number. */
const REHEARSAL_REPLICAS = 2;

/** Creates one workload with its history. Its namespace must exist. */
async function seedWorkload(cp: ControlPlane, workload: SeedWorkload): Promise<void> {
  const { kind, replicas = 1, spec } = workload;
  let { app } = workload;
  await cp.client().create(`${collection(kind, app)}?fieldManager=${byOfFirst(workload)}`, {
    apiVersion: 'apps/v1',
    kind,
    metadata: {
      name: app.name,
      labels: selectorOf(app),
      annotations: { [CAUSE]: `${app.name} ${app.tag}` },
    },
    spec: {
      ...(kind === 'DaemonSet' ? {} : { replicas: Math.min(replicas, REHEARSAL_REPLICAS) }),
      ...(kind === 'StatefulSet' ? { serviceName: app.name } : {}),
      ...spec,
      selector: { matchLabels: selectorOf(app) },
      template: appTemplate(app),
    },
  });
  await untilSettled(cp, kind, app);
  for (const [index, step] of workload.steps.entries()) {
    if (index === workload.steps.length - 1 && replicas > REHEARSAL_REPLICAS)
      await scale(cp, kind, app, replicas);
    app = await applyStep(cp, kind, app, step);
  }
}

async function scale(cp: ControlPlane, kind: FleetKind, app: TestApp, replicas: number): Promise<void> {
  await cp
    .client()
    .patch(`${collection(kind, app)}/${app.name}?fieldManager=kubectl`, { spec: { replicas } });
  await untilSettled(cp, kind, app);
}

/** Waits until the controller has observed the newest spec and every pod runs it and is ready. */
export async function untilSettled(
  cp: ControlPlane,
  kind: FleetKind,
  app: { namespace: string; name: string },
): Promise<void> {
  await until(cp, kind, app, 'is rolled out', isSettled);
}

async function applyStep(cp: ControlPlane, kind: FleetKind, app: TestApp, step: SeedStep): Promise<TestApp> {
  const target = `${kind.toLowerCase()}/${app.name}`;
  switch (step.do) {
    case 'ship': {
      const next = await ship(cp, kind, app, step);
      if (step.stuck === true) await until(cp, kind, app, 'is stuck', isStarted);
      else await untilSettled(cp, kind, app);

      return next;
    }
    case 'undo': {
      const revision = step.to === undefined ? [] : [`--to-revision=${step.to}`];
      await seedKubectl(cp, ['rollout', 'undo', target, '-n', app.namespace, ...revision]);
      await untilSettled(cp, kind, app);

      return app;
    }
    case 'restart':
      await seedKubectl(cp, ['rollout', 'restart', target, '-n', app.namespace]);
      await untilSettled(cp, kind, app);

      return app;
    case 'shipAndPause': {
      const next = await ship(cp, kind, app, step);
      await until(
        cp,
        kind,
        app,
        `has ${step.pods} updated pods`,
        ({ status }) => Number(status?.updatedReplicas) >= step.pods,
      );
      await seedKubectl(cp, ['rollout', 'pause', target, '-n', app.namespace]);

      return next;
    }
    case 'shipPartition': {
      const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: step.partition } };
      const next = await ship(cp, kind, app, step, { updateStrategy });
      await until(
        cp,
        kind,
        app,
        'is held by its partition',
        ({ spec, status }) =>
          Number(status?.updatedReplicas) === Number(spec?.replicas) - step.partition &&
          status?.readyReplicas === spec?.replicas,
      );

      return next;
    }
    case 'shipOnDelete': {
      const next = await ship(cp, kind, app, step);
      await until(cp, kind, app, 'is seen by its controller', isObserved);
      await deletePods(cp, app, step.pods);
      await until(
        cp,
        kind,
        app,
        'has its deleted pods back',
        ({ status }) =>
          Number(status?.updatedNumberScheduled) >=
            Math.min(step.pods, Number(status?.desiredNumberScheduled)) &&
          status?.numberReady === status?.desiredNumberScheduled,
      );

      return next;
    }
    default:
      return step satisfies never;
  }
}

async function ship(
  cp: ControlPlane,
  kind: FleetKind,
  app: TestApp,
  { change, cause, by }: { change: Partial<TestApp>; cause?: string; by?: SeedAuthor },
  spec: object = {},
): Promise<TestApp> {
  const next = { ...app, ...change };
  await cp
    .client()
    .patch(`${collection(kind, app)}/${app.name}?fieldManager=${by ?? 'kubectl-client-side-apply'}`, {
      ...(cause === undefined ? {} : { metadata: { annotations: { [CAUSE]: cause } } }),
      spec: { ...spec, template: appTemplate(next) },
    });

  return next;
}

async function deletePods(cp: ControlPlane, app: TestApp, count: number): Promise<void> {
  const pods = `/api/v1/namespaces/${app.namespace}/pods`;
  const selector = Object.entries(selectorOf(app)).map(([key, value]) => `${key}=${value}`);
  const { items } = await cp.client().list(`${pods}?labelSelector=${encodeURIComponent(selector.join(','))}`);
  const names = (items as unknown as KubeObject[]).map(({ metadata }) => metadata.name).sort();
  for (const name of names.slice(0, count)) await cp.client().remove(`${pods}/${name}`);
}

/** A kubelet reports its images; the simulated ones do not, so this does it once. */
async function recordNodeImages(cp: ControlPlane): Promise<void> {
  if (!cp.capabilities.simulatedPods) return;
  const { items } = await cp.client().list('/api/v1/pods');
  const images = new Map<string, Set<string>>();
  for (const pod of items as unknown as PodOnNode[]) {
    for (const { image, imageID } of pod.status.containerStatuses ?? []) {
      const node = pod.spec.nodeName ?? '';
      if (imageID !== '') images.set(node, (images.get(node) ?? new Set()).add(`${imageID} ${image}`));
    }
  }
  for (const [node, found] of images) {
    const list = [...found].map((names) => ({ names: names.split(' '), sizeBytes: 48_000_000 }));
    await cp.client().patch(`/api/v1/nodes/${node}/status`, { status: { images: list } });
  }
}

interface PodOnNode {
  spec: { nodeName?: string };
  status: { containerStatuses?: { image: string; imageID: string }[] };
}

function until(
  cp: ControlPlane,
  kind: FleetKind,
  app: { namespace: string; name: string },
  what: string,
  holds: (object: KubeObject) => boolean,
): Promise<unknown> {
  const path = `${collection(kind, app)}/${app.name}`;
  let last: KubeObject | undefined;

  return waitFor(
    async () => {
      last = await cp.client().get<KubeObject>(path);
      return isObserved(last) && holds(last);
    },
    {
      what: `${app.namespace}/${app.name} ${what}`,
      detail: () => JSON.stringify(last?.status),
    },
  );
}

function isObserved({ metadata, status }: KubeObject): boolean {
  return Number(status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}

function isSettled({ kind, spec, status }: KubeObject): boolean {
  const count = (field: string) => Number(status?.[field] ?? 0);
  if (kind === 'DaemonSet') {
    const desired = count('desiredNumberScheduled');

    return desired > 0 && count('updatedNumberScheduled') === desired && count('numberAvailable') === desired;
  }
  const wanted = Number(spec?.replicas ?? 1);
  const isCurrent = kind === 'Deployment' || status?.currentRevision === status?.updateRevision;

  return (
    isCurrent &&
    count('replicas') === wanted &&
    (kind === 'StatefulSet' || count('updatedReplicas') === wanted) &&
    count('availableReplicas') === wanted
  );
}

/** The rollout has created a pod, or was refused one. */
function isStarted({ spec, status }: KubeObject): boolean {
  const conditions = (status?.conditions ?? []) as { type: string; status: string }[];
  const isRefused = conditions.some(({ type, status: is }) => type === 'ReplicaFailure' && is === 'True');

  return (
    isRefused ||
    (Number(status?.updatedReplicas) > 0 && Number(status?.availableReplicas) < Number(spec?.replicas) + 1)
  );
}

function collection(kind: FleetKind, { namespace }: { namespace: string }): string {
  return `/apis/apps/v1/namespaces/${namespace}/${RESOURCE[kind]}`;
}

function byOfFirst({ steps }: SeedWorkload): SeedAuthor {
  const shipped = steps.find((step) => 'by' in step);

  return (shipped !== undefined && 'by' in shipped ? shipped.by : undefined) ?? 'kubectl-client-side-apply';
}

async function seedKubectl(cp: ControlPlane, args: string[], input?: string): Promise<void> {
  const { code, stderr } = await cp.kubectl(args, {
    user: 'seeder',
    ...(input === undefined ? {} : { input }),
  });
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr.trim()}`);
}
