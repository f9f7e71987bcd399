'use client';

import dynamic from 'next/dynamic';
import { useQuery } from '@tanstack/react-query';
import { Waiting } from '@/components/shared/waiting';
import { Glyph } from '@/components/ui/glyph';
import { SkeletonRows } from '@/components/ui/skeleton';
import { diffQuery, type DiffSides } from '@/components/queries/diff';
import { type WorkloadRef } from '@/components/queries/workload-ref';

const loading = () => <SkeletonRows rows={6} rowHeight={19} label="Loading the YAML of both sides" />;
const TextDiff = dynamic(async () => (await import('@/components/diff/text-diff')).TextDiff, {
  ssr: false,
  loading,
});

/** Both sides as YAML; requested and drawn only once it is opened. */
export function YamlSection({
  workload,
  sides,
  open,
  onToggle,
}: {
  workload: WorkloadRef;
  sides: DiffSides;
  open: boolean;
  onToggle: (open: boolean) => void;
}) {
  return (
    <section aria-labelledby="yaml-title" className="mt-7">
      <h2 id="yaml-title" className="flex items-baseline gap-3 pb-2">
        <button
          type="button"
          aria-expanded={open}
          aria-controls="yaml"
          onClick={() => onToggle(!open)}
          className="inline-flex items-center gap-1.5 text-lead font-semibold max-desk:min-h-11"
        >
          <Glyph name={open ? 'chevron-down' : 'chevron-right'} />
          YAML
        </button>
        <span className="text-small font-normal text-ink-3">
          <span className="max-desk:hidden">side by side, </span>equal stretches folded
        </span>
      </h2>
      <div id="yaml">{open && <Yaml workload={workload} sides={sides} />}</div>
    </section>
  );
}

function Yaml({ workload, sides }: { workload: WorkloadRef; sides: DiffSides }) {
  const { data, error, refetch } = useQuery(diffQuery(workload, sides, true));
  return (
    <Waiting
      answer={{ data, error }}
      loading={loading()}
      onRetry={() => void refetch()}
      title="The YAML could not be shown"
      className="mb-3"
    >
      {({ yaml, from, to }) =>
        yaml && (
          <TextDiff
            key={`${from.ref} ${to.ref}`}
            before={yaml.before}
            after={yaml.after}
            label={`YAML of ${from.label} and ${to.label}`}
          />
        )
      }
    </Waiting>
  );
}
