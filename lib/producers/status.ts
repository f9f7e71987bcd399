import { isActive } from '@/lib/history/assemble';
import { blockersOf, type TimeInput } from '@/lib/workloads/blockers';
import { type StatusInput } from '@/lib/workloads/kind';
import { type ResourceType } from '@/lib/kube/resource';
import { type WorkloadStatus } from '@/lib/workloads/status';
import { formatCount } from '@/lib/format/text';
import { type Workload } from '@/lib/history/workload';

/**
 * The status of an owner whose controller Shiplog does not know: only counts, without the progress of its
 * rollout. The existing pods count as the desired ones.
 */
export function ownerStatus(
  { kind, group }: ResourceType,
  { workload, history, pods, now }: StatusInput & TimeInput,
): WorkloadStatus {
  const active = pods.filter(isActive);
  const ready = active.filter((pod) => pod.ready).length;
  const updated = active.filter((pod) => history.revisionOfPod.get(pod.uid)?.target === true).length;
  const podsText = active.length === 0 ? null : `${ready} of ${formatCount(active.length, 'pod')} ready`;
  return {
    state: 'unknown',
    message: messageOf(workload, podsText),
    sentence: sentenceOf(workload, kind, podsText),
    since: null,
    pods: { desired: active.length, ready, updated, available: ready },
    blockers: blockersOf(history, active, { proven: true, now }),
    kubectl: {
      text: `error: no status viewer has been implemented for ${kind}.${group}`,
      verdict: 'error',
    },
  };
}

function messageOf({ placeholder, deletedAt }: Workload, podsText: string | null): string {
  if (deletedAt !== null) return 'being deleted';
  switch (placeholder?.state) {
    case 'gone':
      return 'owner deleted';
    case 'unreadable':
      return 'owner not readable';
    case 'unfollowed':
      return 'owner not watched';
    case 'none':
      return 'no controller';
    case 'component':
    case undefined:
      return podsText ?? 'rollout state unknown';
  }
}

function sentenceOf(
  { name, placeholder, deletedAt }: Workload,
  kind: string,
  podsText: string | null,
): string {
  if (deletedAt !== null) return `${name} is being deleted.`;
  const owner =
    placeholder?.owner == null ? 'The owner' : `${placeholder.owner.kind} ${placeholder.owner.name}`;
  switch (placeholder?.state) {
    case 'gone':
      return `${owner} of these revisions was deleted; Kubernetes deletes them too.`;
    case 'unreadable':
      return `You are not allowed to read ${owner}, so only its revisions are shown.`;
    case 'unfollowed':
      return `Shiplog does not watch the kind of ${owner}, because the number of kinds exceeds its limit. Only its revisions are shown.`;
    case 'none':
      return placeholder.component === null
        ? 'No controller owns these ControllerRevisions; they are read-only.'
        : `These revisions of component ${placeholder.component} have no controller; they are read-only.`;
    case 'component':
    case undefined: {
      const unknown = `Shiplog does not know how a ${kind} rolls out`;
      return podsText === null ? `${unknown}; it shows the recorded revisions.` : `${unknown}; ${podsText}.`;
    }
  }
}
