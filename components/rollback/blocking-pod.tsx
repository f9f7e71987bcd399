'use client';

import { useState } from 'react';
import { ControlDialog } from '@/components/rollback/control-dialog';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { type WorkloadDetail } from '@/lib/api/workloads';

/** A pod of an older revision that the controller will not replace by itself: its deletion is asked for separately. */
export function BlockingPod({ detail }: { detail: WorkloadDetail }) {
  const [asked, setAsked] = useState(false);
  const { workload } = detail;
  const blocker = workload.blockers.find(({ revision }) => revision !== workload.targetRevision);
  const mayDelete = workload.controls.some(({ action, enabled }) => action === 'deletePod' && enabled);
  if (!blocker || !mayDelete) return null;
  return (
    <div className="px-6 pt-3 max-desk:px-4">
      <Notice
        tone="stale"
        title={`${blocker.pod} stands in the way.`}
        action={
          <Button size="small" tone="danger" glyph="trash" onClick={() => setAsked(true)}>
            Delete {blocker.pod}…
          </Button>
        }
      >
        {blocker.block.reason}
        {blocker.revision !== null && `, still on ${blocker.revision}`}. Pods are replaced in order, and this
        one is not replaced while it is not ready. Once it is deleted, it comes back on{' '}
        {workload.targetRevision ?? 'the present template'}.
      </Notice>
      <ControlDialog
        workloadRef={{ resource: workload.resource, namespace: workload.namespace, name: workload.name }}
        action="deletePod"
        pod={{ name: blocker.pod, uid: blocker.podUid }}
        open={asked}
        onOpenChange={setAsked}
      />
    </div>
  );
}
