'use client';

import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { type PodItem } from '@/lib/api/pods';
import { type WorkloadDetail } from '@/lib/api/workloads';

export type RenderPodDeletion = (
  pod: { name: string; uid: string },
  dialog: { open: boolean; onOpenChange: (open: boolean) => void },
) => React.ReactNode;

/**
 * The second step of a rollback where the first is not enough: a pod of another revision that is not ready, which an
 * ordered controller waits for instead of replacing it. Its deletion is confirmed separately, inside of this dialog.
 * https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#forced-rollback
 */
export function BlockingPod({
  detail: { workload },
  pods,
  renderDeletion,
}: {
  detail: WorkloadDetail;
  pods: readonly PodItem[];
  renderDeletion: RenderPodDeletion;
}) {
  const [toDelete, setToDelete] = useState<PodItem | null>(null);
  const [open, setOpen] = useState(false);
  // Only where the kind supports the deletion of a pod.
  const canDelete = workload.controls.some(({ action, enabled }) => action === 'deletePod' && enabled);
  const pod = pods.find(
    ({ target, ready, deletedAt }) => canDelete && !target && !ready && deletedAt === null,
  );
  function askToDelete() {
    setToDelete(pod ?? null);
    setOpen(true);
  }
  return (
    <>
      {pod && (
        <div className="px-6 pt-3 max-desk:px-4">
          <Notice
            tone="stale"
            title={`${pod.name} stands in the way.`}
            action={
              <Button size="small" tone="danger" glyph="trash" onClick={askToDelete}>
                Delete {pod.name}…
              </Button>
            }
          >
            It runs {pod.revision ?? 'another revision'} and is not ready
            {pod.block && `: ${pod.block.reason}`}. Pods are replaced in order, and one that is not ready is
            waited for. Once it is deleted, it comes back on{' '}
            {workload.targetRevision ?? 'the present template'}.
          </Notice>
        </div>
      )}
      {toDelete &&
        renderDeletion({ name: toDelete.name, uid: toDelete.uid }, { open, onOpenChange: setOpen })}
    </>
  );
}
