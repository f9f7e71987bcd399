'use client';

import { useState } from 'react';
import { Input } from '@/components/ui/input';
import { type WorkloadDetail } from '@/lib/api/workloads';

/**
 * Moves the partition in the same write, so that a way back is tried on some first. `value` is undefined while that is not
 * asked for, null while it is no number from 0 to how many there are.
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
  const present = partition ?? 0;
  const [text, setText] = useState(() => String(present > 0 ? 0 : Math.max(0, total - 1)));
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
          : wordsOf({ noun, total, at: value ?? numberOf(text) ?? 0, present, isAsked: value !== undefined })}
      </span>
    </div>
  );
}

function wordsOf({
  noun,
  total,
  at,
  present,
  isAsked,
}: {
  noun: string;
  total: number;
  at: number;
  present: number;
  isAsked: boolean;
}): string {
  if (at === 0) return `all ${noun}s go back${present > 0 && !isAsked ? `; now it is ${present}` : ''}`;
  if (at >= total) return `no ${noun} goes back until you move it on`;
  const going = at === total - 1 ? `only ${noun} ${at} goes back` : `${noun}s ${at} to ${total - 1} go back`;
  return `${going} first, the others when you move it on`;
}
