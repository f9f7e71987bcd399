'use client';

import { useLayoutEffect, useRef, useState } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Button } from '@/components/ui/button';
import { CodeBlock } from '@/components/ui/code-text';
import { errorText } from '@/components/ui/error-state';
import { Segmented } from '@/components/ui/segmented';
import { Skeleton } from '@/components/ui/skeleton';
import { type LogTail } from '@/lib/api/pods';
import { podLogsQuery } from '@/components/queries/pod-logs';
import { type WorkloadRef } from '@/components/queries/workload-ref';

/**
 * The last lines of one pod, of its current or previous run, as plain text; nothing is stored. They do not update
 * until the viewer requests newer ones.
 */
export function PodLog({
  workload,
  pod,
  containers,
  container,
  previous = false,
}: {
  workload: WorkloadRef;
  pod: string;
  containers: readonly string[];
  /** Initial container; null for the first. */
  container: string | null;
  previous?: boolean;
}) {
  const [chosen, setChosen] = useState(container ?? containers[0] ?? null);
  const [run, setRun] = useState<'current' | 'previous'>(previous ? 'previous' : 'current');
  const { data, error, isFetching, refetch } = useQuery({
    ...podLogsQuery(workload, { pod, container: chosen, previous: run === 'previous' }),
    placeholderData: keepPreviousData,
  });
  return (
    <div className="grid gap-2 py-1.5">
      <div className="flex flex-wrap items-center gap-2 text-small text-ink-3">
        {containers.length > 1 && chosen !== null && (
          <Segmented
            label="Container"
            value={chosen}
            onChange={setChosen}
            options={containers.map((value) => ({ value, label: value }))}
          />
        )}
        <Segmented
          label="Run of the container"
          value={run}
          onChange={setRun}
          options={[
            { value: 'current', label: 'this run' },
            { value: 'previous', label: 'the run before' },
          ]}
        />
        <Button
          size="small"
          tone="quiet"
          glyph="restart"
          disabled={isFetching}
          onClick={() => void refetch()}
        >
          Read again
        </Button>
      </div>
      {error ? (
        <p className="text-small text-ink-2">{errorText(error)}</p>
      ) : data ? (
        <LogLines pod={pod} tail={data} />
      ) : (
        <Skeleton width="100%" height={66} />
      )}
    </div>
  );
}

/** The last line matters most: scroll to it. */
function LogLines({ pod, tail }: { pod: string; tail: LogTail }) {
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const lines = frame.current?.querySelector('pre');
    if (lines) lines.scrollTop = lines.scrollHeight;
  }, [tail]);
  if (tail.lines.length === 0) return <p className="text-small text-ink-3">It wrote nothing.</p>;
  return (
    <div ref={frame}>
      <CodeBlock
        label={`Last ${tail.lines.length} lines of ${tail.container} in ${pod}`}
        text={tail.lines.join('\n')}
        copy
        className="[&_pre]:max-h-[280px]"
      />
    </div>
  );
}
