import { type Outcome, OutcomeWord, StateWord } from '@/components/ui/state-word';
import { type RolloutMark } from '@/lib/api/workloads';
import { tookText } from '@/lib/ledger/record-words';
import { type WorkloadState } from '@/lib/workloads/status';

/**
 * How a recorded rollout ended, or what it does now: `state` is that of its workload, said while the rollout is open.
 * `took` adds how long that was: "completed in 2 min 02 s", "rolled back after 44 min".
 */
export function RolloutOutcome({
  mark,
  state,
  took = false,
}: {
  mark: Pick<RolloutMark, 'outcome' | 'startedAt' | 'endedAt'>;
  state?: WorkloadState;
  took?: boolean;
}) {
  const { outcome } = mark;
  if (outcome === null) return <OpenWord state={state} />;
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
  unknown: 'not watched',
};

const openWords: Partial<Record<WorkloadState, string>> = {
  stuck: 'stuck',
  deadlineExceeded: 'past its deadline',
  held: 'held',
  waiting: 'waiting',
  paused: 'still open',
};

function OpenWord({ state }: { state: WorkloadState | undefined }) {
  const word = state === undefined ? undefined : openWords[state];
  if (state === undefined || word === undefined) return <span className="text-ink-3">still going</span>;
  return (
    <StateWord state={state} glyphSize={12} className="gap-[5px]! font-normal!">
      {word}
    </StateWord>
  );
}
