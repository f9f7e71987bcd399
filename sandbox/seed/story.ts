import type { ActionName } from '@/lib/api/action-values';
import type { JsonObject } from '@/lib/kube/json';
import { FIELD_MANAGER } from '@/lib/kube/managed-fields';
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

/** People of the team, who tell kubectl their names: `kubectl apply --field-manager=maja.lind`. */
const person = (user: string): SeedActor => actor(user, user);
export const majaLind = person('maja.lind');
export const ivanPetrov = person('ivan.petrov');
export const jonasWeber = person('jonas.weber');
export const leaBrandt = person('lea.brandt');
export const priyaNair = person('priya.nair');
export const saraKim = person('sara.kim');

export const argo = actor('system:serviceaccount:argocd:argocd-application-controller', 'argocd-controller');
export const flux = actor('system:serviceaccount:flux-system:kustomize-controller', 'kustomize-controller');
export const helmController = actor('system:serviceaccount:flux-system:helm-controller', 'helm-controller');
export const helm = actor('ops-bot', 'helm');
/** It applies by default, unlike Helm 3. */
export const helm4: SeedActor = { ...helm, applies: true };
export const flagger = actor('system:serviceaccount:flagger-system:flagger', 'flagger');
/** `vela up` in the pipeline. */
export const vela = actor('system:serviceaccount:ci:deployer', 'vela');
/** The account of the pipeline, which tells kubectl its name too. */
export const pipeline = actor('system:serviceaccount:ci:deployer', 'ci-deploy');

/** With a command of kubectl that the user did not tell a name. */
export function using(command: 'edit' | 'patch', { user }: SeedActor): SeedActor {
  return actor(user, `kubectl-${command}`);
}

/** Through Shiplog, with a reason. */
export function through({ user }: SeedActor, action: ActionName, reason: string): SeedActor {
  return { user, manager: FIELD_MANAGER, shiplog: { action, reason } };
}

function actor(user: string, manager: string): SeedActor {
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

/** A rollback through Shiplog to the version with that number, counted from 0. */
export function undo(ago: Ago, by: SeedActor, to: number, reason: string): SeedAction {
  return { do: 'undo', ago, to, by: through(by, 'rollback', reason) };
}

/** Through Shiplog. */
export function restart(ago: Ago, by: SeedActor, reason: string): SeedAction {
  return { do: 'restart', ago, by: through(by, 'restart', reason) };
}

export function scale(ago: Ago, by: SeedActor, replicas: number): SeedAction {
  return { do: 'merge', ago, by, patch: { spec: { replicas } } };
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
