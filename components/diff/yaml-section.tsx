'use client';

import { useQuery } from '@tanstack/react-query';
import { Waiting } from '@/components/shared/waiting';
import { lazily } from '@/components/ui/lazily';
import { SkeletonRows } from '@/components/ui/skeleton';
import { diffQuery, type DiffSides } from '@/components/queries/diff';
import type { WorkloadRef } from '@/components/queries/workload-ref';

const loading = <SkeletonRows rows={6} rowHeight={19} label="Loading YAML" />;
const TextDiff = lazily(async () => (await import('@/components/diff/text-diff')).TextDiff, loading);

/** Both sides as YAML, side by side. */
export function YamlSection({ workload, sides }: { workload: WorkloadRef; sides: DiffSides }) {
  const { data, error, refetch } = useQuery(diffQuery(workload, sides, true));
  return (
    <section aria-label="YAML">
      <Waiting
        answer={{ data, error }}
        loading={loading}
        onRetry={() => void refetch()}
        title="YAML not available"
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
    </section>
  );
}
