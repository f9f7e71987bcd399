import { type JsonObject } from '@/lib/kube/json';
import { objectIn, textAt } from '@/lib/workloads/read';
import { type Workload } from '@/lib/workloads/workload';

const PREFIX = 'rollouts.kruise.io/';
const IN_PROGRESS = `${PREFIX}in-progressing`;
const CONTROL = `batchrelease.${PREFIX}control-info`;
const STABLE = `${PREFIX}stable-revision`;
export const ROLLOUT_ID = `${PREFIX}rollout-id`;
const WORKLOAD_TYPE = `${PREFIX}workload-type`;
const CANARY = `${PREFIX}canary-deployment`;

type Marked = Pick<Workload, 'annotations' | 'labels'>;

/**
 * Name of the Rollout that moves this workload step by step now; null when none does. Its webhook writes the annotation
 * together with the template, and its controller takes it away when the release ends.
 * https://github.com/openkruise/rollouts/blob/master/pkg/webhook/workload/mutating/workload_update_handler.go
 */
export function releasingRollout({ annotations }: Pick<Marked, 'annotations'>): string | null {
  const mark = Object.hasOwn(annotations, IN_PROGRESS) ? annotations[IN_PROGRESS] : undefined;
  if (mark === undefined || mark === '') return null;
  return textAt(objectIn(mark), 'rolloutName') ?? mark;
}

/**
 * Name of the Rollout that a workload is left to, also before and after its steps: at the end of a release, and while it is
 * being disabled, {@link releasingRollout} is over some seconds before the workload is let go. What controls it meanwhile
 * is the BatchRelease, which is named like its Rollout.
 * https://github.com/openkruise/rollouts/blob/master/pkg/controller/batchrelease/control/util.go
 */
export function holdingRollout(workload: Pick<Marked, 'annotations'>): string | null {
  const releasing = releasingRollout(workload);
  if (releasing !== null) return releasing;
  const { annotations } = workload;
  const control = Object.hasOwn(annotations, CONTROL) ? annotations[CONTROL] : undefined;
  return textAt(objectIn(control), 'name') ?? null;
}

/** Name of the Deployment whose canary this one is; null for a workload that somebody made. */
export function canaryOf({ labels }: Pick<Marked, 'labels'>): string | null {
  const name = Object.hasOwn(labels, CANARY) ? labels[CANARY] : undefined;
  return name === undefined || name === '' ? null : name;
}

/** `pod-template-hash` of the ReplicaSet from which a release of a Deployment started; null where none is marked. */
export function stableHash({ labels }: Pick<Marked, 'labels'>): string | null {
  return labels[STABLE] ?? null;
}

/** An annotation or label that the Rollout controllers keep for themselves; kubectl-kruise leaves it alone too. */
export function isRolloutMark(key: string): boolean {
  return key.includes(PREFIX);
}

/** The id of a release that the webhook compares; undefined where nobody set one. */
export function rolloutIdOf({ annotations }: Pick<Marked, 'annotations'>): string | undefined {
  const id = Object.hasOwn(annotations, ROLLOUT_ID) ? annotations[ROLLOUT_ID] : undefined;
  return id === '' ? undefined : id;
}

/** Whether a Rollout has moved this workload before. The label stays when the Rollout is gone. */
export function wasReleased({ labels }: Pick<Marked, 'labels'>): boolean {
  return Object.hasOwn(labels, WORKLOAD_TYPE);
}

/** The JSON object in an annotation of the Rollout controllers; undefined where there is none that can be read. */
export function markObject(annotations: Workload['annotations'], name: string): JsonObject | undefined {
  const text = Object.hasOwn(annotations, PREFIX + name) ? annotations[PREFIX + name] : undefined;
  return objectIn(text);
}
