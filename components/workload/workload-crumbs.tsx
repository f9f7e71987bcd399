import { Crumbs } from '@/components/ui/crumbs';
import { placeName } from '@/lib/view/place-name';
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
        { label: placeName(namespace), href: `/?${new URLSearchParams({ namespace })}` },
        { label: name },
      ]}
    >
      {children}
    </Crumbs>
  );
}
