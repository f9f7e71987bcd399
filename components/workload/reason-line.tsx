import { CodeText } from '@/components/ui/code-text';
import { AbsoluteTime } from '@/components/ui/time';
import { describePodBlock, restartsText, withReasonOfFirst } from '@/components/workload/block-text';
import type { WorkloadDetail } from '@/lib/api/workloads';

type Workload = WorkloadDetail['workload'];

/** Below the sentence: the machine output of the blocking pod, and an exceeded deadline. */
export function ReasonLine({
  workload,
  withBlock,
}: {
  workload: Workload;
  /** No other part of the page says why its pods are not ready. */
  withBlock: boolean;
}) {
  const [first] = workload.blockers;
  const deadline = deadlineOf(workload);
  const quoted = withBlock && first && describePodBlock(first.pod, first.block).quote !== null;
  if (quoted !== true && deadline === null) return null;
  return (
    <p className="pt-2 text-ink-2 max-desk:leading-[22px]">
      {quoted === true && <BlockReason blockers={workload.blockers} />}{' '}
      {deadline && (
        <>
          Progress deadline exceeded at <AbsoluteTime iso={deadline} form="short" />. Kubernetes does not roll
          back automatically.
        </>
      )}
    </p>
  );
}

function BlockReason({ blockers }: { blockers: Workload['blockers'] }) {
  const same = withReasonOfFirst(blockers);
  const [first] = same;
  if (first === undefined) return null;
  const { subject, says, quote } = describePodBlock(first.pod, first.block);
  const restarts = restartsText(same);
  return (
    <>
      <span className="literal">{subject}</span> {says}
      {restarts !== '' && `, ${restarts}`}
      {quote === null ? '.' : <CodeText className="mx-1 max-desk:mx-0">{quote}</CodeText>}
    </>
  );
}

function deadlineOf({ conditions }: Workload): string | null {
  const progressing = conditions.find(
    ({ type, reason }) => type === 'Progressing' && reason === 'ProgressDeadlineExceeded',
  );
  return progressing?.lastTransitionTime ?? progressing?.lastUpdateTime ?? null;
}
