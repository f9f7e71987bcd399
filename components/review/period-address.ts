import { type ChosenPeriod } from '@/components/review/period';
import { type ReportChoice } from '@/lib/queries/review';

/** What the API is asked for. */
export function choiceOf({ from, to }: ChosenPeriod, by: 'namespace' | 'team'): ReportChoice {
  return { from, ...(to !== undefined && { to }), by };
}

/** Where the period stands alone; what is usual is left out. */
export function periodPagePath(text: string, by: 'namespace' | 'team'): string {
  const query = new URLSearchParams({
    ...(text !== '7d' && { period: text }),
    ...(by !== 'namespace' && { by }),
  });
  const said = query.toString();
  return said === '' ? '/review/report' : `/review/report?${said}`;
}
