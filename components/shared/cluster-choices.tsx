'use client';

import { useClusters } from '@/components/queries/cluster';
import { useStickyClusterFilter } from '@/components/shared/cluster-filter';
import { Choice } from '@/components/ui/choice';

/** The filters of a list over several clusters, as chips; nothing where there is only one. */
export function ClusterChoices() {
  const { list, isSeveral } = useClusters();
  const [filter, choose] = useStickyClusterFilter(false);
  if (!isSeveral || list === undefined) return null;
  const { cluster = null, stage = null } = filter;
  const stages = [...new Set(list.items.flatMap((item) => item.stage ?? []))];
  const names = list.items.map(({ name }) => ({ value: name, label: name }));
  // The menu of the header and links choose several.
  const isOther = cluster !== null && !names.some(({ value }) => value === cluster);
  const others = isOther ? [{ value: cluster, label: cluster.replaceAll(',', ', ') }] : [];
  return (
    <>
      <Choice
        label="Cluster"
        any="All clusters"
        terse
        value={cluster}
        options={[...names, ...others]}
        onChange={(next) => choose({ ...filter, cluster: next ?? undefined })}
      />
      {stages.length > 1 && (
        <Choice
          label="Stage"
          any="All stages"
          terse
          value={stage}
          options={stages.map((value) => ({ value, label: value }))}
          onChange={(next) => choose({ ...filter, stage: next ?? undefined })}
        />
      )}
    </>
  );
}
