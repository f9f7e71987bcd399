import 'server-only';
import type { Action } from '@/lib/api/action';
import type { Answer, partialSchema } from '@/lib/api/common';
import { formatCount } from '@/lib/format/text';
import type { WorkloadStatus } from '@/lib/engine/status';
import type { Cluster } from '@/server/cluster/cluster';
import { allowed, refusalOf, type Right, rightsToList } from '@/server/views/rights';
import type { Mask } from '@/server/shared/mask';
import type { Viewer } from '@/server/shared/viewer';

/** What a viewer can see of the objects that the state of a workload is derived from, besides the workload. */
export interface ViewRights {
  readonly pods: Right;
  readonly events: Right;
}

/** Of the process itself, which derives for every viewer. */
export const allRights: ViewRights = { pods: allowed, events: allowed };

const notAsked: Right = { state: 'denied', why: 'This right was not reviewed.' };

/** What the viewer can see in a namespace. A right that can't be asked for now hides, and fails no page. */
export async function readRights(cluster: Cluster, viewer: Viewer, namespace: string): Promise<ViewRights> {
  return (await readRightsIn(cluster, viewer, new Set([namespace])))(namespace);
}

/** The same for many namespaces, with one question where the viewer has the right everywhere. */
export async function readRightsIn(
  cluster: Cluster,
  viewer: Viewer,
  namespaces: ReadonlySet<string>,
): Promise<(namespace: string) => ViewRights> {
  if (namespaces.size === 0) return () => ({ pods: notAsked, events: notAsked });
  const [pods, events] = await Promise.all([
    rightsToList(cluster, viewer, 'pods', namespaces),
    rightsToList(cluster, viewer, 'events', namespaces),
  ]);
  return (namespace) => ({ pods: pods(namespace), events: events(namespace) });
}

/** Whether a row may quote pods or events: one that is complete has nothing but counts. */
export function mayQuote({ state }: Pick<WorkloadStatus, 'state'>): boolean {
  return state !== 'complete';
}

/** The parts that a page leaves out, and why. */
export function hiddenParts(rights: ViewRights, mask: Mask): Answer<typeof partialSchema>[] {
  return (['pods', 'events'] as const).flatMap((resource) => {
    const refusal = refusalOf(rights[resource]);
    return refusal === null
      ? []
      : [{ resource, reason: mask.text(`${refusal} What ${resource} say is not shown.`) }];
  });
}

/** Why a part of what a status says is hidden, as a sentence; null where nothing is. */
export function hiddenReason({ pods, events }: ViewRights): string | null {
  return refusalOf(pods) ?? refusalOf(events);
}

/**
 * The status for a viewer who can't see pods, or events: `blind` is the same, derived without them. A text that is the
 * same without them says nothing of them; any other is replaced by the counts that the workload itself reports.
 */
export function hideInStatus(
  status: WorkloadStatus,
  blind: WorkloadStatus,
  rights: ViewRights,
): WorkloadStatus {
  const reason = hiddenReason(rights);
  if (reason === null) return status;
  const { ready, desired } = status.pods;
  const sentence = `${ready} of ${formatCount(desired, 'pod')} ${desired === 1 ? 'is' : 'are'} ready. What pods and events say about it is not shown: ${reason}`;
  return {
    ...status,
    message: status.message === blind.message ? status.message : `${ready} of ${desired} ready`,
    sentence: status.sentence === blind.sentence ? status.sentence : sentence,
    blockers: rights.pods.state === 'allowed' ? status.blockers : [],
    kubectl: status.kubectl.text === blind.kubectl.text ? status.kubectl : { ...status.kubectl, text: '' },
  };
}

const endings: Partial<Record<Action['state'], string>> = { done: 'Done', failed: 'Not completed' };

/**
 * An action for a viewer with these rights. A message with counts was derived from the state of the workload at that time,
 * and may quote what pods said then.
 */
export function hideInAction<Given extends Pick<Action, 'message' | 'progress' | 'state'>>(
  action: Given,
  rights: ViewRights,
): Given {
  const reason = hiddenReason(rights);
  if (reason === null || action.progress === null) return action;
  const { updated, ready, desired } = action.progress;
  const counts = `${updated} of ${formatCount(desired, 'pod')} updated, ${ready} ready`;
  const message = `${endings[action.state] ?? 'In progress'}: ${counts}. What pods and events say about it is not shown: ${reason}`;
  return { ...action, message };
}

/** A text for a viewer with these rights, without the names of these pods. */
export function hideInText<T extends string | null>(
  text: T,
  podNames: readonly string[],
  { pods }: ViewRights,
): T {
  if (text === null || pods.state === 'allowed') return text;
  // The longest first: one name may begin with another.
  const names = podNames.toSorted((a, b) => b.length - a.length);
  return names.reduce<string>((rest, name) => rest.replaceAll(name, '(hidden pod)'), text) as T;
}
