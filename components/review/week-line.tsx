import { useQuery } from '@tanstack/react-query';
import { TextLink } from '@/components/ui/link';
import { reportQuery } from '@/components/queries/review';
import { formatCount } from '@/lib/format/text';
import { formatRate } from '@/lib/view/report-text';
import { useClusterFilter } from '@/components/shared/cluster-filter';

/** The week in one line, as a link to its report; without figures while they are not there. */
export function WeekLine() {
  const { data } = useQuery(reportQuery({ from: '7d', by: 'namespace', ...useClusterFilter() }));
  return (
    <p className="pb-2 text-small text-ink-3">
      <TextLink href="/review/report">Last 7 days</TextLink>
      {data &&
        `: ${formatCount(data.total.rollouts, 'rollout')}, change failure rate ${formatRate(data.total.changeFailureRate)}`}
    </p>
  );
}
