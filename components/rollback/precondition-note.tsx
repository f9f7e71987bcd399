import { AbsoluteTime } from '@/components/ui/time';
import { type ActionAnswer } from '@/lib/api/actions';

/**
 * What protects the write from applying to a workload other than the previewed one; after a reload of the preview,
 * its time.
 */
export function PreconditionNote({
  answer,
  isRechecked,
  children,
}: {
  answer: ActionAnswer | undefined;
  isRechecked: boolean;
  children: string;
}) {
  if (!isRechecked || !answer?.dryRun) return children;
  return (
    <>
      Checked again at <AbsoluteTime iso={answer.dryRun.at} form="clock" />
    </>
  );
}
