import type { JsonObject } from '@/lib/kube/json';
import { groupOf, type KubeObject } from '@/lib/kube/object';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import type { EventSummary } from '@/server/cluster/cache';

/**
 * `kind`: of the object, with its group. Null for events about kinds that no page ever shows; for kinds of
 * other projects, that depends on whether such objects have a history.
 */
export type IngestedEvent = {
  readonly event: EventSummary;
  readonly kind: string;
  readonly isShown: boolean;
} | null;

const shownKinds = new Set([
  'Pod',
  ...workloadKinds.flatMap(({ resource, source }) => [resource.kind, source.resource.kind]),
]);

/** Longest message kept; the API server allows 1,024 characters. */
const MESSAGE_MAX = 1_024;

/** Both event APIs write through core/v1, where old and new fields stand side by side. */
export function ingestEvent(object: KubeObject): IngestedEvent {
  const event = object as unknown as JsonObject;
  const involvedObject = event['involvedObject'] as JsonObject | undefined;
  const kind = text(involvedObject?.['kind']);
  const group = groupOf(text(involvedObject?.['apiVersion']));
  const isShown = shownKinds.has(kind);
  if (involvedObject === undefined || (!isShown && !isThirdParty(group))) return null;
  const series = event['series'] as JsonObject | null | undefined;
  const first = time(event['firstTimestamp']) ?? time(event['eventTime']);
  const summary = {
    uid: object.metadata.uid,
    namespace: object.metadata.namespace ?? '-',
    type: text(event['type']),
    reason: text(event['reason']).slice(0, 128),
    message: text(event['message']).slice(0, MESSAGE_MAX),
    count: number(series?.['count']) ?? number(event['count']) ?? 1,
    first,
    last: time(series?.['lastObservedTime']) ?? time(event['lastTimestamp']) ?? first,
    object: { kind, name: text(involvedObject['name']), uid: text(involvedObject['uid']) },
  };
  return { event: summary, kind: `${kind}.${group}`, isShown };
}

/**
 * Groups of Kubernetes itself have no dot, or end in `.k8s.io`; the only owners of revisions in them are
 * kinds of the table.
 */
function isThirdParty(group: string): boolean {
  return group.includes('.') && !group.endsWith('.k8s.io');
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function time(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function number(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
