'use client';

import { Glyph } from '@/components/ui/glyph';
import { AbsoluteTime } from '@/components/ui/time';
import { type NotificationTarget } from '@/lib/api/activity';

/** Where notifications of rollouts go, and whether sending works. Renders nothing without a target. */
export function NotificationLines({ targets }: { targets: readonly NotificationTarget[] }) {
  if (targets.length === 0) return null;
  return (
    <section aria-label="Notifications" className="py-3 text-small text-ink-3">
      {targets.map((target) => (
        <p key={target.target}>
          <NotificationLine {...target} />
        </p>
      ))}
    </section>
  );
}

function NotificationLine(target: NotificationTarget) {
  const { waiting, delivered, givenUp, lastDeliveredAt, failingSince, lastError } = target;
  return (
    <>
      {failingSince !== null && <Glyph name="failed" size={12} className="mr-1.5 inline text-stuck" />}
      Notifications to <span className="text-ink-2">{target.target}</span>:{' '}
      {failingSince === null ? (
        lastDeliveredAt === null ? (
          'nothing sent yet'
        ) : (
          <>
            last delivered <AbsoluteTime iso={lastDeliveredAt} />
          </>
        )
      ) : (
        <span className="text-stuck">
          failing since <AbsoluteTime iso={failingSince} />: {lastError?.replace(/\.$/, '')}
        </span>
      )}
      {waiting > 0 && `, ${waiting.toLocaleString('en')} waiting`}
      {givenUp > 0 && `, ${givenUp.toLocaleString('en')} dropped`}
      {delivered > 0 && `, ${delivered.toLocaleString('en')} delivered in the last 30 days`}.
    </>
  );
}
