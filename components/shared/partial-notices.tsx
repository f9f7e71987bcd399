import { PartialNotice } from '@/components/shared/partial-notice';
import { lazily } from '@/components/ui/lazily';
import type { PartialResult } from '@/lib/api/common';
import { formatCount } from '@/lib/format/text';

/** Loaded where a cluster among several is away. */
const ClusterNotice = lazily(async () => (await import('@/components/shared/cluster-notice')).ClusterNotice);

const MANY = 2;

/**
 * Parts of the content below that are missing or outdated, each with its reason; those of several clusters in one, and
 * many that are missing in one that opens.
 */
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
  const absent = own.filter(({ asOf }) => asOf === undefined);
  // A person with permissions in some namespaces only has one for each resource, always.
  const isMany = absent.length > MANY;
  const shown = isMany ? own.filter(({ asOf }) => asOf !== undefined) : own;
  const [first, ...more] = isMany ? absent : [];
  return (
    <>
      {shown.map((part) => (
        <PartialNotice
          key={`${part.resource} ${part.reason}`}
          part={part}
          missing={missing(part)}
          className={className}
        />
      ))}
      {first !== undefined && (
        <PartialNotice part={first} missing={missing(first)} className={className}>
          <details className="mt-0.5">
            <summary className="cursor-pointer">{formatCount(more.length, 'more reason')}</summary>
            {more.map((part) => (
              <p key={`${part.resource} ${part.reason}`}>
                {missing(part)} {part.reason}
              </p>
            ))}
          </details>
        </PartialNotice>
      )}
      {clusters.length > 0 && <ClusterNotice parts={clusters} className={className} />}
    </>
  );
}
