import { AbsoluteTime } from '@/components/ui/time';
import { type ActionAnswer } from '@/lib/api/actions';

/** What keeps the write from meeting anything else than what was seen; after another look, when that was. */
export function GuardNote({
  answer,
  again,
  children,
}: {
  answer: ActionAnswer | undefined;
  again: boolean;
  children: string;
}) {
  if (!again || !answer?.dryRun) return children;
  return (
    <>
      Checked again at <AbsoluteTime iso={answer.dryRun.at} form="clock" />
    </>
  );
}
