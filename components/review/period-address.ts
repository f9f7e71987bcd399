import { type ChosenPeriod } from '@/components/review/period';
import { type ReportChoice } from '@/components/queries/review';

/** The query of the API. */
export function choiceOf({ from, to }: ChosenPeriod, by: 'namespace' | 'team'): ReportChoice {
  return { from, ...(to !== undefined && { to }), by };
}

/** The address of the report, without defaults. */
export function reportPagePath(text: string, by: 'namespace' | 'team'): string {
  const query = new URLSearchParams({
    ...(text !== '7d' && { period: text }),
    ...(by !== 'namespace' && { by }),
  });
  const queryText = query.toString();
  return queryText === '' ? '/review/report' : `/review/report?${queryText}`;
}
