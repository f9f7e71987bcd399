import { clsx } from 'clsx';
import { Glyph } from '@/components/ui/glyph';
import { TextLink } from '@/components/ui/link';
import { type EchoItem, type TakenBackItem } from '@/lib/api/diff';
import { type EchoPart, echoParts, repeatedParts, takenBackParts } from '@/lib/ledger/echo-words';
import { recordPagePath } from '@/lib/queries/records';

/**
 * Which earlier rollout a change takes back or repeats, and why that one was made: a quiet line below it. What `taken`,
 * told of the whole, says already is left out.
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
  if (echo === null) return null;
  if (echo.kind !== 'takesBack' || taken?.others !== 0 || echo.rollout.id !== taken.rollout.id)
    return <Line parts={echoParts(echo)} className={className} />;
  return echo.repeats === null ? null : <Line parts={repeatedParts(echo.repeats)} className={className} />;
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
