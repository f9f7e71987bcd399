'use client';

import { useQuery } from '@tanstack/react-query';
import { countChanges, PartHead } from '@/components/action-dialog/change-list';
import { LoadedChangeList } from '@/components/action-dialog/loaded-change-list';
import { currentRevisionName, targetOf } from '@/components/action-dialog/rollback-targets';
import { Notice } from '@/components/ui/notice';
import { AbsoluteTime } from '@/components/ui/time';
import { type WorkloadDetail } from '@/lib/api/workloads';
import { diffQuery } from '@/components/queries/diff';
import { type WorkloadRef } from '@/components/queries/workload-ref';

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
      title={`${name} changed since you opened this. Nothing was written.`}
      className="px-6! max-desk:px-4!"
    >
      <span className="block">
        {isNewRollout && rollout.writer?.time && (
          <>
            <AbsoluteTime iso={rollout.writer.time} form="clock" />: written with{' '}
            <span className="literal">{rollout.writer.manager}</span>.{' '}
          </>
        )}
        {now.workload.targetId === before.workload.targetId
          ? 'Its template is another one now.'
          : targetOf(now)
            ? `The target is now revision ${currentRevisionName(now)}.`
            : 'Its new template is recorded by no revision yet.'}
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
    <section aria-label="What changed since you opened this" className="mb-4">
      <PartHead
        title="What changed since you opened this"
        remark={
          query.data &&
          `${currentRevisionName(before)} → ${currentRevisionName(now)}, ${countChanges(query.data)}`
        }
      />
      {from === null ? (
        <p className="border-t border-line pt-2 text-ink-2">
          The template you opened was not recorded yet, so it can’t be compared with.
        </p>
      ) : (
        <LoadedChangeList query={query} rows={2} />
      )}
    </section>
  );
}
