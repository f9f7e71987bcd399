import 'server-only';
import { type Answer } from '@/lib/api/common';
import { type rolloutItemSchema } from '@/lib/api/rollouts';
import { type Traffic } from '@/lib/api/rollout-fields';
import { type Mask } from '@/server/shared/mask';

/** Traffic as an answer contains it: values of headers may be credentials. */
export function maskTraffic(
  traffic: Traffic | null,
  mask: Mask,
): Answer<typeof rolloutItemSchema>['steps'][number]['traffic']['planned'] {
  if (traffic?.kind !== 'matches') return traffic;
  return { kind: 'matches', rules: traffic.rules.map((rule) => mask.text(rule)) };
}
