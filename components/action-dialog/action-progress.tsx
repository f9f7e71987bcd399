'use client';

import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { NewPods } from '@/components/action-dialog/new-pods';
import { ProgressTrack, readyCount } from '@/components/action-dialog/progress-track';
import { isUnconfirmed, actionTitle } from '@/components/action-dialog/action-title';
import { targetOf, versionOf } from '@/components/action-dialog/rollback-targets';
import { recordOf } from '@/components/action-dialog/action-record';
import { ProgressActions } from '@/components/action-dialog/progress-actions';
import { Button } from '@/components/ui/button';
import { Dialog, DialogSection } from '@/components/ui/dialog';
import { ErrorState } from '@/components/ui/error-state';
import { Notice } from '@/components/ui/notice';
import { PodTicks } from '@/components/ui/pod-ticks';
import { Skeleton } from '@/components/ui/skeleton';
import { AbsoluteTime, Elapsed, RelativeTime } from '@/components/ui/time';
import type { Action } from '@/lib/api/action';
import type { WorkloadDetail } from '@/lib/api/workloads';
import { placeIn } from '@/components/queries/cluster';
import { actionQuery, hasEnded } from '@/components/queries/action';
import { podsQuery } from '@/components/queries/pods';
import { workloadDetailQuery } from '@/components/queries/workload-detail';
import type { WorkloadRef } from '@/components/queries/workload-ref';
import type { PodItem } from '@/lib/api/pods';

interface ActionProgressDialogProps {
  actionId: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Opens a rollback to what ran before; called with the revision's id. */
  onUndo: (revisionId: string) => void;
  /** Opens the release of the fields that the rollback took. */
  onRelease: () => void;
  renderPodDeletion: RenderPodDeletion;
}

/** Progress of an accepted action, from "written" to the last pod. Closing it stops nothing. */
export function ActionProgressDialog(props: ActionProgressDialogProps) {
  const { actionId, open, onOpenChange } = props;
  const { data: action, error, refetch } = useQuery({ ...actionQuery(actionId), enabled: open });
  if (action) return <ActionProgress {...props} action={action} />;
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Accepted" subtitle="in progress">
      <DialogSection>
        {error ? (
          <ErrorState
            error={error}
            title="Progress is unavailable"
            onRetry={() => void refetch()}
            boxed={false}
          />
        ) : (
          <div className="grid gap-3">
            <Skeleton width={220} height={24} />
            <Skeleton width="100%" height={44} />
          </div>
        )}
      </DialogSection>
    </Dialog>
  );
}

function ActionProgress({
  action,
  open,
  onOpenChange,
  onUndo,
  onRelease,
  renderPodDeletion,
}: ActionProgressDialogProps & { action: Action }) {
  const { cluster, resource, namespace, name } = action;
  const workload = { cluster, resource, namespace, name };
  const { data: detail } = useQuery({ ...workloadDetailQuery(workload), enabled: open });
  const { data: pods } = useQuery({ ...podsQuery(workload), enabled: open });
  useRefetchOnProgress(action, workload);
  const closeRef = useRef<HTMLButtonElement>(null);
  const canRelease =
    action.action === 'rollback' &&
    action.state === 'done' &&
    detail?.workload.controls.some((control) => control.action === 'releaseFields') === true;
  const undo = action.action === 'rollback' && action.undoneBy === undefined ? action.fromId : null;

  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={titleOf(action, detail) + placeIn(action.cluster)}
      initialFocus={closeRef}
      subtitle={`${action.namespace} / ${action.name}`}
      footer={
        <ProgressActions
          ended={hasEnded(action)}
          recordId={recordOf(action, detail?.workload)}
          closeRef={closeRef}
          onClose={() => onOpenChange(false)}
        >
          {canRelease && <Button onClick={onRelease}>Release fields…</Button>}
          {undo !== null && (
            <Button glyph="superseded" onClick={() => onUndo(undo)}>
              Undo rollback…
            </Button>
          )}
        </ProgressActions>
      }
    >
      <Figure action={action} detail={detail} />
      <ProgressTrack action={action} detail={detail} />
      <ActionOutcome action={action} detail={detail} />
      {detail && pods && <BlockingPod detail={detail} pods={pods.items} renderDeletion={renderPodDeletion} />}
      {pods && <NewPods pods={pods.items} since={action.startedAt} />}
      <DialogSection className="pt-2!">
        <p className="text-ink-2 [overflow-wrap:anywhere]">{describeAction(action)}</p>
      </DialogSection>
    </Dialog>
  );
}

/** The action is polled, the workload is streamed: a change of one must refetch the other. */
function useRefetchOnProgress({ state, recordedAs, progress }: Action, workload: WorkloadRef): void {
  const client = useQueryClient();
  const refresh = useEffectEvent(() => {
    void client.invalidateQueries({ queryKey: workloadDetailQuery(workload).queryKey });
    void client.invalidateQueries({ queryKey: podsQuery(workload).queryKey });
  });
  const moment = [state, recordedAs, progress?.updated, progress?.ready].join(' ');
  useEffect(() => refresh(), [moment]);
}

function Figure({ action, detail }: { action: Action; detail: WorkloadDetail | undefined }) {
  const count = isUnconfirmed(action) ? null : readyCount(action, detail);
  const groups = detail?.workload.pods.byRevision ?? [];
  return (
    <div className="flex items-end justify-between gap-4 px-6 pt-1 pb-4 max-desk:flex-col max-desk:items-start max-desk:gap-3 max-desk:px-4">
      <div className="min-w-0">
        {count ? (
          <p role="status" className="text-figure">
            {count.ready}{' '}
            <span className="ml-0.5 text-lead font-medium tracking-[-0.01em] text-ink-2">
              of {count.desired} {count.desired === 1 ? 'pod' : 'pods'} ready
              {action.recordedAs !== null && ` on rev ${action.recordedAs}`}
            </span>
          </p>
        ) : (
          action.undoneBy === undefined && (
            <p role="status" className="text-title">
              {action.message}
            </p>
          )
        )}
        <p className="text-small text-ink-3">
          {isUnconfirmed(action) ? 'Sent' : 'Applied'} <AbsoluteTime iso={action.startedAt} form="clock" />
          {', '}
          {action.endedAt === null ? (
            <RelativeTime iso={action.startedAt} suffix="ago" />
          ) : (
            <>
              took <Elapsed from={action.startedAt} to={action.endedAt} />
            </>
          )}
        </p>
      </div>
      {groups.length > 0 && <PodTicks groups={groups} size="large" stuck={action.state === 'failed'} />}
    </div>
  );
}

/** What an action has come to, where that is more than its figure says. */
export function ActionOutcome({ action, detail }: { action: Action; detail: WorkloadDetail | undefined }) {
  const band = { rounded: false, className: 'px-6! max-desk:px-4!' };
  switch (action.state) {
    case 'accepted':
    case 'following':
      return isUnconfirmed(action) ? (
        <Notice
          tone="stale"
          title="No response: the change may or may not have been applied. Shiplog keeps checking."
          {...band}
        >
          Wait before you retry: a request can arrive up to 90 seconds late.
        </Notice>
      ) : (
        addsDetail(action, readyCount(action, detail)) && (
          <p className="px-6 pt-3 text-ink-2 max-desk:px-4">{action.message}</p>
        )
      );
    case 'done':
      return <Notice tone="good" title={action.message} {...band} />;
    case 'failed':
      return (
        <Notice
          tone="refused"
          title={action.undoneBy === undefined ? 'Not completed.' : `Reverted by ${action.undoneBy}.`}
          {...band}
        >
          {action.message}
        </Notice>
      );
    case 'refused':
      return (
        <Notice tone="refused" title="Nothing was applied." {...band}>
          {action.message}
        </Notice>
      );
    default:
      return action.state satisfies never;
  }
}

/** Whether the message adds to the figure. */
function addsDetail({ message }: Action, count: { ready: number; desired: number } | null): boolean {
  return count !== null && !/^\d+ of \d+ pods? ready on revision \S+$/.test(message);
}

/** "Rolling back to rev 42 (2.18.3)". */
function titleOf(action: Action, detail: WorkloadDetail | undefined): string {
  const version =
    action.action === 'rollback' && detail && targetOf(detail) ? versionOf(detail.workload.images) : '';
  const title = actionTitle(action).replace(/\.$/, '');
  return version !== '' && action.state !== 'failed' ? `${title} (${version})` : title;
}

/** "Rolled back rev 43 → rev 42 by ana. Reason: …", "Approved by ana, no reason given". */
export function describeAction(action: Action): string {
  const what =
    action.action === 'rollback'
      ? `Rolled back ${action.from === null ? 'the current template' : `rev ${action.from}`} → ${action.to === null ? 'an earlier revision' : `rev ${action.to}`}`
      : action.group === undefined
        ? requestPhrases[action.action]
        : `Restart of group ${action.group} requested`;
  return `${what} by ${action.actor}${action.reason === '' ? ', no reason given' : `. Reason: “${action.reason}”`}`;
}

const requestPhrases: Record<Exclude<Action['action'], 'rollback'>, string> = {
  pause: 'Pause requested',
  resume: 'Resume requested',
  restart: 'Restart requested',
  partition: 'Partition change requested',
  deletePod: 'Pod deletion requested',
  releaseFields: 'Release of fields requested',
  approve: 'Approved',
  jump: 'Jump to another step requested',
  disable: 'Disabled',
  enable: 'Enabled',
  promoteFull: 'Full promotion requested',
  abort: 'Abort requested',
  retry: 'Retry requested',
  delete: 'Deletion requested',
};

type RenderPodDeletion = (
  pod: { name: string; uid: string },
  dialog: { open: boolean; onOpenChange: (open: boolean) => void },
) => React.ReactNode;

/**
 * The second step of a rollback where the first is not enough: a pod of another revision that is not ready, which an
 * ordered controller waits for instead of replacing it. Its deletion is confirmed separately, inside of this dialog.
 * https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#forced-rollback
 */
function BlockingPod({
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
            title={`Pod ${pod.name} blocks the rollout.`}
            action={
              <Button size="small" tone="danger" glyph="trash" onClick={askToDelete}>
                Delete {pod.name}…
              </Button>
            }
          >
            It runs {pod.revision === null ? 'another revision' : `rev ${pod.revision}`} and is not ready
            {pod.block && `: ${pod.block.reason}`}. The controller replaces pods in order and waits for this
            one. If you delete it, it is recreated with{' '}
            {workload.targetRevision === null ? 'the current template' : `rev ${workload.targetRevision}`}.
          </Notice>
        </div>
      )}
      {toDelete &&
        renderDeletion({ name: toDelete.name, uid: toDelete.uid }, { open, onOpenChange: setOpen })}
    </>
  );
}
