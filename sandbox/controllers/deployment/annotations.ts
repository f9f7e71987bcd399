import { type Deployment } from '@/sandbox/controllers/objects/workloads';

export const REVISION = 'deployment.kubernetes.io/revision';
export const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';
export const ROLLBACK_TO = 'deprecated.deployment.rollback.to';

/** Never copied between a Deployment and its ReplicaSets. */
const SKIPPED = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  ROLLBACK_TO,
]);
const REVISION_HISTORY_LENGTH_MAX = 2000;

export type Annotations = Record<string, string>;

/** A revision number: 0 when there is none, undefined when it is no number. */
export function revisionOf(annotations: Annotations | undefined): number | undefined {
  const text = annotations?.[REVISION];
  if (text === undefined) return 0;
  return /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}

/**
 * Annotations of the newest ReplicaSet: those of the Deployment except its bookkeeping, and the desired
 * revision where that is higher; its former number joins its history. Unchanged where its number can't be
 * read.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/util/deployment_util.go (SetNewReplicaSetAnnotations)
 */
export function newestAnnotations(
  present: Annotations | undefined,
  deployment: Deployment,
  wanted: number,
): Annotations {
  const before = present?.[REVISION];
  const number = before === '' ? 0 : revisionOf(present);
  if (number === undefined) return { ...present };
  const result = { ...present, ...copied(deployment.metadata.annotations) };
  if (number >= wanted) return result;
  result[REVISION] = String(wanted);
  return before === undefined ? result : { ...result, ...historyWith(present?.[REVISION_HISTORY], before) };
}

/** Annotations of the Deployment after a rollback to a ReplicaSet. */
export function restoredAnnotations(
  present: Annotations | undefined,
  source: Annotations | undefined,
): Annotations {
  const kept = Object.entries(present ?? {}).filter(([key]) => SKIPPED.has(key));
  return { ...Object.fromEntries(kept), ...copied(source) };
}

function copied(annotations: Annotations | undefined): Annotations {
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([key]) => !SKIPPED.has(key)));
}

/** The oldest numbers are dropped when the text gets too long. */
function historyWith(history: string | undefined, number: string): Annotations {
  const numbers = history === undefined || history === '' ? [] : history.split(',');
  for (let start = 0; start <= numbers.length; start += 1) {
    const text = [...numbers.slice(start), number].join(',');
    if (text.length <= REVISION_HISTORY_LENGTH_MAX) return { [REVISION_HISTORY]: text };
  }
  return {};
}

/** A number that is not negative; undefined when the annotation is missing or invalid. */
export function countAt(annotations: Annotations | undefined, key: string): number | undefined {
  const text = annotations?.[key];
  return text !== undefined && /^\d+$/.test(text) && Number(text) < 2 ** 31 ? Number(text) : undefined;
}

export function sizeAnnotations(desired: number, max: number): Annotations {
  return { [DESIRED_REPLICAS]: String(desired), [MAX_REPLICAS]: String(max) };
}
