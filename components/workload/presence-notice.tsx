'use client';

import { Button, ButtonLink } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { AbsoluteTime } from '@/components/ui/time';
import type { WorkloadDetail } from '@/lib/api/workloads';
import { workloadPagePath } from '@/components/queries/workload-ref';

/** Presence of the workload while its page is open. */
export type WorkloadPresence =
  | { kind: 'present' }
  /** Being deleted since then (RFC 3339); its pods end first. */
  | { kind: 'ending'; since: string }
  /** Deleted; the page shows the last answer. */
  | { kind: 'gone' }
  /** Another workload has the name now. */
  | { kind: 'replaced' };

/** Reports that the workload is being deleted, deleted or replaced. */
export function PresenceNotice({
  presence,
  detail,
  onAccept,
}: {
  presence: WorkloadPresence;
  /** The last answer. */
  detail: WorkloadDetail;
  /** The viewer has acknowledged that this is another one. */
  onAccept: () => void;
}) {
  const { name, namespace, kind, uid } = detail.workload;
  const isRecorded = detail.incarnations.length > 0;
  switch (presence.kind) {
    case 'present':
      return null;
    case 'ending':
      return (
        <Notice tone="changed" title={`${name} is being deleted.`} className="mt-3">
          Since <AbsoluteTime iso={presence.since} />. Its pods terminate with it.
        </Notice>
      );
    case 'gone':
      return (
        <Notice
          tone="changed"
          title={`${kind} ${name} was deleted.`}
          action={
            isRecorded ? (
              <ButtonLink
                href={workloadPagePath(detail.workload, `?${new URLSearchParams({ uid })}`)}
                size="small"
              >
                Archived history
              </ButtonLink>
            ) : (
              <ButtonLink href={`/?${new URLSearchParams({ namespace })}`} size="small">
                Workloads in {namespace}
              </ButtonLink>
            )
          }
          className="mt-3"
        >
          This page shows its state as of <AbsoluteTime iso={detail.observedAt} form="clock" />. No actions
          are possible.
        </Notice>
      );
    case 'replaced':
      return (
        <Notice
          tone="changed"
          title={`${name} was replaced.`}
          action={
            <Button size="small" onClick={onAccept}>
              OK
            </Button>
          }
          className="mt-3"
        >
          The workload that you opened was deleted, and a new one was created with the same name. They share
          no revisions.
        </Notice>
      );
    default:
      return presence satisfies never;
  }
}
