'use client';

import { ActorName } from '@/components/shared/actor-name';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { TextLink } from '@/components/ui/link';
import { AbsoluteTime, useNow } from '@/components/ui/time';
import { type WorkloadDetail } from '@/lib/api/workloads';
import { type RevisionItem } from '@/lib/api/revisions';
import { recordPagePath } from '@/components/queries/records';

/** A week: after that the rollback is no news. */
const SHOWN_MS = 7 * 86_400_000;
const MINUTE_MS = 60_000;

/**
 * Shows every viewer that the workload was rolled back, by whom and why, until the next rollout; with the way forward
 * again.
 */
export function RolledBackStrip({
  detail,
  isShownElsewhere,
  blocked,
  onRollback,
}: {
  detail: Pick<WorkloadDetail, 'workload' | 'revisions'>;
  /** The tab that rolled back has its own strip. */
  isShownElsewhere: boolean;
  /** Why nothing can be changed now; null when it can. */
  blocked: string | null;
  onRollback: (revisionId: string) => void;
}) {
  const nowMs = useNow(MINUTE_MS);
  const rollback = findLastRollback(detail);
  if (rollback === null || isShownElsewhere || nowMs - Date.parse(rollback.at) > SHOWN_MS) return null;
  const { to, now, left, at, record } = rollback;
  return (
    <Notice
      tone="info"
      className="mt-3"
      title={`Rolled back to revision ${to}${now === to ? '' : ` (now ${now})`}`}
      action={
        left !== null && (
          <Button
            size="small"
            glyph="superseded"
            disabledReason={blocked}
            onClick={() => onRollback(left.id)}
          >
            Undo: roll forward to rev {left.number}…
          </Button>
        )
      }
    >
      {record.actor !== null && (
        <>
          {record.actor.name === record.actor.manager ? '' : 'by '}
          <ActorName actor={record.actor} />,{' '}
        </>
      )}
      <AbsoluteTime iso={at} />
      {record.cause !== null && `: “${record.cause}”`}.{' '}
      <TextLink href={recordPagePath(record.id)}>Record</TextLink>
    </Notice>
  );
}

interface LastRollback {
  /** The numbers of the template before and after the rollback. */
  to: number;
  now: number;
  at: string;
  /** The previous target, where it still exists. */
  left: RevisionItem | null;
  record: NonNullable<RevisionItem['activations'][number]['record']>;
}

/** The rollout that activated the current target, where that had been the target before. */
function findLastRollback({
  workload,
  revisions,
}: Pick<WorkloadDetail, 'workload' | 'revisions'>): LastRollback | null {
  const target = revisions.find((revision) => revision.target);
  const { lastRollout } = workload;
  if (target === undefined || target.number === null || lastRollout?.record == null) return null;
  const former = target.activations.filter(({ record }) => record?.id !== lastRollout.record?.id).at(-1);
  const at = lastRollout.startedAt ?? lastRollout.record.startedAt;
  if (former === undefined || at === null) return null;
  const left = revisions.find(({ number, target: isTarget }) => !isTarget && number === lastRollout.from);
  return {
    to: former.number ?? target.number,
    now: target.number,
    at,
    left: left ?? null,
    record: lastRollout.record,
  };
}
