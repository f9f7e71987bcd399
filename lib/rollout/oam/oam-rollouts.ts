import { deriveRollout, seenText } from '@/lib/rollout/oam/derive';
import {
  type OamRollout,
  parseAppRollout,
  parseApplicationDeployment,
  parseRollout,
} from '@/lib/rollout/oam/parse';
import { applicationDeployments, appRollouts, oamRollouts as rollouts } from '@/lib/rollout/oam/resources';
import { sidesOf } from '@/lib/rollout/oam/revisions';
import { situationOf } from '@/lib/rollout/oam/situation';
import { nextChangeOf } from '@/lib/rollout/oam/waits';
import { type RolloutSystem } from '@/lib/rollout/system';
import { type ResourceType } from '@/lib/workloads/resource';

function systemOf(
  id: string,
  resource: ResourceType,
  parse: RolloutSystem<OamRollout>['parse'],
): RolloutSystem<OamRollout> {
  return {
    id,
    resource,
    beside: [],
    records: null,
    podLabels: [],
    parse,
    derive: (input) => deriveRollout(id, input),
    validUntil: (input) => nextChangeOf(situationOf(input)),
    seenText,
    sides: sidesOf,
    // A share of the pods is all that they share out.
    routing: { refs: () => [], traffic: () => null },
    plan: () => ({ kind: 'refused', findings: [] }),
    rightOf: () => null,
  };
}

/** Rollouts of OAM, as KubeVela shipped them and as Shiplog's own controller runs them. */
export const oamRollouts = systemOf('oam', rollouts, parseRollout);

/** Their forerunners, for reading alone. */
export const appRolloutSystem = systemOf('oam-approllout', appRollouts, parseAppRollout);
export const applicationDeploymentSystem = systemOf(
  'oam-applicationdeployment',
  applicationDeployments,
  parseApplicationDeployment,
);
