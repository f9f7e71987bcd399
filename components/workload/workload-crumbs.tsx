import { useClusters } from '@/components/queries/cluster';
import { Crumbs } from '@/components/ui/crumbs';
import { formatNamespace } from '@/lib/view/format-namespace';
import type { WorkloadRef } from '@/components/queries/workload-ref';

/** Location of a workload: the fleet, its namespace, its name. `children` follow. */
export function WorkloadCrumbs({
  workload: { cluster, namespace, name },
  children,
}: {
  workload: WorkloadRef;
  children?: React.ReactNode;
}) {
  const { isSeveral, find } = useClusters();
  const place = isSeveral ? find(cluster) : undefined;
  return (
    <Crumbs
      items={[
        { label: 'Workloads', href: '/' },
        ...(place === undefined
          ? []
          : [{ label: place.name, href: `/?${new URLSearchParams({ cluster: place.name })}` }]),
        { label: formatNamespace(namespace), href: `/?${new URLSearchParams({ namespace })}` },
        { label: name },
      ]}
    >
      {children}
    </Crumbs>
  );
}
