'use client';

import { MenuButton } from '@/components/ui/menu-button';
import { takeAlong } from '@/components/ui/take-along';
import { type ReportChoice, reportPath } from '@/lib/queries/review';

/** Takes a period along as a file. */
export function ExportMenu({ choice }: { choice: ReportChoice }) {
  return (
    <MenuButton
      size="small"
      align="end"
      className="ml-auto print:hidden"
      items={[
        { label: 'Markdown', onSelect: () => takeAlong(reportPath(choice, 'md')) },
        { label: 'CSV', onSelect: () => takeAlong(reportPath(choice, 'csv')) },
        { label: 'JSON', onSelect: () => takeAlong(reportPath(choice, 'json'), 'rollouts.json') },
      ]}
    >
      Export
    </MenuButton>
  );
}
