'use client';

import { useLayoutEffect, useRef, useState } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Button } from '@/components/ui/button';
import { CodeBlock } from '@/components/ui/code-text';
import { errorText } from '@/components/ui/error-state';
import { MenuButton } from '@/components/ui/menu-button';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';
import { Segmented } from '@/components/ui/segmented';
import { Skeleton } from '@/components/ui/skeleton';
import type { LogTail } from '@/lib/api/pods';
import { podLogsQuery } from '@/components/queries/pods';
import type { WorkloadRef } from '@/components/queries/workload-ref';

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
  short = false,
}: {
  workload: WorkloadRef;
  pod: string;
  containers: readonly string[];
  /** Initial container; null for the first. */
  container: string | null;
  previous?: boolean;
  /** A few lines high, where more of the page follows. */
  short?: boolean;
}) {
  const [chosen, setChosen] = useState(container ?? containers[0] ?? null);
  const [run, setRun] = useState<'current' | 'previous'>(previous ? 'previous' : 'current');
  const { data, error, isFetching, refetch } = useQuery({
    ...podLogsQuery(workload, { pod, container: chosen, previous: run === 'previous' }),
    placeholderData: keepPreviousData,
  });
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2 py-1.5">
      <div className="flex flex-wrap items-center gap-2 text-small text-ink-3">
        {containers.length > 1 && chosen !== null && (
          <ContainerChoice containers={containers} chosen={chosen} onChoose={setChosen} />
        )}
        <Segmented
          label="Container run"
          value={run}
          onChange={setRun}
          options={[
            { value: 'current', label: 'Current' },
            { value: 'previous', label: 'Previous' },
          ]}
        />
        <Button
          size="small"
          tone="quiet"
          glyph="restart"
          disabled={isFetching}
          onClick={() => void refetch()}
        >
          Refresh
        </Button>
      </div>
      {error ? (
        <p className="text-small text-ink-2">{errorText(error)}</p>
      ) : data ? (
        <LogLines pod={pod} tail={data} short={short} />
      ) : (
        <Skeleton width="100%" height={66} />
      )}
    </div>
  );
}

/** As many letters as fit side by side on a phone; more containers, or longer names, are in a menu. */
const LETTERS_SIDE_BY_SIDE = 36;

function ContainerChoice({
  containers,
  chosen,
  onChoose,
}: {
  containers: readonly string[];
  chosen: string;
  onChoose: (container: string) => void;
}) {
  if (containers.join('').length > LETTERS_SIDE_BY_SIDE)
    return (
      <MenuButton
        variant="chip"
        label={`Container ${chosen}`}
        className="max-w-full min-w-0"
        items={containers.map((name) => ({
          label: name,
          checked: name === chosen,
          onSelect: () => onChoose(name),
        }))}
      >
        <span className="flex gap-1">
          <span className="flex-none">Container</span>
          <MiddleEllipsis text={chosen} />
        </span>
      </MenuButton>
    );
  return (
    <Segmented
      label="Container"
      value={chosen}
      onChange={onChoose}
      options={containers.map((value) => ({ value, label: value }))}
    />
  );
}

/** The last line matters most: scroll to it. */
function LogLines({ pod, tail, short }: { pod: string; tail: LogTail; short: boolean }) {
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const lines = frame.current?.querySelector('pre');
    if (lines) lines.scrollTop = lines.scrollHeight;
  }, [tail]);
  if (tail.lines.length === 0)
    return <p className="text-small text-ink-3">The container has written no log lines.</p>;
  return (
    <div ref={frame}>
      <CodeBlock
        label={`Last ${tail.lines.length} lines of ${tail.container} in ${pod}`}
        text={tail.lines.join('\n')}
        copy
        className={short ? '[&_pre]:max-h-[128px]' : '[&_pre]:max-h-[280px]'}
      />
    </div>
  );
}
