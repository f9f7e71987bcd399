'use client';

import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { ActionStrip, undoOf } from '@/components/action-dialog/action-strip';
import { recordOf } from '@/components/action-dialog/action-record';
import { LazyActionDialog } from '@/components/action-dialog/lazy-action-dialog';
import { actionQuery } from '@/components/queries/action';
import { workloadDetailQuery } from '@/components/queries/workload-detail';
import { workloadPagePath, type WorkloadRef } from '@/components/queries/workload-ref';
import { ButtonLink } from '@/components/ui/button';
import { capitalize } from '@/lib/format/text';
import { useConnection } from '@/components/ui/connection';

/** The status of an action in a muted band, with its undo. */
export function WorkloadStrip({ workloadRef, actionId }: { workloadRef: WorkloadRef; actionId: string }) {
  const { stale } = useConnection();
  const workload = useQuery(workloadDetailQuery(workloadRef)).data?.workload;
  const { data: action } = useQuery(actionQuery(actionId));
  const [isShown, setShown] = useState(false);
  const undo = undoOf(action, (name) => workload?.controls.find((one) => one.action === name)?.enabled);
  return (
    <>
      {action && (
        <ActionStrip
          object={workloadRef}
          action={action}
          recordId={recordOf(action, workload)}
          onShow={() => setShown(true)}
        >
          {undo !== null && !stale && (
            <ButtonLink
              size="small"
              tone="quiet"
              glyph="back"
              href={workloadPagePath(workloadRef, `?action=${undo}`)}
            >
              {capitalize(undo)}…
            </ButtonLink>
          )}
        </ActionStrip>
      )}
      {/* Stays mounted when the action becomes another one: an undo is confirmed and followed in the same dialog. */}
      <LazyActionDialog
        action={isShown ? { kind: 'follow', object: workloadRef, actionId } : null}
        onClose={() => setShown(false)}
      />
    </>
  );
}
