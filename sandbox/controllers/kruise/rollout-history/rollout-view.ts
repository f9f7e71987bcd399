import { type JsonObject } from '@/lib/kube/json';
import { type KruiseResource, type CanaryStep } from '@/sandbox/controllers/kruise/shared/rollout-object';

/** The spec of a Rollout as version v1alpha1 shows it, with what the conversion drops. */
export function alphaSpec({ spec }: Pick<KruiseResource, 'spec'>): JsonObject {
  const { canary, paused } = spec.strategy;
  if (canary === undefined) return { disabled: spec.disabled ?? false, objectRef: {}, strategy: {} };
  const {
    enableExtraWorkloadForCanary: _style,
    disableGenerateCanaryService: _service,
    steps,
    ...rest
  } = canary;
  return {
    disabled: spec.disabled ?? false,
    objectRef: { workloadRef: spec.workloadRef },
    strategy: {
      ...(paused === true && { paused }),
      canary: { ...rest, steps: steps.map(alphaStep) },
    },
  };
}

function alphaStep({ traffic, matches, ...rest }: CanaryStep): JsonObject {
  const headers = matches?.map((match) => ('headers' in match ? { headers: match.headers ?? [] } : {}));
  return {
    ...rest,
    ...(headers !== undefined && { matches: headers }),
    ...(traffic !== undefined && { weight: Number.parseInt(traffic, 10) }),
  };
}
