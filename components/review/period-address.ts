import { type ChosenPeriod } from '@/components/review/period';
import { type ClusterAddress, statedClusters } from '@/components/shared/stored-clusters';
import { type RolloutReport } from '@/lib/api/reports';
import { type ReportChoice } from '@/components/queries/review';

/** The query of the API. */
export function choiceOf(
  { from, to }: ChosenPeriod,
  { by, ...clusters }: ClusterAddress & Pick<RolloutReport, 'by'>,
): ReportChoice {
  return { from, ...(to !== undefined && { to }), by, ...statedClusters(clusters) };
}

/** The address of the report, without defaults. */
export function reportPagePath(
  text: string,
  { by, ...clusters }: ClusterAddress & Pick<RolloutReport, 'by'>,
): string {
  const query = new URLSearchParams({
    ...(text !== '7d' && { period: text }),
    ...(by !== 'namespace' && { by }),
    ...statedClusters(clusters),
  });
  const queryText = query.toString();
  return queryText === '' ? '/review/report' : `/review/report?${queryText}`;
}
