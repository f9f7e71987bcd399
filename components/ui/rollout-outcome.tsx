import { type Outcome, OutcomeWord } from '@/components/ui/state-word';
import { type RolloutMark } from '@/lib/api/workloads';
import { tookText } from '@/lib/ledger/record-words';

/**
 * How a recorded rollout ended. One that has not ended has no outcome; its state stands elsewhere. `took` adds how long that was: "completed in 2 min 02 s", "rolled back after 44 min".
 */
export function RolloutOutcome({
  mark,
  took = false,
}: {
  mark: Pick<RolloutMark, 'outcome' | 'startedAt' | 'endedAt'>;
  took?: boolean;
}) {
  const { outcome } = mark;
  if (outcome === null)
    return (
      <span className="text-ink-3" title="This rollout has not ended">
        <span aria-hidden="true">–</span>
        <span className="sr-only">none yet</span>
      </span>
    );
  const time = took ? tookText(mark) : null;
  return (
    <OutcomeWord outcome={outcome} quiet={outcome === 'completed'}>
      {words[outcome]}
      {time !== null && ` ${outcome === 'completed' ? 'in' : 'after'} ${time}`}
    </OutcomeWord>
  );
}

const words: Record<Exclude<Outcome, 'stuck'>, string> = {
  completed: 'completed',
  rolledBack: 'rolled back',
  superseded: 'superseded',
  failed: 'failed',
  unknown: 'unknown',
};
