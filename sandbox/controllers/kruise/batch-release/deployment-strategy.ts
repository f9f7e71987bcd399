import { isJsonObject, parseJson } from '@/lib/kube/json';
import { type Deployment, type IntOrString } from '@/sandbox/controllers/objects/workloads';

export const ADVANCED_CONTROLLED = 'rollouts.kruise.io/controlled-by-advanced-deployment-controller';
export const DEPLOYMENT_STRATEGY = 'rollouts.kruise.io/deployment-strategy';
export const DEPLOYMENT_EXTRA_STATUS = 'rollouts.kruise.io/deployment-extra-status';

export type AdvancedStrategy = {
  rollingStyle: string;
  rollingUpdate: { maxSurge?: IntOrString; maxUnavailable?: IntOrString };
  paused?: boolean;
  /** How much is to be updated; elsewhere a partition is what stays. */
  partition: IntOrString;
};

/** Undefined without the annotation, and for invalid text. */
export function strategyOf({ metadata }: Deployment): AdvancedStrategy | undefined {
  const text = metadata.annotations?.[DEPLOYMENT_STRATEGY];
  if (text === undefined) return undefined;
  try {
    const strategy = parseJson(text);
    return isJsonObject(strategy) ? (strategy as unknown as AdvancedStrategy) : undefined;
  } catch {
    return undefined;
  }
}
