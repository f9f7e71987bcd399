import { isActive } from '@/lib/history/assemble';
import { blockersOf, type Clocked } from '@/lib/workloads/blockers';
import { type StatusInput } from '@/lib/workloads/kind';
import { type ResourceType } from '@/lib/workloads/resource';
import { type WorkloadStatus } from '@/lib/workloads/status';
import { count } from '@/lib/workloads/words';
import { type Workload } from '@/lib/workloads/workload';

/**
 * The status of an owner whose controller Shiplog does not know: what can be counted, and not a word of how its rollout
 * goes. Of its pods only those are wanted that are there.
 */
export function ownerStatus(
  { kind, group }: ResourceType,
  { workload, history, pods, now }: StatusInput & Clocked,
): WorkloadStatus {
  const active = pods.filter(isActive);
  const ready = active.filter((pod) => pod.ready).length;
  const updated = active.filter((pod) => history.revisionOfPod.get(pod.uid)?.target === true).length;
  const seen = active.length === 0 ? null : `${ready} of ${count(active.length, 'pod')} ready`;
  return {
    state: 'unknown',
    message: messageOf(workload, seen),
    sentence: sentenceOf(workload, kind, seen),
    since: null,
    pods: { desired: active.length, ready, updated, available: ready },
    blockers: blockersOf(history, active, { proven: true, now }),
    kubectl: {
      text: `error: no status viewer has been implemented for ${kind}.${group}`,
      verdict: 'error',
    },
  };
}

function messageOf({ standIn, deletedAt }: Workload, seen: string | null): string {
  if (deletedAt !== null) return 'being deleted';
  switch (standIn?.state) {
    case 'gone':
      return 'its owner is gone';
    case 'unreadable':
      return 'its owner may not be read';
    case 'unfollowed':
      return 'its owner is not read';
    case 'none':
      return 'no controller';
    case 'component':
    case undefined:
      return seen ?? 'how its rollouts go is not known';
  }
}

function sentenceOf({ name, standIn, deletedAt }: Workload, kind: string, seen: string | null): string {
  if (deletedAt !== null) return `${name} is being deleted.`;
  const owner = standIn?.owner == null ? 'The owner' : `${standIn.owner.kind} ${standIn.owner.name}`;
  switch (standIn?.state) {
    case 'gone':
      return `${owner} of these revisions is gone; Kubernetes will delete them as well.`;
    case 'unreadable':
      return `${owner} may not be read, so only its revisions can be shown.`;
    case 'unfollowed':
      return `There are more kinds of owners than Shiplog follows, and ${owner} is of one that is left out: only its revisions can be shown.`;
    case 'none':
      return standIn.component === null
        ? 'No controller owns these ControllerRevisions; they are only for reading.'
        : `These revisions of component ${standIn.component} have no controller; they are only for reading.`;
    case 'component':
    case undefined: {
      const unknown = `Shiplog does not know how a ${kind} rolls out`;
      return seen === null ? `${unknown}; it shows what is recorded.` : `${unknown}; ${seen}.`;
    }
  }
}
