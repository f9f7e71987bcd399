import { actionsOf, readingAlone } from '@/lib/rollout/oam/actions';
import { deriveRollout, seenText } from '@/lib/rollout/oam/derive';
import {
  type OamRollout,
  parseAppRollout,
  parseApplicationDeployment,
  parseRollout,
  parseRolloutTrait,
} from '@/lib/rollout/oam/parse';
import { planAction, rightOf } from '@/lib/rollout/oam/plans';
import {
  applicationDeployments,
  appRollouts,
  oamRollouts as rollouts,
  rolloutTraits,
} from '@/lib/rollout/oam/resources';
import { sidesOf } from '@/lib/rollout/oam/revisions';
import { situationOf } from '@/lib/rollout/oam/situation';
import { nextChangeOf } from '@/lib/rollout/oam/waits';
import { type RolloutSystem } from '@/lib/rollout/system';
import { type ResourceType } from '@/lib/workloads/resource';

/** What all generations have in common. */
const common: Pick<
  RolloutSystem<OamRollout>,
  'beside' | 'records' | 'podLabels' | 'validUntil' | 'seenText' | 'sides' | 'routing'
> = {
  beside: [],
  records: null,
  podLabels: [],
  validUntil: (input) => nextChangeOf(situationOf(input)),
  seenText,
  sides: sidesOf,
  // A share of the pods is all that they share out.
  routing: { refs: () => [], traffic: () => null },
};

/** Rollouts of OAM, as KubeVela shipped them and as Shiplog's own controller runs them. */
export const oamRollouts: RolloutSystem<OamRollout> = {
  ...common,
  id: 'oam',
  resource: rollouts,
  parse: parseRollout,
  derive: (input) => deriveRollout('oam', input, actionsOf),
  plan: (input, ask) => planAction(input, ask, actionsOf(situationOf(input))),
  rightOf,
};

/** A forerunner, for reading alone. */
function formerSystem(
  id: string,
  resource: ResourceType,
  parse: RolloutSystem<OamRollout>['parse'],
): RolloutSystem<OamRollout> {
  return {
    ...common,
    id,
    resource,
    parse,
    derive: (input) => deriveRollout(id, input, () => readingAlone(resource)),
    plan: (input, ask) => planAction(input, ask, readingAlone(resource)),
    rightOf: () => null,
  };
}

export const appRolloutSystem = formerSystem('oam-approllout', appRollouts, parseAppRollout);
export const applicationDeploymentSystem = formerSystem(
  'oam-applicationdeployment',
  applicationDeployments,
  parseApplicationDeployment,
);
export const rolloutTraitSystem = formerSystem('oam-rollouttrait', rolloutTraits, parseRolloutTrait);
