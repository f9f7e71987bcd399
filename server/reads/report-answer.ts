import 'server-only';
import { type Answer } from '@/lib/api/common';
import { type reportSchema } from '@/lib/api/reports';
import { type ClusterNames, formatReportCsv, formatReportMarkdown } from '@/lib/view/report-text';

/** A report in the requested form; files are named after their period, and name the clusters of their rows. */
export function reportAnswer(
  report: Answer<typeof reportSchema>,
  format: 'json' | 'csv' | 'md',
  clusters: ClusterNames | undefined,
): Answer<typeof reportSchema> | Response {
  switch (format) {
    case 'json':
      return report;
    case 'csv':
      return fileAnswer(
        formatReportCsv(report, clusters),
        'text/csv; charset=utf-8; header=present',
        report,
        format,
      );
    case 'md':
      return fileAnswer(
        formatReportMarkdown(report, clusters),
        'text/markdown; charset=utf-8',
        report,
        format,
      );
    default:
      return format satisfies never;
  }
}

function fileAnswer(
  text: string,
  type: string,
  { from, to }: Answer<typeof reportSchema>,
  ending: string,
): Response {
  const name = `rollouts-${from.slice(0, 10)}-${to.slice(0, 10)}.${ending}`;
  return new Response(text, {
    headers: { 'Content-Type': type, 'Content-Disposition': `attachment; filename="${name}"` },
  });
}
