import { type JsonObject } from '@/lib/kube/json';
import { argo, using } from '@/sandbox/seed/people';
import { type App } from '@/sandbox/seed/app-template';
import { type SeedAction, type SeedActor, type Ago, type RolloutSeed } from '@/sandbox/seed/workload-seed';

/** Apps of a namespace, with their common fields. */
export function appsOf(namespace: string): (name: string, tag: string, more?: Partial<App>) => App {
  return (name, tag, more = {}) => ({
    namespace,
    name,
    image: `registry.example.com/${namespace}/${name}`,
    tag,
    port: 8080,
    env: { LOG_LEVEL: 'info' },
    cpu: '100m',
    memory: '128Mi',
    probe: '/healthz',
    ...more,
  });
}

/** A new version; a change cause of `null` keeps the previous one. */
export function ship(ago: Ago, tag: string, cause: string | null, by: SeedActor = argo): SeedAction {
  return change(ago, { tag }, cause, by);
}

/** A new template, with further changes of the spec. */
export function change(
  ago: Ago,
  to: Partial<App>,
  cause: string | null,
  by: SeedActor = argo,
  spec?: JsonObject,
): SeedAction {
  return {
    do: 'ship',
    ago,
    by,
    change: to,
    ...(cause !== null && { cause }),
    ...(spec !== undefined && { spec }),
  };
}

/** `kubectl rollout undo` to the version with that number, counted from 0. */
export function undo(ago: Ago, to: number, by: SeedActor): SeedAction {
  return { do: 'undo', ago, to, by: using('rollout', by) };
}

export function restart(ago: Ago, by: SeedActor): SeedAction {
  return { do: 'restart', ago, by: using('rollout', by) };
}

export function scale(ago: Ago, replicas: number, by: SeedActor): SeedAction {
  return { do: 'set', ago, by: using('scale', by), spec: { replicas } };
}

export function pause(ago: Ago, by: SeedActor): SeedAction {
  return { do: 'set', ago, by: using('rollout', by), spec: { paused: true } };
}

/** Rolls the workload out in steps from now on. */
export function startStepping(ago: Ago, rollout: RolloutSeed, by: SeedActor): SeedAction {
  return { do: 'startStepping', ago, by, rollout };
}

/** A user checks the rollout and approves the next step. */
export function approve(ago: Ago, rollout: RolloutSeed, by: SeedActor): SeedAction {
  return { do: 'approve', ago, by: using('kruise', by), rollout };
}

/** With the plugin of kubectl: the pause ends, and the rollout continues. */
export function promote(ago: Ago, by: SeedActor): SeedAction {
  return { do: 'setStatus', ago, by: using('argo-rollouts', by), status: { pauseConditions: null } };
}

/** Aborts: traffic returns to the stable pods; the spec keeps the new version. */
export function abort(ago: Ago, by: SeedActor): SeedAction {
  return { do: 'setStatus', ago, by: using('argo-rollouts', by), status: { abort: true } };
}

/** The labels and annotations that the tools set on what they deploy. */
export const argoLabels = (name: string) => ({ 'app.kubernetes.io/instance': name });
export const helmLabels = (release: string, chart: string) => ({
  'app.kubernetes.io/instance': release,
  'app.kubernetes.io/managed-by': 'Helm',
  'helm.sh/chart': chart,
});
export const helmRelease = (release: string, namespace: string) => ({
  'meta.helm.sh/release-name': release,
  'meta.helm.sh/release-namespace': namespace,
});
