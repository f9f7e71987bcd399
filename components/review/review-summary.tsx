import { Button, ButtonLink } from '@/components/ui/button';
import { EmptyState } from '@/components/ui/empty-state';
import { tallyText, type VerdictTally } from '@/components/review/verdict-tally';
import { capitalize } from '@/lib/format/text';

/** In place of a record at the end of the queue: the verdicts of this session, and the way to the report. */
export function ReviewSummary({
  tally,
  hasRules,
  onMore,
  reportPath,
}: {
  tally: VerdictTally;
  /** Whether the address limits the queue. */
  hasRules: boolean;
  /** Undefined where everything is loaded. */
  onMore: (() => void) | undefined;
  reportPath: string;
}) {
  const given = tallyText(tally);
  return (
    <EmptyState
      title={given === null ? 'Nothing to review' : 'Review complete'}
      glyph="complete"
      className="mt-2"
      actions={
        <>
          <ButtonLink size="small" tone="primary" href={reportPath}>
            Open report
          </ButtonLink>
          {onMore && (
            <Button size="small" onClick={onMore}>
              Include older rollouts
            </Button>
          )}
        </>
      }
    >
      {given === null
        ? hasRules
          ? 'No rollout matches these filters. Clear them to see the rest of the queue.'
          : 'Every observed rollout has a verdict.'
        : `${capitalize(given)}.`}
    </EmptyState>
  );
}
