'use client';

import { useQuery } from '@tanstack/react-query';
import { countChanges, PartHead } from '@/components/action-dialog/change-list';
import { LoadedChangeList } from '@/components/action-dialog/loaded-change-list';
import { currentRevisionName, targetOf } from '@/components/action-dialog/rollback-targets';
import { Notice } from '@/components/ui/notice';
import { AbsoluteTime } from '@/components/ui/time';
import type { WorkloadDetail } from '@/lib/api/workloads';
import { diffQuery } from '@/components/queries/diff';
import type { WorkloadRef } from '@/components/queries/workload-ref';

/**
 * Reports that the workload differs from the one that the dialog was opened for, and who wrote it since, where that
 * is known.
 */
export function ChangedNotice({
  name,
  before,
  now,
}: {
  name: string;
  before: WorkloadDetail;
  now: WorkloadDetail;
}) {
  const rollout = now.workload.lastRollout;
  const isNewRollout = rollout !== null && now.workload.targetId !== before.workload.targetId;
  return (
    <Notice
      tone="changed"
      rounded={false}
      title={`${name} changed since you opened this dialog. Nothing was applied.`}
      className="px-6! max-desk:px-4!"
    >
      <span className="block">
        {isNewRollout && rollout.writer?.time && (
          <>
            Changed at <AbsoluteTime iso={rollout.writer.time} form="clock" /> by{' '}
            <span className="literal">{rollout.writer.manager}</span>.{' '}
          </>
        )}
        {now.workload.targetId === before.workload.targetId
          ? 'Its template is different now.'
          : targetOf(now)
            ? `The target is now ${currentRevisionName(now)}.`
            : 'The new template has no revision yet.'}
      </span>
    </Notice>
  );
}

/** What changed between the template that the dialog was opened for and the current one. */
export function ChangesSinceOpened({
  workload,
  before,
  now,
}: {
  workload: WorkloadRef;
  before: WorkloadDetail;
  now: WorkloadDetail;
}) {
  const from = before.workload.targetId;
  const query = useQuery({
    ...diffQuery(workload, { from: from ?? '', to: 'live' }),
    enabled: from !== null,
    placeholderData: undefined,
  });
  return (
    <section aria-label="Changes since you opened this" className="mb-4">
      <PartHead
        title="Changes since you opened this"
        remark={
          query.data &&
          `${currentRevisionName(before)} → ${currentRevisionName(now)}, ${countChanges(query.data)}`
        }
      />
      {from === null ? (
        <p className="border-t border-line pt-2 text-ink-2">
          The template you opened had no revision yet, so it cannot be compared.
        </p>
      ) : (
        <LoadedChangeList query={query} rows={2} />
      )}
    </section>
  );
}
