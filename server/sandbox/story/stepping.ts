import { type JsonObject } from '@/lib/kube/json';
import { type RolloutSpec } from '@/server/sandbox/controllers/kruise/rollout/rollout-object';
import { alphaSpec } from '@/server/sandbox/controllers/kruise/rollout-history/rollout-view';
import { selectorOf, templateOf } from '@/server/sandbox/story/app';
import {
  type Act,
  type RolloutStory,
  type StoryKind,
  type WorkloadStory,
} from '@/server/sandbox/story/story';

/** Path of the Rollouts of a namespace. */
export function rolloutsIn(namespace: string): string {
  return `/apis/rollouts.kruise.io/v1beta1/namespaces/${namespace}/rollouts`;
}

/** The object that takes the workload's releases step by step. */
export function rolloutOf(
  { kind, app }: WorkloadStory,
  { name, style, steps, through }: RolloutStory,
): JsonObject & { spec: RolloutSpec } {
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

/** As the controller fills one in, and its status, which is written by itself. */
export function recordOf(
  story: WorkloadStory,
  { name, rollout, id, phase, isRouted, pods }: Act & { do: 'putRecord' },
): { object: JsonObject; status: JsonObject } {
  const { kind, app } = story;
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
        rollout: { name: rollout.name, rolloutID: id, data: alphaSpec(rolloutOf(story, rollout)) },
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

/** What is written to its status to have it go on. */
export function goOnPatch({ rollout: { style }, to }: Act & { do: 'goOn' }): JsonObject {
  const progress = to === undefined ? { currentStepState: 'StepReady' } : { nextStepIndex: to };
  return { status: { [style === 'blueGreen' ? 'blueGreenStatus' : 'canaryStatus']: progress } };
}

export interface Entrance {
  readonly collection: string;
  readonly object: JsonObject;
}

/** The objects through which requests reach a workload that is released in steps, each with its collection. */
export function entrancesOf(story: WorkloadStory): Entrance[] {
  const kinds = new Set(story.acts.flatMap((act) => (act.do === 'startStepping' ? act.rollout.through : [])));
  if (kinds.size === 0) return [];
  const { namespace, name } = story.app;
  const metadata = { name, namespace, labels: selectorOf(story.app) };
  const service = {
    collection: `/api/v1/namespaces/${namespace}/services`,
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: selectorOf(story.app), ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
    },
  };
  return [
    service,
    ...[...kinds].map((kind) => (kind === 'Ingress' ? ingress(metadata) : httpRoute(metadata))),
  ];
}

/** As the controller of releases compares them: a CloneSet that is named otherwise it takes for something else. */
const REFERENCES: Readonly<Record<StoryKind, { apiVersion: string; kind: string }>> = {
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

function routeOf(name: string, through: RolloutStory['through']): JsonObject {
  return through === 'Ingress'
    ? { ingress: { classType: 'nginx', name } }
    : { gateway: { httpRouteName: name } };
}

function ingress(metadata: Named): Entrance {
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

function httpRoute(metadata: Named): Entrance {
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
