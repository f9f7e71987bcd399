import { Skeleton, SkeletonRows } from '@/components/ui/skeleton';
import { WorkloadCrumbs } from '@/components/workload/workload-crumbs';
import type { WorkloadRef } from '@/components/queries/workload-ref';

/** The page of a workload before its first answer: the layout with placeholders. */
export function LoadingWorkload({ workload }: { workload: WorkloadRef }) {
  return (
    <>
      <h1 className="sr-only">{workload.name}</h1>
      <WorkloadCrumbs workload={workload} />
      <div className="flex justify-between pt-4">
        <div className="grid gap-2.5">
          <Skeleton width="min(420px, 70vw)" height={18} />
          <Skeleton width="min(360px, 60vw)" height={18} />
        </div>
        <Skeleton width={240} height={30} className="rounded-3 max-desk:hidden" />
      </div>
      <div className="mt-6 grid h-14 grid-cols-4 items-center gap-9 border-y border-line max-desk:grid-cols-2">
        {Array.from({ length: 4 }, (_, index) => (
          <Skeleton key={index} width={120} />
        ))}
      </div>
      <Skeleton width="100%" height={220} className="mt-8" />
      <div className="mt-8">
        <SkeletonRows rows={6} label={`Loading ${workload.namespace}/${workload.name}`} />
      </div>
    </>
  );
}
