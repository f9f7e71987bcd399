import { parseBatchRelease, parseTrafficRouting } from '@/lib/rollout/openkruise/related-objects';
import { deriveKruiseRollout, preconditionText } from '@/lib/rollout/openkruise/derive';
import {
  explainRolloutHistory,
  controllerRecordTarget,
} from '@/lib/rollout/openkruise/explain-rollout-history';
import { parseRolloutHistory, templateOfRolloutHistory } from '@/lib/rollout/openkruise/rollout-history';
import { type KruiseRollout, parseKruiseRollout } from '@/lib/rollout/openkruise/parse';
import { planKruiseAction, rightOf } from '@/lib/rollout/openkruise/plans';
import {
  BATCH_ID,
  batchReleases,
  ROLLOUT_ID,
  rolloutHistories,
  kruiseRollouts,
  trafficRoutings,
} from '@/lib/rollout/openkruise/resources';
import { kruiseContextOf } from '@/lib/rollout/openkruise/context';
import { routedTraffic, routeRefs } from '@/lib/rollout/openkruise/traffic';
import { stepStalledFromMs } from '@/lib/rollout/openkruise/step-stall';
import { nextChangeOf } from '@/lib/rollout/openkruise/waits';
import type { RolloutSystem } from '@/lib/rollout/system';

/** Rollouts of OpenKruise. https://openkruise.io/rollouts/introduction */
export const kruiseRolloutSystem: RolloutSystem<KruiseRollout> = {
  id: 'openkruise',
  resource: kruiseRollouts,
  relatedObjects: [
    { resource: batchReleases, parse: parseBatchRelease },
    { resource: trafficRoutings, parse: parseTrafficRouting },
  ],
  records: {
    resource: rolloutHistories,
    parse: parseRolloutHistory,
    templateOf: templateOfRolloutHistory,
    targetOf: controllerRecordTarget,
    explain: explainRolloutHistory,
    emptyNote:
      'OpenKruise has written no objects. That does not mean that there were no rollouts: its feature gate RolloutHistory is off by default.',
  },
  podLabels: [ROLLOUT_ID, BATCH_ID],
  parse: parseKruiseRollout,
  derive: deriveKruiseRollout,
  validUntil: (input) => {
    const context = kruiseContextOf(input);
    return Math.min(nextChangeOf(context), stepStalledFromMs(context));
  },
  preconditionText,
  routing: { refs: routeRefs, traffic: routedTraffic },
  plan: planKruiseAction,
  rightOf,
};
