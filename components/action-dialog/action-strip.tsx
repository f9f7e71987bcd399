'use client';

import { actionTitle } from '@/components/action-dialog/action-title';
import { unfollowAction } from '@/components/action-dialog/followed-action';
import { isEndUnknown } from '@/components/queries/action';
import { recordPagePath } from '@/components/queries/records';
import type { WorkloadRef } from '@/components/queries/workload-ref';
import { Button, ButtonLink, IconButton } from '@/components/ui/button';
import { Glyph, RingGlyph } from '@/components/ui/glyph';
import { RelativeTime } from '@/components/ui/time';
import type { Action } from '@/lib/api/action';

/** Status of an action in one line of its object's page, with links to the undo and to the record. */
export function ActionStrip({
  object,
  action,
  recordId,
  onShow,
  children,
}: {
  object: WorkloadRef;
  action: Action;
  /** Of the rollout that it began or acted on. */
  recordId: string | null;
  /** Opens the dialog with the details. */
  onShow?: () => void;
  /** The undo. */
  children: React.ReactNode;
}) {
  const title = actionTitle(action);
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-2.5 gap-y-1 rounded-3 border border-line bg-surface py-1 pr-1 pl-3">
      <StateGlyph action={action} />
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <span role="status">
          <b>{title}</b> <span className="text-ink-2">{action.message}</span>
        </span>
        <span className="ml-2 text-small text-ink-3">
          <RelativeTime iso={action.endedAt ?? action.startedAt} suffix="ago" />
        </span>
      </span>
      {children}
      {recordId !== null && (
        <ButtonLink size="small" tone="quiet" href={recordPagePath(recordId)}>
          Record
        </ButtonLink>
      )}
      {onShow && (
        <Button size="small" tone="quiet" aria-label={`Show: ${title}`} onClick={onShow}>
          Show
        </Button>
      )}
      <IconButton glyph="close" label="Dismiss" onClick={() => unfollowAction(object)} />
    </div>
  );
}

function StateGlyph({ action }: { action: Action }) {
  const { state, progress } = action;
  if (isEndUnknown(action)) return <Glyph name="unknown" className="text-unknown" />;
  switch (state) {
    case 'accepted':
    case 'following': {
      const share = progress && progress.desired > 0 ? progress.ready / progress.desired : 0.3;
      return <RingGlyph share={share} className="text-rolling" />;
    }
    case 'done':
      return <Glyph name="complete" className="text-complete" />;
    case 'failed':
    case 'refused':
      return <Glyph name="stuck" className="text-stuck" />;
    default:
      return state satisfies never;
  }
}

/** The inverse of an action; a rollback has its own in the dialog. An approval has none: roll back what it started. */
const undoActions: Readonly<Partial<Record<Action['action'], Undo>>> = {
  pause: 'resume',
  resume: 'pause',
  abort: 'retry',
  disable: 'enable',
  enable: 'disable',
};
type Undo = 'resume' | 'pause' | 'retry' | 'enable' | 'disable';

/** The inverse of a finished action, where the object allows it now. */
export function undoOf(
  action: Action | undefined,
  isAllowed: (undo: Undo) => boolean | undefined,
): Undo | null {
  const undo = action?.state === 'done' ? undoActions[action.action] : undefined;
  return undo !== undefined && isAllowed(undo) === true ? undo : null;
}
