'use client';

import Link from 'next/link';
import { parseAsString, useQueryState } from 'nuqs';
import { formatAction, stateFace } from '@/components/activity/action-text';
import type { GroupedAction } from '@/components/activity/group-attempts';
import { recordPagePath } from '@/components/queries/records';
import { ClusterTag } from '@/components/shared/cluster-tag';
import { Glyph } from '@/components/ui/glyph';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';
import { AbsoluteTime } from '@/components/ui/time';
import { formatCount } from '@/lib/format/text';
import type { ActivityItem } from '@/lib/api/activity';

/** The link of a workload, which covers the row on a phone. */
export const workloadLink =
  'inline-flex max-w-full items-baseline gap-2 hover:underline focus-visible:-outline-offset-2 max-desk:after:absolute max-desk:after:inset-0';

export function WorkloadCell({
  workload: { name, namespace, cluster },
}: {
  workload: { name: string; namespace: string; cluster: string };
}) {
  return (
    <>
      <b className="flex min-w-0">
        <MiddleEllipsis text={name} />
      </b>
      <span className="truncate text-small text-ink-3">{namespace}</span>
      <ClusterTag cluster={cluster} className="flex-none" />
    </>
  );
}

export function StateCell({ action }: { action: ActivityItem }) {
  const { word, glyph, color } = stateFace(action);
  return (
    <span className={`inline-flex items-center gap-1.5 ${color}`}>
      <Glyph name={glyph} size={12} />
      {word}
    </span>
  );
}

/** The action: from one revision to another, or from one step where its name does not name the step. */
export function ActionCell({ action }: { action: ActivityItem }) {
  const { from, to, step, label } = action;
  const transition =
    step !== null ? `${step.from} → ${step.to ?? 'End'}` : to === null ? null : `${from ?? '?'} → ${to}`;
  return (
    <>
      <span className="font-medium">{formatAction(action)}</span>
      {label === undefined && transition !== null && (
        <span className="rev ml-1.5 text-ink-2">{transition}</span>
      )}
    </>
  );
}

/** Shows the user that the API server authenticated, where that is another name. */
export function ActorCell({ action: { actor, identity } }: { action: ActivityItem }) {
  const [, setActor] = useQueryState('actor', parseAsString);
  return (
    <>
      <button
        type="button"
        title={`Filter by ${actor}`}
        onClick={() => void setActor(actor, { history: 'push' })}
        className="max-w-full truncate text-start hover:underline"
      >
        {actor}
      </button>
      {identity !== null && identity !== actor && (
        <span className="block truncate text-small text-ink-3">as {identity}</span>
      )}
    </>
  );
}

/** The result as text, and the rejected attempts before. On a phone it names the person too. */
export function DetailsCell({
  action: { actor, message, reason, apiMessage, findings, attempts },
}: {
  action: GroupedAction;
}) {
  const isInMessage = (text: string) => message.includes(text);
  const more = findings.filter((finding) => !isInMessage(finding.message));
  return (
    <>
      <span className="desk:hidden">{actor}: </span>
      {message}
      {reason !== '' && <span className="ml-2 text-ink-3 [overflow-wrap:anywhere]">“{reason}”</span>}
      {more.map(({ code, message: why }) => (
        <span key={code + why} className="block">
          {why}
        </span>
      ))}
      {apiMessage !== null && !isInMessage(apiMessage) && (
        <span className="block text-small break-words text-ink-3">API server: {apiMessage}</span>
      )}
      {attempts.length > 0 && (
        <details className="text-small text-ink-3 max-desk:relative max-desk:z-10">
          <summary className="w-fit cursor-default rounded-2 hover:text-ink">
            {formatCount(attempts.length, 'rejected attempt')} before
          </summary>
          <ol className="pb-1">
            {attempts.map((attempt) => (
              <li key={attempt.id}>
                <AbsoluteTime iso={attempt.startedAt} form="short" /> {attempt.message}
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  );
}

/** The link to the record of the rollout that it started; Enter opens this one. */
export function RecordCell({ action: { recordId, name } }: { action: ActivityItem }) {
  if (recordId === null) return null;
  return (
    <Link
      href={recordPagePath(recordId)}
      prefetch={false}
      data-row-link=""
      className="text-accent hover:underline max-desk:relative max-desk:z-10 max-desk:inline-block max-desk:py-1"
    >
      Record<span className="sr-only"> of the rollout of {name}</span>
    </Link>
  );
}
