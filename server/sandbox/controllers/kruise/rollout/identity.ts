import { canonicalJson, type JsonObject } from '@/lib/kube/json';
import {
  planOf,
  ROLLOUT_ID,
  type RolloutSpec,
  styleOf,
} from '@/server/sandbox/controllers/kruise/rollout/rollout-object';
import { type Workload } from '@/server/sandbox/controllers/kruise/rollout/workload';
import { fnv1a, safeEncode } from '@/server/sandbox/controllers/revisions/hash';

/** Under which pods and records know a release. Reused by whoever does not change the label. */
export function rolloutIdOf({ object, revision, isInRollback }: Workload): string {
  const asked = object.metadata.labels?.[ROLLOUT_ID];
  if (asked !== undefined && asked !== '') return asked;
  return isInRollback ? `rollback-${revision}` : revision;
}

/** Of all that makes a plan but for its pauses and its patience. */
export function strategyHash(spec: RolloutSpec): string {
  const { steps, failureThreshold: _patience, ...rest } = planOf(spec);
  const plan = { ...rest, steps: steps.map(({ pause: _pause, ...step }) => step), style: styleOf(spec) };
  return safeEncode(String(fnv1a(Buffer.from(canonicalJson(plan as JsonObject)))));
}
