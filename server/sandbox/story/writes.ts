import { type JsonObject } from '@/lib/kube/json';
import { type App, labelsOf, selectorOf, templateOf } from '@/server/sandbox/story/app';
import { type Act, type Actor, msOf, type WorkloadStory } from '@/server/sandbox/story/story';

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
  const later = story.acts.map((act): Write => {
    const at = end - msOf(act.ago);
    if (act.do === 'release')
      releases.push((now = { app: { ...now.app, ...act.change }, cause: act.cause ?? now.cause }));
    if (act.do === 'undo') now = releaseAt(releases, act.to);
    return act.do === 'deletePods' ? deletionOf(story, act, at) : patchOf(story, act, now, at);
  });
  return [creation, ...later];
}

/** Path of the collection that the workload is in. */
export function collectionOf({ kind, app }: Pick<WorkloadStory, 'kind' | 'app'>): string {
  return `/apis/apps/v1/namespaces/${app.namespace}/${kind.toLowerCase()}s`;
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

function patchOf(
  story: WorkloadStory,
  act: Exclude<Act, { do: 'deletePods' }>,
  release: Release,
  at: number,
): Write {
  const path = `${collectionOf(story)}/${story.app.name}`;
  return { at, by: act.by, do: 'patch', path, type: 'merge', patch: patchBody(act, release, at) };
}

function patchBody(act: Exclude<Act, { do: 'deletePods' }>, { app, cause }: Release, at: number): JsonObject {
  const annotations = { [CHANGE_CAUSE]: cause ?? null };
  switch (act.do) {
    case 'release':
      return {
        metadata: { labels: labelsOf(app), ...(cause !== undefined && { annotations }) },
        spec: { ...act.spec, template: templateOf(app) },
      };
    case 'undo':
      // kubectl takes the annotations of the revision along.
      return { metadata: { annotations }, spec: { template: templateOf(app) } };
    case 'restart':
      return { spec: { template: { metadata: { annotations: { [RESTARTED_AT]: timeText(at) } } } } };
    case 'set':
      return { spec: act.spec };
    default: {
      const unknown: never = act;
      throw new RangeError(`no way to do ${JSON.stringify(unknown)}`);
    }
  }
}

function workloadOf(story: WorkloadStory): JsonObject {
  const { kind, app, replicas, spec, annotations, cause } = story;
  const noted = { ...annotations, ...(cause !== undefined && { [CHANGE_CAUSE]: cause }) };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: {
      name: app.name,
      namespace: app.namespace,
      labels: labelsOf(app),
      ...(Object.keys(noted).length > 0 && { annotations: noted }),
    },
    spec: {
      ...(kind !== 'DaemonSet' && { replicas: replicas ?? 1 }),
      ...(kind === 'StatefulSet' && { serviceName: app.name }),
      selector: { matchLabels: selectorOf(app) },
      template: templateOf(app),
      ...spec,
    },
  };
}

/** Seconds, as the API server writes times. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
