import { clsx } from 'clsx';
import { Glyph } from '@/components/ui/glyph';
import { ExternalLink, TextLink } from '@/components/ui/link';
import { type EchoItem, type TakenBackItem } from '@/lib/api/diff';
import { type EchoPart, echoParts, repeatedParts, takenBackParts } from '@/lib/ledger/echo-words';
import { recordPagePath } from '@/lib/queries/records';

/**
 * Which earlier rollout a change takes back or repeats, and why that one was made: a quiet line below it. What `taken`,
 * told of the whole, says already is left out. `beside`: its
 * links open in a tab of their own, where following one would lose what is being done.
 */
export function EchoLine({
  echo,
  taken,
  beside = false,
  className,
}: {
  echo: EchoItem | null;
  taken: TakenBackItem | null;
  beside?: boolean;
  className?: string;
}) {
  if (echo === null) return null;
  if (echo.kind !== 'takesBack' || taken?.others !== 0 || echo.rollout.id !== taken.rollout.id)
    return <Line parts={echoParts(echo)} beside={beside} className={className} />;
  return echo.repeats === null ? null : (
    <Line parts={repeatedParts(echo.repeats)} beside={beside} className={className} />
  );
}

/** The same of a whole diff that is a return to an earlier template. */
export function TakenBackLine({
  taken,
  beside = false,
  className,
}: {
  taken: TakenBackItem;
  beside?: boolean;
  className?: string;
}) {
  return <Line parts={takenBackParts(taken)} beside={beside} className={className} />;
}

function Line({
  parts,
  beside,
  className,
}: {
  parts: readonly EchoPart[];
  beside: boolean;
  className: string | undefined;
}) {
  return (
    <span className={clsx('flex items-start gap-1.5 text-small leading-[18px] text-ink-2', className)}>
      <Glyph name="back" size={11} className="mt-[3.5px] text-ink-3" />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        {parts.map(({ text, recordId }, index) =>
          recordId === undefined ? (
            text
          ) : beside ? (
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
