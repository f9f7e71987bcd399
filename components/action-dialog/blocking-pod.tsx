'use client';

import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { type WorkloadDetail } from '@/lib/api/workloads';
import { type PodItem } from '@/lib/api/pods';

export type RenderPodDeletion = (
  pod: { name: string; uid: string },
  dialog: { open: boolean; onOpenChange: (open: boolean) => void },
) => React.ReactNode;

/**
 * The second step of a rollback where the first is not enough: a pod of another revision that is not ready, which an
 * ordered controller waits for instead of replacing it. Its deletion is confirmed separately.
 * https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#forced-rollback
 */
export function BlockingPod({
  detail,
  pods,
  renderDeletion,
}: {
  detail: WorkloadDetail;
  pods: readonly PodItem[];
  /** The dialog that confirms the deletion, inside of this one. */
  renderDeletion: RenderPodDeletion;
}) {
  const [podToDelete, setPodToDelete] = useState<PodItem | null>(null);
  const [open, setOpen] = useState(false);
  const { workload } = detail;
  const pod = findBlocking(detail, pods);
  return (
    <>
      {pod && (
        <div className="px-6 pt-3 max-desk:px-4">
          <Notice
            tone="stale"
            title={`${pod.name} stands in the way.`}
            action={
              <Button
                size="small"
                tone="danger"
                glyph="trash"
                onClick={() => {
                  setPodToDelete(pod);
                  setOpen(true);
                }}
              >
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
      {podToDelete &&
        renderDeletion({ name: podToDelete.name, uid: podToDelete.uid }, { open, onOpenChange: setOpen })}
    </>
  );
}

/** Only where the kind supports the deletion of a pod. */
function findBlocking({ workload }: WorkloadDetail, pods: readonly PodItem[]): PodItem | undefined {
  if (!workload.controls.some(({ action, enabled }) => action === 'deletePod' && enabled)) return undefined;
  return pods.find((pod) => !pod.target && !pod.ready && pod.deletedAt === null);
}
