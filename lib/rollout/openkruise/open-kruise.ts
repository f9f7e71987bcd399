import { parseBatchRelease, parseTrafficRouting } from '@/lib/rollout/openkruise/beside';
import { deriveRollout, seenText } from '@/lib/rollout/openkruise/derive';
import { explainRecord, recordTarget } from '@/lib/rollout/openkruise/explain-history';
import { parseHistory, templateOfHistory } from '@/lib/rollout/openkruise/history';
import { type KruiseRollout, parseRollout } from '@/lib/rollout/openkruise/parse';
import { planAction, rightOf } from '@/lib/rollout/openkruise/plans';
import {
  BATCH_ID,
  batchReleases,
  ROLLOUT_ID,
  rolloutHistories,
  rollouts,
  trafficRoutings,
} from '@/lib/rollout/openkruise/resources';
import { situationOf } from '@/lib/rollout/openkruise/situation';
import { routedTraffic, routeRefs } from '@/lib/rollout/openkruise/traffic';
import { silentFrom } from '@/lib/rollout/openkruise/silence';
import { nextChangeOf } from '@/lib/rollout/openkruise/waits';
import { type RolloutSystem } from '@/lib/rollout/system';

/** Rollouts of OpenKruise. https://openkruise.io/rollouts/introduction */
export const openKruise: RolloutSystem<KruiseRollout> = {
  id: 'openkruise',
  resource: rollouts,
  beside: [
    { resource: batchReleases, parse: parseBatchRelease },
    { resource: trafficRoutings, parse: parseTrafficRouting },
  ],
  records: {
    resource: rolloutHistories,
    parse: parseHistory,
    templateOf: templateOfHistory,
    targetOf: recordTarget,
    explain: explainRecord,
    emptyNote:
      'OpenKruise has recorded nothing. That does not mean that nothing was released: its feature gate RolloutHistory is off unless somebody has switched it on.',
  },
  podLabels: [ROLLOUT_ID, BATCH_ID],
  parse: parseRollout,
  derive: deriveRollout,
  validUntil: (input) => {
    const situation = situationOf(input);
    return Math.min(nextChangeOf(situation), silentFrom(situation));
  },
  seenText,
  routing: { refs: routeRefs, traffic: routedTraffic },
  plan: planAction,
  rightOf,
};
