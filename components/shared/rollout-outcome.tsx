import { OutcomeLabel } from '@/components/shared/state-label';
import { type RolloutSummary } from '@/lib/api/records';
import { outcomeLabel, rolloutDurationText } from '@/lib/view/record-text';

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
  const time = withDuration && outcome !== 'undone' ? rolloutDurationText(rollout) : null;
  return (
    <OutcomeLabel outcome={outcome} muted={outcome === 'completed'}>
      {outcomeLabel({ ...rollout, spans: [] })}
      {time !== null && ` ${outcome === 'completed' ? 'in' : 'after'} ${time}`}
    </OutcomeLabel>
  );
}
