import 'server-only';
import { type RolloutRevision } from '@/lib/api/rollouts';
import { type TemplateFacts } from '@/lib/history/workload';
import { type RolloutView } from '@/server/reads/rollout-view';

export interface RolloutSides {
  before: TemplateFacts;
  after: TemplateFacts;
}

/** What the pods run before a rollout and after it; null where one of the two is unknown. */
export function sidesOfRollout({ system, rollout, input }: RolloutView): RolloutSides | null {
  const sides = system.sides?.(input) ?? null;
  if (sides !== null) return sides;
  if (input.workload.state !== 'found') return null;
  const { workload, history } = input.workload.facts;
  const factsOf = (revision: RolloutRevision | null): TemplateFacts | undefined =>
    revision?.pending === true ? workload : history.revisions.find(({ id }) => id === revision?.id)?.source;
  const [before, after] = [factsOf(rollout.revisions.stable), factsOf(rollout.revisions.updated)];
  return before === undefined || after === undefined ? null : { before, after };
}
