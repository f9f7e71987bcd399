'use client';

import { MenuButton } from '@/components/ui/menu-button';
import { type ReportChoice, reportPath } from '@/lib/queries/review';

/** Takes a period along as a file, or to a printer. */
export function ExportMenu({ choice, onPrint }: { choice: ReportChoice; onPrint?: () => void }) {
  return (
    <MenuButton
      size="small"
      align="end"
      className="ml-auto print:hidden"
      items={[
        { label: 'Markdown', onSelect: () => takeAlong(reportPath(choice, 'md')) },
        { label: 'CSV', onSelect: () => takeAlong(reportPath(choice, 'csv')) },
        { label: 'JSON', onSelect: () => takeAlong(reportPath(choice, 'json'), 'rollouts.json') },
        ...(onPrint === undefined ? [] : (['separator', { label: 'Print', onSelect: onPrint }] as const)),
      ]}
    >
      Export
    </MenuButton>
  );
}

/** Saves what is at the address as a file, under its own name or the one given; this page stays. */
export function takeAlong(path: string, name = ''): void {
  const link = document.createElement('a');
  link.href = path;
  link.download = name;
  link.click();
}
