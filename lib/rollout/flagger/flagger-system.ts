import { deriveCanary, preconditionText } from '@/lib/rollout/flagger/derive';
import { type FlaggerCanary, parseCanary } from '@/lib/rollout/flagger/parse';
import { canaries } from '@/lib/rollout/flagger/resources';
import { approvalRefusal } from '@/lib/rollout/flagger/describe';
import type { RolloutSystem } from '@/lib/rollout/system';

/** Canaries of Flagger, read-only. https://docs.flagger.app */
export const flaggerSystem: RolloutSystem<FlaggerCanary> = {
  id: 'flagger',
  resource: canaries,
  relatedObjects: [],
  records: null,
  podLabels: [],
  parse: parseCanary,
  derive: deriveCanary,
  validUntil: () => Infinity,
  preconditionText,
  routing: { refs: () => [], traffic: () => null },
  plan: (input, { action }) => {
    const known = deriveCanary(input).actions.find(({ name }) => name === action);
    const reason = known?.reason ?? approvalRefusal(input.object);
    return {
      kind: 'refused',
      findings: [{ severity: 'refusal', code: 'read_only_system', message: reason, action: null }],
    };
  },
  rightOf: () => null,
};
