import 'server-only';
import type { Answer } from '@/lib/api/common';
import type { Traffic, trafficSchema } from '@/lib/api/rollout-fields';
import type { Mask } from '@/server/shared/mask';

/** Traffic as an answer contains it: values of headers may be credentials. */
export function maskedTraffic(traffic: Traffic | null, mask: Mask): Answer<typeof trafficSchema> | null {
  if (traffic?.kind !== 'matches') return traffic;
  return { kind: 'matches', rules: traffic.rules.map((rule) => mask.text(rule)) };
}
