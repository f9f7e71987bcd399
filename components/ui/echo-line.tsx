import { clsx } from 'clsx';
import { Glyph } from '@/components/ui/glyph';
import { TextLink } from '@/components/ui/link';
import { type EchoItem, type TakenBackItem } from '@/lib/api/diff';
import { type EchoPart, echoParts, takenBackParts } from '@/lib/ledger/echo-words';
import { recordPagePath } from '@/lib/queries/records';

/**
 * Which earlier rollout a change takes back or repeats, and why that one was made: a quiet line below it. Nothing where
 * `taken`, told of the whole, says it already.
 */
export function EchoLine({
  echo,
  taken,
  className,
}: {
  echo: EchoItem | null;
  taken: TakenBackItem | null;
  className?: string;
}) {
  if (echo === null || (taken !== null && isSaidBy(taken, echo))) return null;
  return <Line parts={echoParts(echo)} className={className} />;
}

function isSaidBy({ rollout, others }: TakenBackItem, echo: EchoItem): boolean {
  return others === 0 && echo.kind === 'takesBack' && echo.rollout.id === rollout.id && echo.repeats === null;
}

/** The same of a whole diff that is a return to an earlier template. */
export function TakenBackLine({ taken, className }: { taken: TakenBackItem; className?: string }) {
  return <Line parts={takenBackParts(taken)} className={className} />;
}

function Line({ parts, className }: { parts: readonly EchoPart[]; className: string | undefined }) {
  return (
    <span className={clsx('flex items-start gap-1.5 text-small leading-[18px] text-ink-2', className)}>
      <Glyph name="back" size={11} className="mt-[3.5px] text-ink-3" />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        {parts.map(({ text, recordId }, index) =>
          recordId === undefined ? (
            text
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
