import { type JsonObject } from '@/lib/kube/json';
import {
  type Ago,
  type App,
  changeApp,
  pathOf,
  type SeedAction,
  type SeedActor,
  type SeedChange,
  type SeedKind,
  type SeedObject,
  type SeedVersion,
  type WorkloadSeed,
} from '@/sandbox/seed/workload';

const KUBECTL_APPLY = 'kubectl-client-side-apply';

export const majaLind = person('maja.lind', KUBECTL_APPLY);
export const ivanPetrov = person('ivan.petrov', KUBECTL_APPLY);
export const jonasWeber = person('jonas.weber', KUBECTL_APPLY);
export const leaBrandt = person('lea.brandt', KUBECTL_APPLY);
export const priyaNair = person('priya.nair', KUBECTL_APPLY);
export const noraFalk = person('nora.falk', KUBECTL_APPLY);
export const saraKim = person('sara.kim', KUBECTL_APPLY);

export const argo = person('system:serviceaccount:argocd:argocd-application-controller', 'argocd-controller');
export const flux = person('system:serviceaccount:flux-system:kustomize-controller', 'kustomize-controller');
export const helmController = person('system:serviceaccount:flux-system:helm-controller', 'helm-controller');
export const helm = person('ops-bot', 'helm');
/** It applies by default, unlike Helm 3. */
export const helm4: SeedActor = { ...helm, applies: true };
export const flagger = person('system:serviceaccount:flagger-system:flagger', 'flagger');
/** `vela up` in the pipeline. */
export const vela = person('ops-bot', 'vela');
export const pipeline = person('ops-bot', KUBECTL_APPLY);

/** With `kubectl set image`, `kubectl rollout undo` and so on, which set their own field managers. */
export function using(
  command: 'set' | 'rollout' | 'edit' | 'scale' | 'patch' | 'kruise' | 'argo-rollouts',
  { user }: SeedActor,
): SeedActor {
  return person(user, `kubectl-${command}`);
}

function person(user: string, manager: string): SeedActor {
  return { user, manager };
}

type Creation = SeedVersion & { readonly ago: Ago; readonly by: SeedActor };

/** An app before its first version, with the fields that most have in common. */
export function appIn(namespace: string, name: string): App {
  return {
    namespace,
    name,
    image: `registry.example.com/${namespace}/${name}`,
    tag: '',
    port: 8080,
    env: { LOG_LEVEL: 'info' },
    cpu: '100m',
    memory: '128Mi',
    probe: '/healthz',
  };
}

/** Makes the workloads of a namespace; a story begins with the creation. */
export function workloadsIn(namespace: string) {
  return (
    kind: SeedKind,
    name: string,
    more: Omit<WorkloadSeed, 'kind' | 'app' | 'by' | 'story'>,
    story: readonly [Creation, ...SeedAction[]],
  ): WorkloadSeed => {
    const app = changeApp(appIn(namespace, name), story[0].change);
    return { kind, app, by: story[0].by, ...more, story };
  };
}

/** A new version, or a new template, with further changes of the spec; a change cause of `null` keeps the previous one. */
export function ship(
  ago: Ago,
  by: SeedActor,
  cause: string | null,
  change: string | SeedChange,
  spec?: JsonObject,
): Creation {
  const to = typeof change === 'string' ? { tag: change } : change;
  return { do: 'ship', ago, by, change: to, cause: cause ?? undefined, spec };
}

/** `kubectl rollout undo` to the version with that number, counted from 0. */
export function undo(ago: Ago, by: SeedActor, to: number): SeedAction {
  return { do: 'undo', ago, to, by: using('rollout', by) };
}

export function restart(ago: Ago, by: SeedActor): SeedAction {
  return { do: 'restart', ago, by: using('rollout', by) };
}

export function scale(ago: Ago, by: SeedActor, replicas: number): SeedAction {
  return { do: 'merge', ago, by: using('scale', by), patch: { spec: { replicas } } };
}

export function create(ago: Ago, by: SeedActor, object: SeedObject): SeedAction {
  return { do: 'create', ago, by, object };
}

/** A merge patch of an object, or of its status. */
export function edit(
  ago: Ago,
  by: SeedActor,
  object: SeedObject,
  patch: JsonObject,
  subresource: '' | '/status' = '',
): SeedAction {
  return { do: 'patch', ago, by, path: pathOf(object) + subresource, patch, type: 'merge' };
}

export function remove(ago: Ago, by: SeedActor, object: SeedObject): SeedAction {
  return { do: 'delete', ago, by, path: pathOf(object) };
}

/** How many pods a Deployment may have more, and how many fewer. */
export const rolling = (maxSurge: number, maxUnavailable: number) => ({
  strategy: { rollingUpdate: { maxSurge, maxUnavailable } },
});

/** Keeps the update of a StatefulSet and of OpenKruise's kinds from these pods. */
export const partition = (value: number | string) => ({
  updateStrategy: { rollingUpdate: { partition: value } },
});

/** The labels that the tools set on what they deploy. */
export const argoLabels = (name: string) => ({ 'app.kubernetes.io/instance': name });
export const helmLabels = (release: string, chart: string) => ({
  'app.kubernetes.io/instance': release,
  'app.kubernetes.io/managed-by': 'Helm',
  'helm.sh/chart': chart,
});

/** Images of other projects. */
export const mirror = (image: string) => `registry.example.com/mirror/${image}`;
