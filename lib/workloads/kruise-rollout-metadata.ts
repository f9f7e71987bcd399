import type { JsonObject } from '@/lib/kube/json';
import { objectIn, textAt } from '@/lib/kube/read';
import type { Workload } from '@/lib/history/workload';

const PREFIX = 'rollouts.kruise.io/';
const IN_PROGRESS = `${PREFIX}in-progressing`;
const CONTROL = `batchrelease.${PREFIX}control-info`;
const STABLE = `${PREFIX}stable-revision`;
export const ROLLOUT_ID = `${PREFIX}rollout-id`;
const WORKLOAD_TYPE = `${PREFIX}workload-type`;
const CANARY = `${PREFIX}canary-deployment`;

type ObjectMetadata = Pick<Workload, 'annotations' | 'labels'>;

/**
 * Name of the Rollout that moves this workload step by step now; null when none does. Its webhook writes the
 * annotation together with the template, and its controller removes it when the rollout ends.
 * https://github.com/openkruise/rollouts/blob/master/pkg/webhook/workload/mutating/workload_update_handler.go
 */
export function activeRolloutOf({ annotations }: Pick<ObjectMetadata, 'annotations'>): string | null {
  const marker = textAt(annotations, IN_PROGRESS);
  if (marker === undefined || marker === '') return null;
  return textAt(objectIn(marker), 'rolloutName') ?? marker;
}

/**
 * Name of the Rollout that controls a workload, also before and after its steps: at the end of a rollout, and
 * while it is being disabled, {@link activeRolloutOf} is null some seconds before the workload is released.
 * Its controller meanwhile is the BatchRelease, which has the name of its Rollout.
 * https://github.com/openkruise/rollouts/blob/master/pkg/controller/batchrelease/control/util.go
 */
export function controllingRolloutOf(workload: Pick<ObjectMetadata, 'annotations'>): string | null {
  const active = activeRolloutOf(workload);
  if (active !== null) return active;
  const { annotations } = workload;
  const control = textAt(annotations, CONTROL);
  return textAt(objectIn(control), 'name') ?? null;
}

/** Name of the Deployment whose canary this one is; null for a workload that no Rollout created. */
export function canaryParentName({ labels }: Pick<ObjectMetadata, 'labels'>): string | null {
  const name = textAt(labels, CANARY);
  return name === undefined || name === '' ? null : name;
}

/**
 * `pod-template-hash` of the ReplicaSet from which a rollout of a Deployment started; null where no
 * annotation names one.
 */
export function stableHashOf({ labels }: Pick<ObjectMetadata, 'labels'>): string | null {
  return labels[STABLE] ?? null;
}

/** An annotation or label reserved for the Rollout controllers; kubectl-kruise ignores it too. */
export function isRolloutMetadata(key: string): boolean {
  return key.includes(PREFIX);
}

/** The id of a rollout that the webhook compares; undefined where none is set. */
export function rolloutIdOf({ annotations }: Pick<ObjectMetadata, 'annotations'>): string | undefined {
  const id = textAt(annotations, ROLLOUT_ID);
  return id === '' ? undefined : id;
}

/** Whether a Rollout has moved this workload before. The label remains after the Rollout is deleted. */
export function hasBeenRolledOut({ labels }: Pick<ObjectMetadata, 'labels'>): boolean {
  return Object.hasOwn(labels, WORKLOAD_TYPE);
}

/** The JSON object in an annotation of the Rollout controllers; undefined where none is readable. */
export function readRolloutAnnotation(
  annotations: Workload['annotations'],
  name: string,
): JsonObject | undefined {
  const text = textAt(annotations, PREFIX + name);
  return objectIn(text);
}
