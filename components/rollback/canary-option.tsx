'use client';

import { useState } from 'react';
import { Input } from '@/components/ui/input';
import { type WorkloadDetail } from '@/lib/api/workloads';

/**
 * Sets the partition in the same write, to try a rollback on some pods first. `value` is undefined while the option
 * is off, null while it is not a number from 0 to the total.
 */
export function CanaryOption({
  detail,
  value,
  onChange,
}: {
  detail: WorkloadDetail;
  value: number | null | undefined;
  onChange: (value: number | null | undefined) => void;
}) {
  const { partition, partitionOf } = detail.workload;
  const { noun, total } = partitionOf ?? { noun: 'pod', total: detail.workload.pods.desired };
  const current = partition ?? 0;
  const [text, setText] = useState(() => String(current > 0 ? 0 : Math.max(0, total - 1)));
  const numberOf = (words: string) => (/^\d+$/.test(words) && Number(words) <= total ? Number(words) : null);
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-small">
      <label className="inline-flex min-h-6 cursor-pointer items-center gap-2 max-desk:min-h-11">
        <input
          type="checkbox"
          checked={value !== undefined}
          onChange={(event) => onChange(event.target.checked ? numberOf(text) : undefined)}
          className="size-[14px] flex-none accent-(--accent) max-desk:size-5"
        />
        Also set the partition to
      </label>
      <Input
        aria-label={`Partition, 0 to ${total}`}
        aria-invalid={value === null ? true : undefined}
        type="number"
        inputMode="numeric"
        min={0}
        max={total}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          onChange(numberOf(event.target.value));
        }}
        className="h-[26px]! w-16 font-mono"
      />
      <span className={value === null ? 'text-stuck' : 'text-ink-3'}>
        {value === null
          ? `A whole number from 0 to ${total}.`
          : describeEffect({
              noun,
              total,
              at: value ?? numberOf(text) ?? 0,
              current,
              isRequested: value !== undefined,
            })}
      </span>
    </div>
  );
}

function describeEffect({
  noun,
  total,
  at,
  current,
  isRequested,
}: {
  noun: string;
  total: number;
  at: number;
  current: number;
  isRequested: boolean;
}): string {
  if (at === 0) return `all ${noun}s go back${current > 0 && !isRequested ? `; now it is ${current}` : ''}`;
  if (at >= total) return `no ${noun} goes back until you move it on`;
  const going = at === total - 1 ? `only ${noun} ${at} goes back` : `${noun}s ${at} to ${total - 1} go back`;
  return `${going} first, the others when you move it on`;
}
