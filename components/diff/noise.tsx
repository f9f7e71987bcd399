'use client';

import { useId } from 'react';
import type { Diff } from '@/lib/api/diff';
import { formatCount } from '@/lib/format/text';

/** "4 formatting-only differences: cpu 0.5 = 500m, 3 more", with the switch that shows them all. */
export function NoiseSwitch({
  noise,
  open,
  onToggle,
}: {
  noise: Diff['noise'];
  open: boolean;
  onToggle: () => void;
}) {
  const first = noise[0];
  if (!first) return null;
  return (
    <p className="min-w-0 text-ink-3 desk:ml-auto">
      {formatCount(noise.length, 'formatting-only difference')}:{' '}
      <code className="[overflow-wrap:anywhere]">{first.reason}</code>
      {noise.length > 1 && `, ${noise.length - 1} more`}{' '}
      <button type="button" aria-expanded={open} onClick={onToggle} className="text-accent hover:underline">
        {open ? 'Hide' : 'Show'}
      </button>
    </p>
  );
}

/** Differences in the text without a difference in meaning, each with the reason. */
export function NoiseList({ noise }: { noise: Diff['noise'] }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="mb-4 rounded-3 border border-line bg-surface px-3.5 py-2.5">
      <h2 id={id} className="text-small font-medium">
        Formatting-only differences
      </h2>
      <ul className="mt-1">
        {noise.map((one, index) => (
          <li
            key={index}
            className="grid gap-x-4 border-b border-hair py-1 text-small last:border-0 desk:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]"
          >
            <code className="[overflow-wrap:anywhere] text-ink-2">{one.path}</code>
            <span className="[overflow-wrap:anywhere] text-ink-3">{one.reason}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
