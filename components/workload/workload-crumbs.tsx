import { Crumbs } from '@/components/ui/crumbs';
import { type WorkloadRef } from '@/lib/queries/workload-ref';

/** Where a workload is: the fleet, its namespace, its name. `children` follow. */
export function WorkloadCrumbs({
  workload: { namespace, name },
  children,
}: {
  workload: WorkloadRef;
  children?: React.ReactNode;
}) {
  return (
    <Crumbs
      items={[
        { label: 'Fleet', href: '/' },
        { label: namespace, href: `/?${new URLSearchParams({ namespace })}` },
        { label: name },
      ]}
    >
      {children}
    </Crumbs>
  );
}
