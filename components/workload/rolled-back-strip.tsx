'use client';

import { ActorName } from '@/components/ui/actor-name';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { TextLink } from '@/components/ui/link';
import { AbsoluteTime, useNow } from '@/components/ui/time';
import { type RevisionItem, type WorkloadDetail } from '@/lib/api/workloads';
import { recordPagePath } from '@/lib/queries/records';

/** After a week whoever comes has heard of it. */
const SHOWN_MS = 7 * 86_400_000;
const MINUTE_MS = 60_000;

/**
 * Says to everybody that the workload was rolled back, by whom and why, until the next rollout; with the way forward again.
 */
export function RolledBackStrip({
  detail,
  isTold,
  blocked,
  onRollback,
}: {
  detail: Pick<WorkloadDetail, 'workload' | 'revisions'>;
  /** The tab that did it has a strip of its own. */
  isTold: boolean;
  /** Why nothing can be changed now; null when it can. */
  blocked: string | null;
  onRollback: (revisionId: string) => void;
}) {
  const nowMs = useNow(MINUTE_MS);
  const rollback = lastRollback(detail);
  if (rollback === null || isTold || nowMs - Date.parse(rollback.at) > SHOWN_MS) return null;
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
            disabled={blocked !== null}
            disabledReason={blocked ?? undefined}
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

interface Rollback {
  /** The number that the template had before, and the one that it has now. */
  to: number;
  now: number;
  at: string;
  /** What was the target before, where it is still there. */
  left: RevisionItem | null;
  record: NonNullable<RevisionItem['activations'][number]['record']>;
}

/** The rollout that made the present target what it is, where that had been the target before. */
export function lastRollback({
  workload,
  revisions,
}: Pick<WorkloadDetail, 'workload' | 'revisions'>): Rollback | null {
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
