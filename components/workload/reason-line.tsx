'use client';

import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { CodeText } from '@/components/ui/code-text';
import { AbsoluteTime } from '@/components/ui/time';
import { blockWords, hasLogs, restartWords, sameAsFirst } from '@/components/workload/block-text';
import { PodLog } from '@/components/workload/pod-log';
import { type WorkloadDetail } from '@/lib/api/workloads';
import { type WorkloadRef } from '@/lib/queries/workload-ref';

type Workload = WorkloadDetail['workload'];

/** Below the sentence: what the machine itself says, the last lines of the pod that blocks, and a deadline that passed. */
export function ReasonLine({ workload }: { workload: Workload }) {
  const [first] = workload.blockers;
  const deadline = deadlineOf(workload);
  const quoted = first && blockWords(first.pod, first.block).quote !== null;
  const logged = first && hasLogs(first.block);
  if (!quoted && !logged && deadline === null) return null;
  return (
    <div className="grid gap-1 pt-2 text-ink-2">
      <p className="max-desk:leading-[22px]">
        {quoted && <Because blockers={workload.blockers} />}{' '}
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

function Because({ blockers }: { blockers: Workload['blockers'] }) {
  const same = sameAsFirst(blockers);
  const [first] = same;
  if (first === undefined) return null;
  const { subject, says, quote } = blockWords(first.pod, first.block);
  const restarts = restartWords(same);
  return (
    <>
      <span className="literal">{subject}</span> {says}
      {restarts !== '' && `, ${restarts}`}
      {quote === null ? '.' : <CodeText className="mx-1 max-desk:mx-0">{quote}</CodeText>}
    </>
  );
}

/** A container that just ended has said why in its run before. */
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
