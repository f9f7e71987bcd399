'use client';

import { MenuButton } from '@/components/ui/menu-button';
import { downloadFile } from '@/components/ui/download-file';
import { type ReportChoice, reportPath } from '@/components/queries/review';

/** Downloads a period as a file. */
export function ExportMenu({ choice }: { choice: ReportChoice }) {
  return (
    <MenuButton
      size="small"
      align="end"
      className="ml-auto print:hidden"
      items={[
        { label: 'Markdown', onSelect: () => downloadFile(reportPath(choice, 'md')) },
        { label: 'CSV', onSelect: () => downloadFile(reportPath(choice, 'csv')) },
        { label: 'JSON', onSelect: () => downloadFile(reportPath(choice, 'json'), 'rollouts.json') },
      ]}
    >
      Export
    </MenuButton>
  );
}
