'use client';

import { Button, ButtonLink } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { AbsoluteTime } from '@/components/ui/time';
import { type WorkloadDetail } from '@/lib/api/workloads';
import { workloadPagePath } from '@/lib/queries/workload-ref';

/** What became of a workload while its page is open. */
export type Fate =
  | { kind: 'present' }
  /** Being deleted since then (RFC 3339); its pods end first. */
  | { kind: 'ending'; since: string }
  /** Not there any longer; what is shown was seen last. */
  | { kind: 'gone' }
  /** Another one of the same name is there now. */
  | { kind: 'replaced' };

/** Says what became of the workload, where that needs to be said. */
export function FateNotice({
  fate,
  detail,
  onAccept,
}: {
  fate: Fate;
  /** What was seen last. */
  detail: WorkloadDetail;
  /** The reader knows that this is another one now. */
  onAccept: () => void;
}) {
  const { name, namespace, kind, uid } = detail.workload;
  const isRecorded = detail.lives.length > 0;
  switch (fate.kind) {
    case 'present':
      return null;
    case 'ending':
      return (
        <Notice tone="changed" title={`${name} is being deleted.`} className="mt-3">
          Since <AbsoluteTime iso={fate.since} />. Its pods end with it.
        </Notice>
      );
    case 'gone':
      return (
        <Notice
          tone="changed"
          title={`${kind} ${name} is no longer there.`}
          action={
            isRecorded ? (
              <ButtonLink
                href={workloadPagePath(detail.workload, `?${new URLSearchParams({ uid })}`)}
                size="small"
              >
                What Shiplog remembers
              </ButtonLink>
            ) : (
              <ButtonLink href={`/?${new URLSearchParams({ namespace })}`} size="small">
                What is left in {namespace}
              </ButtonLink>
            )
          }
          className="mt-3"
        >
          It was deleted or renamed while you were looking. What you see is how it was at{' '}
          <AbsoluteTime iso={detail.observedAt} form="clock" />; nothing can be done with it.
        </Notice>
      );
    case 'replaced':
      return (
        <Notice
          tone="changed"
          title={`This is another ${name}.`}
          action={
            <Button size="small" onClick={onAccept}>
              Understood
            </Button>
          }
          className="mt-3"
        >
          The one that you opened was deleted, and a new one was made under its name. It shares no revision
          with it.
        </Notice>
      );
    default:
      return fate satisfies never;
  }
}
