import { useQuery } from '@tanstack/react-query';
import { type ClusterAddress, listPath, statedClusters } from '@/components/shared/stored-clusters';
import { TextLink } from '@/components/ui/link';
import { reportQuery } from '@/components/queries/review';
import { formatCount } from '@/lib/format/text';
import { formatRate } from '@/lib/view/report-text';

/** The week in one line, as a link to its report; without figures while they are not there. */
export function WeekLine({ clusters }: { clusters: ClusterAddress }) {
  const { data } = useQuery(reportQuery({ from: '7d', by: 'namespace', ...statedClusters(clusters) }));
  return (
    <p className="pb-2 text-small text-ink-3">
      <TextLink href={listPath('/review/report', clusters)}>Last 7 days</TextLink>
      {data &&
        `: ${formatCount(data.total.rollouts, 'rollout')}, change failure rate ${formatRate(data.total.changeFailureRate)}`}
    </p>
  );
}
