import { type JsonObject } from '@/lib/kube/json';
import { argo, using } from '@/server/sandbox/story/actors';
import { type App } from '@/server/sandbox/story/app';
import { type Act, type Actor, type Ago, type RolloutStory } from '@/server/sandbox/story/story';

/** Programs of a namespace, with what most of them have in common. */
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

/** A new version; a cause of `null` leaves the one before in place. */
export function ship(ago: Ago, tag: string, cause: string | null, by: Actor = argo): Act {
  return change(ago, { tag }, cause, by);
}

/** A new template, and with it what else is to change in the spec. */
export function change(
  ago: Ago,
  to: Partial<App>,
  cause: string | null,
  by: Actor = argo,
  spec?: JsonObject,
): Act {
  return {
    do: 'release',
    ago,
    by,
    change: to,
    ...(cause !== null && { cause }),
    ...(spec !== undefined && { spec }),
  };
}

/** `kubectl rollout undo` to the release with that number, counted from 0. */
export function undo(ago: Ago, to: number, by: Actor): Act {
  return { do: 'undo', ago, to, by: using('rollout', by) };
}

export function restart(ago: Ago, by: Actor): Act {
  return { do: 'restart', ago, by: using('rollout', by) };
}

export function scale(ago: Ago, replicas: number, by: Actor): Act {
  return { do: 'set', ago, by: using('scale', by), spec: { replicas } };
}

export function pause(ago: Ago, by: Actor): Act {
  return { do: 'set', ago, by: using('rollout', by), spec: { paused: true } };
}

/** Has the releases take steps from now on. */
export function startStepping(ago: Ago, rollout: RolloutStory, by: Actor): Act {
  return { do: 'startStepping', ago, by, rollout };
}

/** Somebody looks and lets the release go on. */
export function approve(ago: Ago, rollout: RolloutStory, by: Actor): Act {
  return { do: 'goOn', ago, by: using('kruise', by), rollout };
}

/** With the plugin of kubectl: the pause ends, and the release goes on. */
export function promote(ago: Ago, by: Actor): Act {
  return { do: 'setStatus', ago, by: using('argo-rollouts', by), status: { pauseConditions: null } };
}

/** The stable pods take over again; the spec keeps the version that was tried. */
export function abort(ago: Ago, by: Actor): Act {
  return { do: 'setStatus', ago, by: using('argo-rollouts', by), status: { abort: true } };
}

/** Labels and annotations as the tools leave them on what they deploy. */
export const argoLabels = (name: string) => ({ 'app.kubernetes.io/instance': name });
export const argoTracking = (application: string, kind: string, namespace: string, name: string) => ({
  'argocd.argoproj.io/tracking-id': `${application}:apps/${kind}:${namespace}/${name}`,
});
export const helmLabels = (release: string, chart: string) => ({
  'app.kubernetes.io/instance': release,
  'app.kubernetes.io/managed-by': 'Helm',
  'helm.sh/chart': chart,
});
export const helmRelease = (release: string, namespace: string) => ({
  'meta.helm.sh/release-name': release,
  'meta.helm.sh/release-namespace': namespace,
});
