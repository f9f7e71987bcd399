import 'server-only';
import { type RolloutItem } from '@/lib/api/rollouts';
import { type Traffic } from '@/lib/rollout/rollout';
import { type Keys } from '@/server/shared/keys';
import { maskText } from '@/server/shared/mask';

/** Traffic as an answer contains it: values of headers may be credentials. */
export function maskTraffic(
  traffic: Traffic | null,
  keys: Keys,
): RolloutItem['steps'][number]['traffic']['planned'] {
  if (traffic?.kind !== 'matches') return traffic;
  return { kind: 'matches', rules: traffic.rules.map((rule) => maskText(rule, keys)) };
}
