'use client';

import { useClusters } from '@/components/queries/clusters';
import { type ClusterAddress } from '@/components/shared/stored-clusters';
import { Choice } from '@/components/ui/choice';

/** The filters of a list over several clusters; nothing where there is only one. */
export function ClusterChoices({
  value: { cluster, stage },
  onChange,
}: {
  value: ClusterAddress;
  onChange: (change: Partial<ClusterAddress>) => void;
}) {
  const { items, isSeveral } = useClusters();
  if (!isSeveral) return null;
  const stages = [...new Set(items.flatMap((item) => item.stage ?? []))];
  const names = items.map(({ name }) => ({ value: name, label: name }));
  // A link and the menu of the header can choose several.
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
        onChange={(next) => onChange({ cluster: next })}
      />
      {stages.length > 1 && (
        <Choice
          label="Stage"
          any="All stages"
          terse
          value={stage}
          options={stages.map((value) => ({ value, label: value }))}
          onChange={(next) => onChange({ stage: next })}
        />
      )}
    </>
  );
}
