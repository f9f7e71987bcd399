import { type JsonObject } from '@/lib/kube/json';
import { type App, labelsOf, selectorOf, templateOf } from '@/sandbox/seed/app-template';
import { marksOf } from '@/sandbox/seed/owners';
import {
  approvePatch,
  recordOf,
  recordsIn,
  rolloutOf,
  rolloutsIn,
} from '@/sandbox/seed/progressive-rollouts';
import {
  type SeedAction,
  type SeedActor,
  msOf,
  type SeedKind,
  type WorkloadSeed,
} from '@/sandbox/seed/workload-seed';

/** A request to the API server at a moment of the seeded history. */
export type SeedWrite = { readonly at: number; readonly by: SeedActor } & (
  | { readonly do: 'create'; readonly collection: string; readonly object: JsonObject }
  | { readonly do: 'apply'; readonly path: string; readonly object: JsonObject }
  | {
      readonly do: 'patch';
      readonly path: string;
      readonly patch: JsonObject;
      /** A merge patch replaces lists, a strategic one merges them. */
      readonly type: 'merge' | 'strategic-merge';
    }
  | { readonly do: 'delete'; readonly path: string }
  | {
      readonly do: 'deletePods';
      readonly namespace: string;
      readonly selector: string;
      readonly count: number;
    }
);

export const CHANGE_CAUSE = 'kubernetes.io/change-cause';
/** https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/objectrestarter.go */
export const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

interface Version {
  readonly app: App;
  readonly cause: string | undefined;
}

/** All writes for one workload, oldest first; `end` is when its history ends. */
export function seedWritesOf(seed: WorkloadSeed, end: number): SeedWrite[] {
  const versions: Version[] = [{ app: seed.app, cause: seed.cause }];
  let now: Version = { app: seed.app, cause: seed.cause };
  const creation: SeedWrite = {
    at: end - msOf(seed.created),
    by: seed.by,
    ...(seed.by.applies
      ? applicationOf(seed, now)
      : { do: 'create', collection: collectionOf(seed), object: workloadOf(seed) }),
  };
  const later = seed.acts.flatMap((act): SeedWrite[] => {
    const at = end - msOf(act.ago);
    if (act.do === 'ship')
      versions.push((now = { app: { ...now.app, ...act.change }, cause: act.cause ?? now.cause }));
    if (act.do === 'undo') now = versionAt(versions, act.to);
    if (act.do === 'putRecord')
      return recordWrites({ ...seed, app: versionAt(versions, act.of).app }, act, at);
    return [writeOf(seed, act, now, at)];
  });
  return [creation, ...later];
}

/** A version as its tool applies it: the whole workload. */
function applicationOf(seed: WorkloadSeed, { app, cause }: Version) {
  const object = workloadOf({ ...seed, app, ...(cause !== undefined && { cause }) });
  return { do: 'apply', path: `${collectionOf(seed)}/${app.name}`, object } as const;
}

/** Path of the collection of the workload. */
export function collectionOf({ kind, app }: Pick<WorkloadSeed, 'kind' | 'app'>): string {
  const { apiVersion, kind: own } = TYPES[kind];
  return `/apis/${apiVersion}/namespaces/${app.namespace}/${own.toLowerCase()}s`;
}

const TYPES: Readonly<Record<SeedKind, { apiVersion: string; kind: string }>> = {
  Deployment: { apiVersion: 'apps/v1', kind: 'Deployment' },
  StatefulSet: { apiVersion: 'apps/v1', kind: 'StatefulSet' },
  DaemonSet: { apiVersion: 'apps/v1', kind: 'DaemonSet' },
  CloneSet: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet' },
  AdvancedStatefulSet: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet' },
  AdvancedDaemonSet: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'DaemonSet' },
  LeaderWorkerSet: { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet' },
  ArgoRollout: { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' },
};

/** The API server drops the status of a new object. */
function recordWrites(seed: WorkloadSeed, act: SeedAction & { do: 'putRecord' }, at: number): SeedWrite[] {
  const collection = recordsIn(seed.app.namespace);
  const { object, status } = recordOf(seed, act);
  const { by } = act;
  return [
    { at, by, do: 'create', collection, object },
    { at, by, do: 'patch', path: `${collection}/${act.name}/status`, type: 'merge', patch: { status } },
  ];
}

function writeOf(
  seed: WorkloadSeed,
  act: Exclude<SeedAction, { do: 'putRecord' }>,
  version: Version,
  at: number,
): SeedWrite {
  const { namespace } = seed.app;
  switch (act.do) {
    case 'deletePods':
      return deletionOf(seed, act, at);
    case 'startStepping': {
      const object = rolloutOf(seed, act.rollout);
      return { at, by: act.by, do: 'create', collection: rolloutsIn(namespace), object };
    }
    case 'stopStepping':
      return { at, by: act.by, do: 'delete', path: `${rolloutsIn(namespace)}/${act.rollout}` };
    case 'approve': {
      const path = `${rolloutsIn(namespace)}/${act.rollout.name}/status`;
      return { at, by: act.by, do: 'patch', path, type: 'merge', patch: approvePatch(act) };
    }
    case 'setStatus': {
      const path = `${collectionOf(seed)}/${seed.app.name}/status`;
      return { at, by: act.by, do: 'patch', path, type: 'merge', patch: { status: act.status } };
    }
    case 'createObject':
      return { at, by: act.by, do: 'create', collection: act.collection, object: act.object };
    case 'patchObject':
      return { at, by: act.by, do: 'patch', path: act.path, type: 'merge', patch: act.patch };
    case 'deleteObject':
      return { at, by: act.by, do: 'delete', path: act.path };
    default:
      return patchOf(seed, act, version, at);
  }
}

function versionAt(versions: readonly Version[], index: number): Version {
  const version = versions[index];
  if (version === undefined) throw new RangeError(`there is no version ${index} to roll back to`);
  return version;
}

function deletionOf({ app }: WorkloadSeed, act: SeedAction & { do: 'deletePods' }, at: number): SeedWrite {
  const selector = Object.entries(selectorOf(app))
    .map((label) => label.join('='))
    .join(',');
  return { at, by: act.by, do: 'deletePods', namespace: app.namespace, selector, count: act.count };
}

/** The actions that change the workload itself. */
type Change = Extract<SeedAction, { do: 'ship' | 'undo' | 'restart' | 'set' }>;

function patchOf(seed: WorkloadSeed, act: Change, version: Version, at: number): SeedWrite {
  if (act.by.applies) return { at, by: act.by, ...applicationOf(seed, version) };
  const path = `${collectionOf(seed)}/${seed.app.name}`;
  return { at, by: act.by, do: 'patch', path, type: 'merge', patch: patchBody(seed, act, version, at) };
}

function patchBody({ kind }: WorkloadSeed, act: Change, { app, cause }: Version, at: number): JsonObject {
  const annotations = { [CHANGE_CAUSE]: cause ?? null };
  switch (act.do) {
    case 'ship':
      return {
        metadata: {
          labels: { ...labelsOf(app), ...act.labels },
          ...(cause !== undefined && { annotations }),
        },
        spec: { ...act.spec, ...inPlace(kind, templateOf(app)) },
      };
    case 'undo':
      // kubectl also restores the annotations of the revision; its plugin for Argo Rollouts does not.
      return {
        ...(kind !== 'ArgoRollout' && { metadata: { annotations } }),
        spec: inPlace(kind, templateOf(app)),
      };
    case 'restart':
      return { spec: inPlace(kind, { metadata: { annotations: { [RESTARTED_AT]: timeText(at) } } }) };
    case 'set':
      return { spec: act.spec };
    default: {
      const unknown: never = act;
      throw new RangeError(`no way to do ${JSON.stringify(unknown)}`);
    }
  }
}

/** Path of the pod template in a kind. */
function inPlace(kind: SeedKind, template: JsonObject): JsonObject {
  return kind === 'LeaderWorkerSet' ? { leaderWorkerTemplate: { workerTemplate: template } } : { template };
}

/** The fields that only this kind sets at the creation. */
function groupsOf({ groupSize, app }: WorkloadSeed): JsonObject {
  return {
    leaderWorkerTemplate: { size: groupSize ?? 1, workerTemplate: templateOf(app) },
    rolloutStrategy: {
      type: 'RollingUpdate',
      rollingUpdateConfiguration: { partition: 0, maxUnavailable: 1, maxSurge: 0 },
    },
    startupPolicy: 'LeaderCreated',
    networkConfig: { subdomainPolicy: 'Shared' },
  };
}

function workloadOf(seed: WorkloadSeed): JsonObject {
  const { kind, app, replicas, spec, annotations, cause } = seed;
  const type = TYPES[kind];
  const marks = marksOf(seed, type);
  const noted = {
    ...annotations,
    ...marks.annotations,
    ...(cause !== undefined && { [CHANGE_CAUSE]: cause }),
  };
  return {
    ...type,
    metadata: {
      name: app.name,
      namespace: app.namespace,
      labels: { ...labelsOf(app), ...marks.labels },
      ...(Object.keys(noted).length > 0 && { annotations: noted }),
    },
    spec: {
      ...(type.kind !== 'DaemonSet' && { replicas: replicas ?? 1 }),
      ...(type.kind === 'StatefulSet' && { serviceName: app.name }),
      ...(kind === 'LeaderWorkerSet'
        ? groupsOf(seed)
        : { selector: { matchLabels: selectorOf(app) }, template: templateOf(app) }),
      ...spec,
    },
  };
}

/** Seconds, as the API server writes times. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
