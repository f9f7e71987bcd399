import { canonicalJson, type JsonObject } from '@/lib/kube/json';
import {
  planOf,
  ROLLOUT_ID,
  type KruiseSpec,
  styleOf,
} from '@/sandbox/controllers/kruise/shared/rollout-object';
import { type RolloutWorkload } from '@/sandbox/controllers/kruise/shared/workload';
import { fnv1a, safeEncode } from '@/sandbox/controllers/revisions/hash';

/** The id by which pods and records refer to a rollout. Reused if the label does not change. */
export function rolloutIdOf({ object, revision, isInRollback }: RolloutWorkload): string {
  const asked = object.metadata.labels?.[ROLLOUT_ID];
  if (asked !== undefined && asked !== '') return asked;
  return isInRollback ? `rollback-${revision}` : revision;
}

/** Hash of the plan except its pauses and failure threshold. */
export function strategyHash(spec: KruiseSpec): string {
  const { steps, failureThreshold: _patience, ...rest } = planOf(spec);
  const plan = { ...rest, steps: steps.map(({ pause: _pause, ...step }) => step), style: styleOf(spec) };
  return safeEncode(String(fnv1a(Buffer.from(canonicalJson(plan as JsonObject)))));
}
