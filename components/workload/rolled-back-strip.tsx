'use client';

import { ActorName } from '@/components/shared/actor-name';
import { useCanWrite } from '@/components/shared/use-can-write';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { TextLink } from '@/components/ui/link';
import { AbsoluteTime } from '@/components/ui/time';
import { recordPagePath } from '@/components/queries/records';
import { reasonInCause } from '@/lib/history/change-cause';
import type { LastRollback } from '@/lib/history/rolled-back';
import { cutEnd } from '@/lib/format/text';
import { toolOf } from '@/lib/view/tool';

/** The record shows all of it. */
const REASON_LENGTH_MAX = 200;

/**
 * Shows every viewer that the workload was rolled back, by whom and why, until the next rollout; for those who can write with
 * the undo, and with the release of the fields that it took.
 */
export function RolledBackStrip({
  rollback,
  blocked,
  onRollback,
  onRelease,
}: {
  rollback: LastRollback;
  /** Why nothing can be changed now; null when it can. */
  blocked: string | null;
  onRollback: (revisionId: string) => void;
  /** Absent: there are no fields to release. */
  onRelease?: (() => void) | undefined;
}) {
  const canWrite = useCanWrite();
  const { from, to, now, undo, at, record } = rollback;
  const reason = reasonInCause(record?.cause ?? '');
  return (
    <Notice
      tone="info"
      className="mt-3"
      title={`Rolled back${from === null ? '' : ` from rev ${from}`} to rev ${to}${now === to ? '' : ` (now rev ${now})`}`}
      action={
        canWrite && (
          <span className="flex flex-wrap justify-end gap-2 max-desk:flex-col">
            {onRelease && (
              <Button size="small" disabledReason={blocked} onClick={onRelease}>
                Release fields…
              </Button>
            )}
            {undo !== null && (
              <Button
                size="small"
                disabledReason={blocked}
                title={`Roll forward to rev ${undo.number ?? undo.name}`}
                onClick={() => onRollback(undo.id)}
              >
                Undo…
              </Button>
            )}
          </span>
        )
      }
    >
      <Author rollback={rollback} />
      {at !== null && (
        <>
          , <AbsoluteTime iso={at} />
        </>
      )}
      {reason !== '' && `: “${cutEnd(reason, REASON_LENGTH_MAX)}”`}
      {record !== null && (
        <>
          {' · '}
          <TextLink href={recordPagePath(record.id)}>Record</TextLink>
        </>
      )}
    </Notice>
  );
}

function Author({ rollback: { record, writer } }: { rollback: LastRollback }) {
  if (record === null) return writer === null ? null : <>via {toolOf(writer.manager)}</>;
  if (record.actor === null) return null;
  return (
    <>
      {record.actor.name === record.actor.manager ? '' : 'by '}
      <ActorName actor={record.actor} />
    </>
  );
}
