import { actionsOf, readOnlyActions } from '@/lib/rollout/oam/actions';
import { deriveOamRollout, preconditionText } from '@/lib/rollout/oam/derive';
import {
  type OamRollout,
  parseAppRollout,
  parseApplicationDeployment,
  parseOamRollout,
  parseRolloutTrait,
} from '@/lib/rollout/oam/parse';
import { planOamAction, rightOf } from '@/lib/rollout/oam/plans';
import {
  applicationDeployments,
  appRollouts,
  oamRollouts as rollouts,
  rolloutTraits,
} from '@/lib/rollout/oam/resources';
import { sidesOf } from '@/lib/rollout/oam/revisions';
import { oamContextOf } from '@/lib/rollout/oam/context';
import { nextChangeOf } from '@/lib/rollout/oam/waits';
import type { RolloutSystem } from '@/lib/rollout/system';
import type { ResourceType } from '@/lib/kube/resource';

/** Shared by all generations. */
const commonMembers: Pick<
  RolloutSystem<OamRollout>,
  'relatedObjects' | 'records' | 'podLabels' | 'validUntil' | 'preconditionText' | 'sides' | 'routing'
> = {
  relatedObjects: [],
  records: null,
  podLabels: [],
  validUntil: (input) => nextChangeOf(oamContextOf(input)),
  preconditionText,
  sides: sidesOf,
  // They only share out pods, not requests.
  routing: { refs: () => [], traffic: () => null },
};

/** Rollouts of OAM, as shipped with KubeVela and as Shiplog's own controller runs them. */
export const oamRolloutSystem: RolloutSystem<OamRollout> = {
  ...commonMembers,
  id: 'oam',
  resource: rollouts,
  parse: parseOamRollout,
  derive: (input) => deriveOamRollout('oam', input, actionsOf),
  plan: (input, request) => planOamAction(input, request, actionsOf(oamContextOf(input))),
  rightOf,
};

/** A legacy generation, read-only. */
function legacySystem(
  id: string,
  resource: ResourceType,
  parse: RolloutSystem<OamRollout>['parse'],
): RolloutSystem<OamRollout> {
  return {
    ...commonMembers,
    id,
    resource,
    parse,
    derive: (input) => deriveOamRollout(id, input, () => readOnlyActions(resource)),
    plan: (input, request) => planOamAction(input, request, readOnlyActions(resource)),
    rightOf: () => null,
  };
}

export const appRolloutSystem = legacySystem('oam-approllout', appRollouts, parseAppRollout);
export const applicationDeploymentSystem = legacySystem(
  'oam-applicationdeployment',
  applicationDeployments,
  parseApplicationDeployment,
);
export const rolloutTraitSystem = legacySystem('oam-rollouttrait', rolloutTraits, parseRolloutTrait);
