'use client';

import { useRef } from 'react';
import { useQuery } from '@tanstack/react-query';
import { describeAction, ActionOutcome } from '@/components/action-dialog/action-progress';
import { ProgressActions } from '@/components/action-dialog/progress-actions';
import { actionTitle } from '@/components/action-dialog/action-title';
import { placeIn } from '@/components/queries/cluster';
import { actionQuery, hasEnded } from '@/components/queries/action';
import { rolloutQuery, type RolloutRef } from '@/components/queries/rollouts';
import { Dialog, DialogSection } from '@/components/ui/dialog';
import { ErrorState } from '@/components/ui/error-state';
import { Skeleton } from '@/components/ui/skeleton';
import { formatCount } from '@/lib/format/text';

/** Progress of an accepted action on a rollout, until its goal is reached. Closing it stops nothing. */
export function RolloutProgressDialog({
  rollout,
  actionId,
  open,
  onOpenChange,
}: {
  rollout: RolloutRef;
  actionId: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const { data: action, error, refetch } = useQuery({ ...actionQuery(actionId), enabled: open });
  const recordId = useQuery({ ...rolloutQuery(rollout), enabled: open }).data?.record?.id ?? null;
  const closeRef = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      initialFocus={closeRef}
      title={
        action === undefined ? 'Accepted' : actionTitle(action).replace(/\.$/, '') + placeIn(rollout.cluster)
      }
      subtitle={`${rollout.namespace} / ${rollout.name}`}
      footer={
        <ProgressActions
          ended={action !== undefined && hasEnded(action)}
          recordId={recordId}
          closeRef={closeRef}
          onClose={() => onOpenChange(false)}
        />
      }
    >
      {action === undefined ? (
        <DialogSection>
          {error ? (
            <ErrorState
              error={error}
              title="Progress is unavailable"
              onRetry={() => void refetch()}
              boxed={false}
            />
          ) : (
            <Skeleton width="100%" height={44} />
          )}
        </DialogSection>
      ) : (
        <>
          <DialogSection className="pt-1! pb-3!">
            <p role="status" className="text-title">
              {action.progress === null
                ? action.message
                : `${action.progress.ready} of ${formatCount(action.progress.desired, 'pod')} ready`}
            </p>
          </DialogSection>
          <ActionOutcome action={action} detail={undefined} />
          <DialogSection className="pt-2!">
            <p className="text-ink-2 [overflow-wrap:anywhere]">{describeAction(action)}</p>
          </DialogSection>
        </>
      )}
    </Dialog>
  );
}
