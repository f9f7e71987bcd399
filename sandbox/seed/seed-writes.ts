import type { JsonObject } from '@/lib/kube/json';
import { timeText } from '@/sandbox/controllers/objects/time';
import { marksOf } from '@/sandbox/seed/owners';
import {
  type Ago,
  type App,
  changeApp,
  labelsOf,
  manifest,
  pathOf,
  type SeedAction,
  type SeedActor,
  type SeedKind,
  type SeedObject,
  type SeedRequest,
  selectorOf,
  templateOf,
  TYPES,
  type WorkloadSeed,
} from '@/sandbox/seed/workload';

type Request =
  | SeedRequest
  | {
      readonly do: 'deletePods';
      readonly namespace: string;
      readonly selector: string;
      readonly count: number;
    };

/** A request to the API server at a moment of the seeded history. */
export type SeedWrite = {
  readonly at: number;
  readonly by: SeedActor;
  /** The workload that it is about, where it is about one. */
  readonly about?: SeedSubject;
} & Request;

interface SeedSubject {
  /** Its path. */
  readonly workload: string;
  /** The number of the version that it deploys or returns to, counted from 0; null where it does neither. */
  readonly version: number | null;
}

export const CHANGE_CAUSE = 'kubernetes.io/change-cause';
/** https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/objectrestarter.go */
export const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };

/** Milliseconds. Throws RangeError on anything but numbers with units. */
export function msOf(ago: Ago): number {
  if (!/^(\d+[dhms])+$/.test(ago))
    throw new RangeError(`${ago} is no time before the end of the seeded history`);
  return [...ago.matchAll(/(\d+)([dhms])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS],
    0,
  );
}

interface Version {
  readonly app: App;
  readonly cause: string | undefined;
}

/** All writes for one workload, oldest first; `end` is when its history ends. */
export function seedWritesOf(seed: WorkloadSeed, end: number): SeedWrite[] {
  const versions: Version[] = [];
  let now: Version = { app: seed.app, cause: undefined };
  return seed.story.map((act, index): SeedWrite => {
    if (act.do === 'ship')
      versions.push((now = { app: changeApp(now.app, act.change), cause: act.cause ?? now.cause }));
    if (act.do === 'undo') now = versionAt(versions, act.to);
    const at = end - msOf(act.ago);
    const { by } = act;
    const version = act.do === 'ship' ? versions.length - 1 : act.do === 'undo' ? act.to : null;
    const common = { at, by, about: { workload: workloadPath(seed), version } };
    const changes = act.do === 'ship' || act.do === 'undo' || act.do === 'restart' || act.do === 'merge';
    if (changes && by.applies) return { ...common, do: 'apply', object: workloadOf(seed, now) };
    if (index === 0) return { ...common, do: 'create', object: workloadOf(seed, now) };
    return { ...common, ...requestOf(seed, act, now, at) };
  });
}

function versionAt(versions: readonly Version[], index: number): Version {
  const version = versions[index];
  if (version === undefined) throw new RangeError(`there is no version ${index} to roll back to`);
  return version;
}

function requestOf(seed: WorkloadSeed, act: SeedAction, { app, cause }: Version, at: number): Request {
  const annotations = { [CHANGE_CAUSE]: cause ?? null };
  const change = (patch: JsonObject): Request => ({
    do: 'patch',
    path: workloadPath(seed) + ('status' in patch ? '/status' : ''),
    type: 'merge',
    patch,
  });
  switch (act.do) {
    case 'ship':
      return change({
        metadata: {
          labels: { ...labelsOf(app), ...act.labels },
          annotations: cause === undefined ? undefined : annotations,
        },
        spec: { ...act.spec, ...inPlace(seed.kind, templateOf(app)) },
      });
    case 'undo':
      // kubectl also restores the annotations of the revision; its plugin for Argo Rollouts does not.
      return change({
        metadata: seed.kind === 'ArgoRollout' ? undefined : { annotations },
        spec: inPlace(seed.kind, templateOf(app)),
      });
    case 'restart': {
      const template = { metadata: { annotations: { [RESTARTED_AT]: timeText(at) } } };
      return change({ spec: inPlace(seed.kind, template) });
    }
    case 'merge':
      return change(act.patch);
    case 'deletePods': {
      const [selector = ''] = Object.entries(selectorOf(app)).map((label) => label.join('='));
      return { do: 'deletePods', namespace: app.namespace, selector, count: act.count };
    }
    default: {
      const { ago: _ago, by: _by, ...request } = act;
      return request;
    }
  }
}

/** Path of the pod template in a kind. */
function inPlace(kind: SeedKind, template: JsonObject): JsonObject {
  return kind === 'LeaderWorkerSet' ? { leaderWorkerTemplate: { workerTemplate: template } } : { template };
}

/** Path of the workload. */
export function workloadPath(seed: WorkloadSeed): string {
  return pathOf(workloadOf(seed, { app: seed.app, cause: undefined }));
}

function workloadOf(seed: WorkloadSeed, { app, cause }: Version): SeedObject {
  const { kind, replicas = 1, spec } = seed;
  const type = TYPES[kind];
  const marks = marksOf(seed, type);
  const annotations: JsonObject = { ...marks.annotations };
  if (cause !== undefined) annotations[CHANGE_CAUSE] = cause;
  const object = manifest(
    type.apiVersion,
    type.kind,
    `${app.namespace}/${app.name}`,
    {
      spec: {
        replicas: type.kind === 'DaemonSet' ? undefined : replicas,
        serviceName: type.kind === 'StatefulSet' ? app.name : undefined,
        ...(kind === 'LeaderWorkerSet' ? groupsOf(app) : podsOf(app)),
        ...spec,
      },
    },
    { ...labelsOf(app), ...marks.labels },
  );
  if (Object.keys(annotations).length > 0) object.metadata.annotations = annotations;
  return object;
}

function podsOf(app: App): JsonObject {
  return { selector: { matchLabels: selectorOf(app) }, template: templateOf(app) };
}

function groupsOf(app: App): JsonObject {
  return {
    leaderWorkerTemplate: { size: 3, workerTemplate: templateOf(app) },
    rolloutStrategy: {
      type: 'RollingUpdate',
      rollingUpdateConfiguration: { partition: 0, maxUnavailable: 1, maxSurge: 0 },
    },
    startupPolicy: 'LeaderCreated',
    networkConfig: { subdomainPolicy: 'Shared' },
  };
}
