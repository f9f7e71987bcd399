import { clsx } from 'clsx';
import { Glyph } from '@/components/ui/glyph';
import { ExternalLink, TextLink } from '@/components/ui/link';
import type { RelatedChangeItem, RevertedRolloutsItem } from '@/lib/api/diff';
import {
  type TextPart,
  relatedChangeParts,
  repeatedRolloutParts,
  revertedRolloutsParts,
} from '@/lib/records/related-change-text';
import { recordPagePath } from '@/components/queries/records';

/**
 * The earlier rollout that a change reverts or repeats, and its change cause, as a muted line below the change. Omits
 * what `reverted`, the line of the whole diff, already states. `opensNewTab` where following a link would lose
 * unsaved input.
 */
export function RelatedChangeLine({
  change,
  reverted,
  opensNewTab = false,
  className,
}: {
  change: RelatedChangeItem | null;
  reverted: RevertedRolloutsItem | null;
  opensNewTab?: boolean;
  className?: string;
}) {
  if (change === null) return null;
  if (change.kind !== 'reverts' || reverted?.others !== 0 || change.rollout.id !== reverted.rollout.id)
    return <Line parts={relatedChangeParts(change)} opensNewTab={opensNewTab} className={className} />;
  return change.repeats === null ? null : (
    <Line parts={repeatedRolloutParts(change.repeats)} opensNewTab={opensNewTab} className={className} />
  );
}

/** The same for a whole diff that is a return to an earlier template. */
export function RevertedRolloutLine({
  reverted,
  opensNewTab = false,
  className,
}: {
  reverted: RevertedRolloutsItem;
  opensNewTab?: boolean;
  className?: string;
}) {
  return <Line parts={revertedRolloutsParts(reverted)} opensNewTab={opensNewTab} className={className} />;
}

function Line({
  parts,
  opensNewTab,
  className,
}: {
  parts: readonly TextPart[];
  opensNewTab: boolean;
  className: string | undefined;
}) {
  return (
    <span className={clsx('flex items-start gap-1.5 text-small leading-[18px] text-ink-2', className)}>
      <Glyph name="back" size={11} className="mt-[3.5px] text-ink-3" />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        {parts.map(({ text, recordId }, index) =>
          recordId === undefined ? (
            text
          ) : opensNewTab ? (
            <ExternalLink key={index} href={recordPagePath(recordId)}>
              {text}
            </ExternalLink>
          ) : (
            <TextLink key={index} href={recordPagePath(recordId)} prefetch={false}>
              {text}
            </TextLink>
          ),
        )}
      </span>
    </span>
  );
}
