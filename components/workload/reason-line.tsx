'use client';

import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { CodeText } from '@/components/ui/code-text';
import { AbsoluteTime } from '@/components/ui/time';
import { describePodBlock, hasLogs, restartsText, withReasonOfFirst } from '@/components/workload/block-text';
import { PodLog } from '@/components/workload/pod-log';
import { type WorkloadDetail } from '@/lib/api/workloads';
import { type WorkloadRef } from '@/components/queries/workload-ref';

type Workload = WorkloadDetail['workload'];

/** Below the sentence: the machine output, the last lines of the blocking pod, and an exceeded deadline. */
export function ReasonLine({ workload }: { workload: Workload }) {
  const [first] = workload.blockers;
  const deadline = deadlineOf(workload);
  const quoted = first && describePodBlock(first.pod, first.block).quote !== null;
  const logged = first && hasLogs(first.block);
  if (!quoted && !logged && deadline === null) return null;
  return (
    <div className="grid gap-1 pt-2 text-ink-2">
      <p className="max-desk:leading-[22px]">
        {quoted && <BlockReason blockers={workload.blockers} />}{' '}
        {deadline && (
          <>
            The progress deadline passed at <AbsoluteTime iso={deadline} form="short" />; Kubernetes will not
            go back by itself.
          </>
        )}
      </p>
      {logged && <LastLines key={first.podUid} workload={workload} blocker={first} />}
    </div>
  );
}

function BlockReason({ blockers }: { blockers: Workload['blockers'] }) {
  const same = withReasonOfFirst(blockers);
  const [first] = same;
  if (first === undefined) return null;
  const { subject, says, quote } = describePodBlock(first.pod, first.block);
  const restarts = restartsText(same);
  return (
    <>
      <span className="literal">{subject}</span> {says}
      {restarts !== '' && `, ${restarts}`}
      {quote === null ? '.' : <CodeText className="mx-1 max-desk:mx-0">{quote}</CodeText>}
    </>
  );
}

/** The logs of a container that just ended are those of its previous run. */
function LastLines({ workload, blocker }: { workload: WorkloadRef; blocker: Workload['blockers'][number] }) {
  const [open, setOpen] = useState(false);
  const { pod, block } = blocker;
  return (
    <div>
      <Button
        size="small"
        tone="quiet"
        glyph="terminal"
        glyphAfter="chevron-down"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="-ml-2"
      >
        Last log lines of {block.container ?? pod}
      </Button>
      {open && (
        <PodLog
          workload={workload}
          pod={pod}
          containers={block.container === null ? [] : [block.container]}
          container={block.container}
          previous={block.kind === 'crashLoop'}
        />
      )}
    </div>
  );
}

function deadlineOf({ conditions }: Workload): string | null {
  const progressing = conditions.find(
    ({ type, reason }) => type === 'Progressing' && reason === 'ProgressDeadlineExceeded',
  );
  return progressing?.lastTransitionTime ?? progressing?.lastUpdateTime ?? null;
}
