import { type JsonObject } from '@/lib/kube/json';
import { type App, labelsOf, selectorOf, templateOf } from '@/server/sandbox/story/app';
import { goOnPatch, recordOf, recordsIn, rolloutOf, rolloutsIn } from '@/server/sandbox/story/stepping';
import { type Act, type Actor, msOf, type StoryKind, type WorkloadStory } from '@/server/sandbox/story/story';

/** What is sent to the API server at a moment of the story. */
export type Write = { readonly at: number; readonly by: Actor } & (
  | { readonly do: 'create'; readonly collection: string; readonly object: JsonObject }
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

interface Release {
  readonly app: App;
  readonly cause: string | undefined;
}

/** Everything that is written for one workload, oldest first; `end` is when its story ends. */
export function writesOf(story: WorkloadStory, end: number): Write[] {
  const releases: Release[] = [{ app: story.app, cause: story.cause }];
  let now: Release = { app: story.app, cause: story.cause };
  const creation: Write = {
    at: end - msOf(story.born),
    by: story.by,
    do: 'create',
    collection: collectionOf(story),
    object: workloadOf(story),
  };
  const later = story.acts.flatMap((act): Write[] => {
    const at = end - msOf(act.ago);
    if (act.do === 'release')
      releases.push((now = { app: { ...now.app, ...act.change }, cause: act.cause ?? now.cause }));
    if (act.do === 'undo') now = releaseAt(releases, act.to);
    if (act.do === 'putRecord')
      return recordWrites({ ...story, app: releaseAt(releases, act.of).app }, act, at);
    return [writeOf(story, act, now, at)];
  });
  return [creation, ...later];
}

/** Path of the collection that the workload is in. */
export function collectionOf({ kind, app }: Pick<WorkloadStory, 'kind' | 'app'>): string {
  const { apiVersion, kind: own } = TYPES[kind];
  return `/apis/${apiVersion}/namespaces/${app.namespace}/${own.toLowerCase()}s`;
}

const TYPES: Readonly<Record<StoryKind, { apiVersion: string; kind: string }>> = {
  Deployment: { apiVersion: 'apps/v1', kind: 'Deployment' },
  StatefulSet: { apiVersion: 'apps/v1', kind: 'StatefulSet' },
  DaemonSet: { apiVersion: 'apps/v1', kind: 'DaemonSet' },
  CloneSet: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet' },
  AdvancedStatefulSet: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet' },
  AdvancedDaemonSet: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'DaemonSet' },
  LeaderWorkerSet: { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet' },
  ArgoRollout: { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' },
};

/** The object comes without its status, whatever is sent. */
function recordWrites(story: WorkloadStory, act: Act & { do: 'putRecord' }, at: number): Write[] {
  const collection = recordsIn(story.app.namespace);
  const { object, status } = recordOf(story, act);
  const { by } = act;
  return [
    { at, by, do: 'create', collection, object },
    { at, by, do: 'patch', path: `${collection}/${act.name}/status`, type: 'merge', patch: { status } },
  ];
}

function writeOf(
  story: WorkloadStory,
  act: Exclude<Act, { do: 'putRecord' }>,
  release: Release,
  at: number,
): Write {
  const { namespace } = story.app;
  switch (act.do) {
    case 'deletePods':
      return deletionOf(story, act, at);
    case 'startStepping': {
      const object = rolloutOf(story, act.rollout);
      return { at, by: act.by, do: 'create', collection: rolloutsIn(namespace), object };
    }
    case 'stopStepping':
      return { at, by: act.by, do: 'delete', path: `${rolloutsIn(namespace)}/${act.rollout}` };
    case 'goOn': {
      const path = `${rolloutsIn(namespace)}/${act.rollout.name}/status`;
      return { at, by: act.by, do: 'patch', path, type: 'merge', patch: goOnPatch(act) };
    }
    case 'setStatus': {
      const path = `${collectionOf(story)}/${story.app.name}/status`;
      return { at, by: act.by, do: 'patch', path, type: 'merge', patch: { status: act.status } };
    }
    case 'createBeside':
      return { at, by: act.by, do: 'create', collection: act.collection, object: act.object };
    case 'patchBeside':
      return { at, by: act.by, do: 'patch', path: act.path, type: 'merge', patch: act.patch };
    case 'deleteBeside':
      return { at, by: act.by, do: 'delete', path: act.path };
    default:
      return patchOf(story, act, release, at);
  }
}

function releaseAt(releases: readonly Release[], index: number): Release {
  const release = releases[index];
  if (release === undefined) throw new RangeError(`there is no release ${index} to go back to`);
  return release;
}

function deletionOf({ app }: WorkloadStory, act: Act & { do: 'deletePods' }, at: number): Write {
  const selector = Object.entries(selectorOf(app))
    .map((label) => label.join('='))
    .join(',');
  return { at, by: act.by, do: 'deletePods', namespace: app.namespace, selector, count: act.count };
}

/** What changes the workload itself. */
type Change = Extract<Act, { do: 'release' | 'undo' | 'restart' | 'set' }>;

function patchOf(story: WorkloadStory, act: Change, release: Release, at: number): Write {
  const path = `${collectionOf(story)}/${story.app.name}`;
  return { at, by: act.by, do: 'patch', path, type: 'merge', patch: patchBody(story, act, release, at) };
}

function patchBody({ kind }: WorkloadStory, act: Change, { app, cause }: Release, at: number): JsonObject {
  const annotations = { [CHANGE_CAUSE]: cause ?? null };
  switch (act.do) {
    case 'release':
      return {
        metadata: { labels: { ...labelsOf(app), ...act.marks }, ...(cause !== undefined && { annotations }) },
        spec: { ...act.spec, ...inPlace(kind, templateOf(app)) },
      };
    case 'undo':
      // kubectl takes the annotations of the revision along; its plugin for Argo Rollouts does not.
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

/** The template of the pods where a kind has it. */
function inPlace(kind: StoryKind, template: JsonObject): JsonObject {
  return kind === 'LeaderWorkerSet' ? { leaderWorkerTemplate: { workerTemplate: template } } : { template };
}

/** What only this kind writes at the creation. */
function groupsOf({ groupSize, app }: WorkloadStory): JsonObject {
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

function workloadOf(story: WorkloadStory): JsonObject {
  const { kind, app, replicas, spec, annotations, cause } = story;
  const type = TYPES[kind];
  const noted = { ...annotations, ...(cause !== undefined && { [CHANGE_CAUSE]: cause }) };
  return {
    ...type,
    metadata: {
      name: app.name,
      namespace: app.namespace,
      labels: labelsOf(app),
      ...(Object.keys(noted).length > 0 && { annotations: noted }),
    },
    spec: {
      ...(type.kind !== 'DaemonSet' && { replicas: replicas ?? 1 }),
      ...(type.kind === 'StatefulSet' && { serviceName: app.name }),
      ...(kind === 'LeaderWorkerSet'
        ? groupsOf(story)
        : { selector: { matchLabels: selectorOf(app) }, template: templateOf(app) }),
      ...spec,
    },
  };
}

/** Seconds, as the API server writes times. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
