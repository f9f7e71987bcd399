import type { ChosenPeriod } from '@/components/review/period';
import type { RolloutReport } from '@/lib/api/reports';
import type { ReportChoice } from '@/components/queries/review';

/** The query of the API. */
export function choiceOf({ from, to }: ChosenPeriod, by: RolloutReport['by']): ReportChoice {
  return { from, ...(to !== undefined && { to }), by };
}

/** The address of the report, without defaults. */
export function reportPagePath(text: string, by: RolloutReport['by']): string {
  const query = new URLSearchParams({
    ...(text !== '7d' && { period: text }),
    ...(by !== 'namespace' && { by }),
  });
  const queryText = query.toString();
  return queryText === '' ? '/review/report' : `/review/report?${queryText}`;
}
