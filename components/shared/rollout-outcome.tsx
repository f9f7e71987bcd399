import { OutcomeLabel } from '@/components/shared/outcome-label';
import { type RolloutSummary } from '@/lib/api/records';
import { outcomeDuration, outcomeLabel } from '@/lib/view/record-text';

/**
 * The outcome of a recorded rollout. One in progress has none; its state is shown elsewhere. `withDuration` adds the
 * duration: "Completed in 2 min 02 s", "Rolled back after 44 min".
 */
export function RolloutOutcome({
  rollout,
  withDuration = false,
}: {
  rollout: Pick<RolloutSummary, 'outcome' | 'undoneBy' | 'startedAt' | 'endedAt'>;
  withDuration?: boolean;
}) {
  const { outcome } = rollout;
  if (outcome === null)
    return (
      <span className="text-ink-3" title="In progress">
        <span aria-hidden="true">–</span>
        <span className="sr-only">none yet</span>
      </span>
    );
  // What undid it says more than how soon.
  const time = withDuration && outcome !== 'undone' ? outcomeDuration(rollout) : '';
  return (
    <OutcomeLabel record={rollout} muted={outcome === 'completed'}>
      {`${outcomeLabel(rollout)} ${time}`.trimEnd()}
    </OutcomeLabel>
  );
}
