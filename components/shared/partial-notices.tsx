import { PartialNotice } from '@/components/shared/partial-notice';
import { lazily } from '@/components/ui/lazily';
import { type PartialResult } from '@/lib/api/common';

/** Loaded where a cluster among several is away. */
const ClusterNotice = lazily(async () => (await import('@/components/shared/cluster-notice')).ClusterNotice);

/** Parts of the content below that are missing or outdated, each with its reason; those of several clusters in one. */
export function PartialNotices({
  partial,
  missing,
  className,
}: {
  partial: readonly PartialResult[];
  /** What is missing with a part: "Without pods." */
  missing: (part: PartialResult) => string;
  /** Of each notice. */
  className?: string | undefined;
}) {
  const { own = [], clusters = [] } = Object.groupBy(partial, ({ cluster }) =>
    cluster === undefined ? 'own' : 'clusters',
  );
  return (
    <>
      {own.map((part) => (
        <PartialNotice
          key={`${part.resource} ${part.reason}`}
          part={part}
          missing={missing(part)}
          className={className}
        />
      ))}
      {clusters.length > 0 && <ClusterNotice parts={clusters} className={className} />}
    </>
  );
}
