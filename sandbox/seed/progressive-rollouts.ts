import { type JsonObject } from '@/lib/kube/json';
import { type KruiseSpec } from '@/sandbox/controllers/kruise/rollout/rollout-object';
import { selectorOf, templateOf } from '@/sandbox/seed/app-template';
import {
  type SeedAction,
  type RolloutSeed,
  type SeedKind,
  type WorkloadSeed,
} from '@/sandbox/seed/workload-seed';

/** Path of the Rollouts of a namespace. */
export function rolloutsIn(namespace: string): string {
  return `/apis/rollouts.kruise.io/v1beta1/namespaces/${namespace}/rollouts`;
}

/** The object that rolls the workload out in steps. */
export function rolloutOf(
  { kind, app }: WorkloadSeed,
  { name, style, steps, through }: RolloutSeed,
): JsonObject & { spec: KruiseSpec } {
  const plan = {
    ...(style === 'canary' && { enableExtraWorkloadForCanary: true }),
    steps: [...steps],
    trafficRoutings: [{ service: app.name, ...routeOf(app.name, through) }],
  };
  return {
    apiVersion: 'rollouts.kruise.io/v1beta1',
    kind: 'Rollout',
    metadata: { name, namespace: app.namespace },
    spec: {
      workloadRef: { ...REFERENCES[kind], name: app.name },
      strategy: style === 'blueGreen' ? { blueGreen: plan } : { canary: plan },
    },
  };
}

/** Path of the RolloutHistories of a namespace. */
export function recordsIn(namespace: string): string {
  return `/apis/rollouts.kruise.io/v1alpha1/namespaces/${namespace}/rollouthistories`;
}

/** A record as the controller completes it, and its status, which is a separate write. */
export function recordOf(
  seed: WorkloadSeed,
  { name, rollout, id, phase, isRouted, pods }: SeedAction & { do: 'putRecord' },
): { object: JsonObject; status: JsonObject } {
  const { kind, app } = seed;
  const route = { name: app.name, data: {} };
  return {
    object: {
      apiVersion: 'rollouts.kruise.io/v1alpha1',
      kind: 'RolloutHistory',
      metadata: {
        name,
        namespace: app.namespace,
        labels: {
          'rollouts.kruise.io/rollout-id': id,
          'rollouts.kruise.io/rollout-name': rollout.name,
        },
      },
      spec: {
        rollout: { name: rollout.name, rolloutID: id, data: rolloutOf(seed, rollout).spec },
        workload: { ...REFERENCES[kind], name: app.name, data: { template: templateOf(app) } },
        service: route,
        trafficRouting: isRouted ? { [rollout.through === 'Ingress' ? 'ingress' : 'httpRoute']: route } : {},
      },
    },
    status: {
      phase,
      canarySteps: pods.map((count, index) => ({
        canaryStepIndex: index + 1,
        pods: Array.from({ length: count }, (_, pod) => ({ name: `${app.name}-${index + 1}-${pod + 1}` })),
      })),
    },
  };
}

/** What is written to its status to approve the next step. */
export function approvePatch({ rollout: { style }, to }: SeedAction & { do: 'approve' }): JsonObject {
  const progress = to === undefined ? { currentStepState: 'StepReady' } : { nextStepIndex: to };
  return { status: { [style === 'blueGreen' ? 'blueGreenStatus' : 'canaryStatus']: progress } };
}

export interface TrafficObject {
  readonly collection: string;
  readonly object: JsonObject;
}

/** The objects that route requests to a workload with stepwise rollouts, each with its collection. */
export function trafficObjectsOf(seed: WorkloadSeed): TrafficObject[] {
  const kinds = new Set(seed.acts.flatMap((act) => (act.do === 'startStepping' ? act.rollout.through : [])));
  if (kinds.size === 0) return [];
  const { namespace, name } = seed.app;
  const metadata = { name, namespace, labels: selectorOf(seed.app) };
  const service = {
    collection: `/api/v1/namespaces/${namespace}/services`,
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: selectorOf(seed.app), ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
    },
  };
  return [
    service,
    ...[...kinds].map((kind) => (kind === 'Ingress' ? ingress(metadata) : httpRoute(metadata))),
  ];
}

/** As the controller of rollouts compares them: a CloneSet under another name counts as another kind. */
const REFERENCES: Readonly<Record<SeedKind, { apiVersion: string; kind: string }>> = {
  Deployment: { apiVersion: 'apps/v1', kind: 'Deployment' },
  StatefulSet: { apiVersion: 'apps/v1', kind: 'StatefulSet' },
  DaemonSet: { apiVersion: 'apps/v1', kind: 'DaemonSet' },
  CloneSet: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet' },
  AdvancedStatefulSet: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet' },
  AdvancedDaemonSet: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'DaemonSet' },
  LeaderWorkerSet: { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet' },
  ArgoRollout: { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' },
};

type Named = { name: string; namespace: string; labels: Record<string, string> };

function routeOf(name: string, through: RolloutSeed['through']): JsonObject {
  return through === 'Ingress'
    ? { ingress: { classType: 'nginx', name } }
    : { gateway: { httpRouteName: name } };
}

function ingress(metadata: Named): TrafficObject {
  const backend = { service: { name: metadata.name, port: { name: 'http' } } };
  return {
    collection: `/apis/networking.k8s.io/v1/namespaces/${metadata.namespace}/ingresses`,
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata,
      spec: {
        ingressClassName: 'nginx',
        rules: [{ host: hostOf(metadata), http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
      },
    },
  };
}

function httpRoute(metadata: Named): TrafficObject {
  return {
    collection: `/apis/gateway.networking.k8s.io/v1/namespaces/${metadata.namespace}/httproutes`,
    object: {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata,
      spec: {
        parentRefs: [{ name: 'public', namespace: 'edge' }],
        hostnames: [hostOf(metadata)],
        rules: [{ backendRefs: [{ name: metadata.name, port: 80 }] }],
      },
    },
  };
}

function hostOf({ name, namespace }: Named): string {
  return `${name}.${namespace}.example.com`;
}
