import { Crumbs } from '@/components/ui/crumbs';
import { formatNamespace } from '@/lib/view/format-namespace';
import { type WorkloadRef } from '@/components/queries/workload-ref';

/** Location of a workload: the fleet, its namespace, its name. `children` follow. */
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
        { label: 'Workloads', href: '/' },
        { label: formatNamespace(namespace), href: `/?${new URLSearchParams({ namespace })}` },
        { label: name },
      ]}
    >
      {children}
    </Crumbs>
  );
}
