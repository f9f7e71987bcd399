import 'server-only';
import type { Answer } from '@/lib/api/common';
import type { eventListSchema, logTailSchema, podItemSchema, podListSchema } from '@/lib/api/pods';
import { AppError } from '@/lib/errors';
import type { Revision } from '@/lib/history/revision';
import type { PodSummary } from '@/lib/history/pod';
import { kindLabel } from '@/lib/kube/resource';
import { kindOf } from '@/lib/workloads/kinds/table';
import type { Workload } from '@/lib/history/workload';
import { podLogTail } from '@/server/cluster/logs';
import type { EventSummary } from '@/server/cluster/cache';
import type { ReadContext } from '@/server/views/context';
import { findWorkload, type WorkloadName } from '@/server/views/find-workload';
import { freshness } from '@/server/reads/freshness';
import { podLinks } from '@/server/reads/links';
import { type MaskedPartial, partialResources } from '@/server/views/partial';
import { assertCan } from '@/server/views/rights';
import type { WorkloadView } from '@/server/views/workload-view';
import type { Viewer } from '@/server/shared/viewer';

const pods = { group: '', plural: 'pods' };
const events = { group: '', plural: 'events' };

/** Enough to see why a container fails; more belongs into a log viewer. */
const LOG_LINES = 50;
const LOG_BYTES_MAX = 64 * 1024;
const EVENTS_MAX = 200;

/** The pods of a workload with the revision that each runs. */
export async function workloadPods(
  context: ReadContext,
  viewer: Viewer,
  ref: WorkloadName,
): Promise<Answer<typeof podListSchema>> {
  const view = await findWorkload(context, viewer, ref);
  await assertCan(context.cluster, viewer, 'list', pods, ref.namespace);
  const items = podsOf(view)
    .map(({ pod, revision, auxiliary }) => {
      const group = view.kind.groups?.ofPod(pod) ?? null;
      return {
        uid: pod.uid,
        name: pod.name,
        revision: revision?.number ?? null,
        revisionId: revision?.id ?? null,
        target: revision?.target ?? false,
        ...(group && { group }),
        ...(auxiliary && { auxiliary }),
        node: pod.node,
        ip: pod.ip,
        phase: pod.phase,
        ready: pod.ready,
        readyAt: pod.readyAt,
        createdAt: pod.createdAt,
        startedAt: pod.startedAt,
        deletedAt: pod.deletedAt,
        restarts: pod.restarts,
        images: context.keys.mask.images(pod.images),
        block:
          pod.block === null
            ? null
            : {
                ...pod.block,
                message: context.keys.mask.text(pod.block.message),
              },
        links: podLinks(context, view, pod.name),
      };
    })
    .sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
  return { items, partial: partialOf(context, 'pods', ref), ...freshness(context) };
}

/**
 * Events of the workload, its source objects, its children and its pods, each with the revision it belongs to. Newest
 * first.
 */
export async function workloadEvents(
  context: ReadContext,
  viewer: Viewer,
  ref: WorkloadName,
): Promise<Answer<typeof eventListSchema>> {
  const view = await findWorkload(context, viewer, ref);
  await assertCan(context.cluster, viewer, 'list', events, ref.namespace);
  const items = uidsOf(view)
    .flatMap(({ uid, revision }) =>
      context.cluster.cache.eventsOf(uid).map((event) => ({
        id: event.uid,
        type: event.type,
        reason: context.keys.mask.text(event.reason),
        message: context.keys.mask.text(event.message),
        count: event.count,
        first: event.first,
        last: event.last,
        object: { kind: event.object.kind, name: event.object.name },
        revision: revision?.number ?? null,
        revisionId: revision?.id ?? null,
      })),
    )
    .sort((a, b) => timeOf(b).localeCompare(timeOf(a)))
    .slice(0, EVENTS_MAX);
  return { items, partial: partialOf(context, 'events', ref), ...freshness(context) };
}

/** The last lines of one container, as text. Read as the viewer, masked, never stored. */
export async function podLogs(
  context: ReadContext,
  viewer: Viewer,
  ref: WorkloadName,
  query: { pod: string; container: string | undefined; previous: boolean },
): Promise<Answer<typeof logTailSchema>> {
  const view = await findWorkload(context, viewer, ref);
  if (viewer.hidesLogs === true) throw logsForbidden();
  await assertCan(context.cluster, viewer, 'get', pods, ref.namespace, {
    subresource: 'log',
    name: query.pod,
  });
  const pod = podsOf(view).find((entry) => entry.pod.name === query.pod)?.pod;
  if (pod === undefined) throw new AppError('not_found', `${ref.name} has no pod ${query.pod}.`);
  const container = query.container ?? pod.block?.container ?? pod.images[0]?.container ?? '';
  const tail = await podLogTail(context.cluster, viewer, ref.namespace, pod.name, container, {
    previous: query.previous,
    lines: LOG_LINES,
    maxBytes: LOG_BYTES_MAX,
  });
  return {
    container,
    previous: query.previous,
    lines: context.keys.mask.lines(tail.lines),
    truncated: tail.truncated,
  };
}

function logsForbidden(): AppError {
  return new AppError(
    'forbidden',
    'Anonymous viewers cannot see logs. Set SHIPLOG_ANONYMOUS_LOGS=1 to show them.',
  );
}

interface PodOfView {
  pod: PodSummary;
  revision: Revision | undefined;
  auxiliary?: Answer<typeof podItemSchema>['auxiliary'];
}

/** Its own pods, and those of its canary workloads: they are where a canary fails. */
function podsOf({ pods: own, history, rollout }: WorkloadView): PodOfView[] {
  const known = new Set(own.map(({ uid }) => uid));
  return [
    ...own.map((pod) => ({ pod, revision: history.revisionOfPod.get(pod.uid) })),
    ...(rollout?.input.auxiliaries ?? []).flatMap(({ workload, pods: others }) =>
      others
        .filter(({ uid }) => !known.has(uid))
        .map((pod) => ({
          pod,
          // It counts its revisions by itself: the workload does not have its numbers.
          revision: undefined,
          auxiliary: { kind: kindNameOf(workload), name: workload.name },
        })),
    ),
  ];
}

function kindNameOf({ resource }: Workload): string {
  const kind = kindOf(resource);
  return kind === undefined ? resource : kindLabel(kind.resource);
}

function uidsOf(view: WorkloadView) {
  const { workload, history, children: parts = [] } = view;
  return [
    { uid: workload.uid, revision: undefined },
    ...history.revisions.map((revision) => ({ uid: revision.source.uid, revision })),
    ...parts.map(({ uid }) => ({ uid, revision: undefined })),
    ...podsOf(view).map(({ pod: { uid }, revision }) => ({ uid, revision })),
  ];
}

function timeOf(event: Pick<EventSummary, 'first' | 'last'>): string {
  return event.last ?? event.first ?? '';
}

function partialOf(
  context: ReadContext,
  requestedResource: string,
  { namespace }: WorkloadName,
): MaskedPartial[] {
  return partialResources(context, (resource) => resource === requestedResource, namespace);
}
