'use client';

import { useMemo, useRef, useState } from 'react';
import { ChangeRow } from '@/components/diff/change-row';
import {
  type ContainerGroup,
  groupChanges,
  groupLabels,
  sortForReading,
} from '@/components/diff/group-changes';
import { useShortcuts } from '@/components/ui/shortcuts';
import { useShownRows } from '@/components/ui/use-shown-rows';
import { Tag } from '@/components/ui/tag';
import type { Diff } from '@/lib/api/diff';

const columns = ['108px', '268px', 'auto', 'auto'];
const REMARKS_WIDTH = '24%';
const headClass = 'h-7 border-b border-line pr-4 text-start text-micro text-ink-3';

/** The changes, grouped by container and concern. j and k move through them. */
export function ChangeTable({ diff }: { diff: Diff }) {
  const inOrder = useMemo(() => sortForReading(diff.changes), [diff.changes]);
  const { shown, more } = useShownRows(inOrder);
  const groups = useMemo(() => groupChanges(shown), [shown]);
  const places = useMemo(() => new Map(shown.map((change, index) => [change, index])), [shown]);
  const { current, setCurrent, rowRef } = useRows(shown.length);
  const withRemarks = shown.some(({ risk, note, echo }) => risk !== null || note !== null || echo !== null);

  return (
    <div className="max-wide:overflow-x-auto max-desk:overflow-visible">
      <table
        role="table"
        aria-label="Changes by container and concern"
        className="w-full table-fixed border-separate border-spacing-0 border-t border-line max-desk:block desk:min-w-[980px]"
      >
        <colgroup className="max-desk:hidden">
          {[...columns, ...(withRemarks ? [REMARKS_WIDTH] : [])].map((width, index) => (
            <col key={index} style={{ width }} />
          ))}
        </colgroup>
        <thead role="rowgroup" className="max-desk:sr-only">
          <tr role="row">
            <th role="columnheader" scope="col" className={headClass}>
              Concern
            </th>
            <th role="columnheader" scope="col" className={headClass}>
              Field
            </th>
            <th role="columnheader" scope="col" className={headClass}>
              Before <SideName side={diff.from} />
            </th>
            <th role="columnheader" scope="col" className={headClass}>
              After <SideName side={diff.to} />
            </th>
            {withRemarks && (
              <th role="columnheader" scope="col" className={headClass}>
                Risk
              </th>
            )}
          </tr>
        </thead>
        {groups.map((group) => (
          <tbody key={group.key} role="rowgroup" className="max-desk:block">
            <GroupHead group={group} columnCount={columns.length + (withRemarks ? 1 : 0)} />
            {group.concerns.flatMap(({ concern, changes }) =>
              changes.map((change, at) => {
                const index = places.get(change) ?? 0;
                return (
                  <ChangeRow
                    key={`${change.path} ${index}`}
                    change={change}
                    reverted={diff.reverts}
                    withRemarks={withRemarks}
                    concern={concern}
                    first={at === 0}
                    current={index === current}
                    rowRef={rowRef(index)}
                    onFocus={() => setCurrent(index)}
                  />
                );
              }),
            )}
          </tbody>
        ))}
      </table>
      {more}
    </div>
  );
}

function GroupHead({ group, columnCount }: { group: ContainerGroup; columnCount: number }) {
  return (
    <tr role="row" className="max-desk:block">
      <th
        role="rowheader"
        scope="rowgroup"
        colSpan={columnCount}
        className="h-9 border-b border-line pt-3.5 pb-1 text-start text-body font-semibold max-desk:block max-desk:h-auto max-desk:pt-3"
      >
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="[overflow-wrap:anywhere]">
            {groupLabels[group.kind ?? 'pod']} {group.container}
          </span>
          <span className="text-small font-normal text-ink-3">
            {group.count} {group.count === 1 ? 'change' : 'changes'}
          </span>
          {group.restarts && (
            <Tag tone="line" glyph="restart">
              Replaces pods
            </Tag>
          )}
        </span>
      </th>
    </tr>
  );
}

function SideName({ side: { label, number } }: { side: Diff['from'] }) {
  return (
    <span className="inline-block max-w-[16em] truncate align-bottom font-mono text-ink">
      {label === String(number) ? `rev ${label}` : label}
    </span>
  );
}

function useRows(count: number) {
  const rows = useRef(new Map<number, HTMLTableRowElement>());
  const [current, setCurrent] = useState(0);
  const [moved, setMoved] = useState(false);

  function move(step: 1 | -1) {
    const next = moved ? Math.min(count - 1, Math.max(0, current + step)) : current;
    setMoved(true);
    setCurrent(next);
    rows.current.get(next)?.focus();
  }

  useShortcuts({
    j: { label: 'Next change', hint: 'change', run: () => move(1) },
    k: { label: 'Previous change', hint: 'change', run: () => move(-1) },
  });

  return {
    current: Math.min(current, Math.max(0, count - 1)),
    setCurrent,
    rowRef: (index: number) => (element: HTMLTableRowElement | null) => {
      if (element) rows.current.set(index, element);
      else rows.current.delete(index);
    },
  };
}
