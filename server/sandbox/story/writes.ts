import { type JsonObject } from '@/lib/kube/json';
import { type App, labelsOf, selectorOf, templateOf } from '@/server/sandbox/story/app';
import { type Act, type Actor, msOf, type WorkloadStory } from '@/server/sandbox/story/story';

/** What is sent to the API server at a moment of the story. */
export type Write = { readonly at: number; readonly by: Actor } & (
  | { readonly do: 'create'; readonly collection: string; readonly object: JsonObject }
  | { readonly do: 'patch'; readonly path: string; readonly patch: JsonObject }
  | {
      readonly do: 'deletePods';
      readonly namespace: string;
      readonly selector: string;
      readonly count: number;
    }
);

const CHANGE_CAUSE = 'kubernetes.io/change-cause';
/** https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/objectrestarter.go */
const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

/** Everything that is written for one workload, oldest first; `end` is when its story ends. */
export function writesOf(story: WorkloadStory, end: number): Write[] {
  const releases = [story.app];
  let app = story.app;
  const creation: Write = {
    at: end - msOf(story.born),
    by: story.by,
    do: 'create',
    collection: collectionOf(story),
    object: workloadOf(story),
  };
  const later = story.acts.map((act): Write => {
    const at = end - msOf(act.ago);
    if (act.do === 'release') releases.push((app = { ...app, ...act.change }));
    if (act.do === 'undo') app = releaseAt(releases, act.to);
    return act.do === 'deletePods' ? deletionOf(story, act, at) : patchOf(story, act, app, at);
  });
  return [creation, ...later];
}

/** Path of the collection that the workload is in. */
export function collectionOf({ kind, app }: Pick<WorkloadStory, 'kind' | 'app'>): string {
  return `/apis/apps/v1/namespaces/${app.namespace}/${kind.toLowerCase()}s`;
}

function releaseAt(releases: readonly App[], index: number): App {
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

function patchOf(story: WorkloadStory, act: Exclude<Act, { do: 'deletePods' }>, app: App, at: number): Write {
  const path = `${collectionOf(story)}/${story.app.name}`;
  return { at, by: act.by, do: 'patch', path, patch: patchBody(act, app, at) };
}

function patchBody(act: Exclude<Act, { do: 'deletePods' }>, app: App, at: number): JsonObject {
  switch (act.do) {
    case 'release':
      return {
        ...(act.cause !== undefined && { metadata: { annotations: { [CHANGE_CAUSE]: act.cause } } }),
        spec: { ...act.spec, template: templateOf(app) },
      };
    case 'undo':
      return { spec: { template: templateOf(app) } };
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
function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
