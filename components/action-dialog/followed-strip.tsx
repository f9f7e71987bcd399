'use client';

import { useFollowedActionId } from '@/components/action-dialog/followed-action';
import type { WorkloadRef } from '@/components/queries/workload-ref';
import { lazily } from '@/components/ui/lazily';

const WorkloadStrip = lazily(
  async () => (await import('@/components/action-dialog/workload-strip')).WorkloadStrip,
);

/** The last action that was confirmed for this workload in this tab, as a muted band; nothing without one. */
export function FollowedStrip({ workloadRef }: { workloadRef: WorkloadRef }) {
  const actionId = useFollowedActionId(workloadRef);
  return actionId === null ? null : <WorkloadStrip workloadRef={workloadRef} actionId={actionId} />;
}
