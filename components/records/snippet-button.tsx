'use client';

import { useQueryClient } from '@tanstack/react-query';
import { Button } from '@/components/ui/button';
import { useShortcuts } from '@/components/ui/shortcuts';
import { useTimeZone } from '@/components/ui/time';
import { copyWithToast } from '@/components/shared/copy-with-toast';
import { recordPagePath, recordQuery } from '@/components/queries/records';
import type { RecordAnswer } from '@/lib/api/records';

/** Copies the rollout as Markdown for a post-mortem. */
export function SnippetButton({ record }: { record: RecordAnswer }) {
  const client = useQueryClient();
  const timeZone = useTimeZone();
  async function copy() {
    const [{ recordSnippet }, restoredBy] = await Promise.all([
      import('@/lib/view/record-snippet'),
      record.revertedBy === null
        ? null
        : // Without it the snippet says that the time to restore is unknown.
          client.fetchQuery(recordQuery(record.revertedBy)).catch(() => null),
    ]);
    const link = new URL(recordPagePath(record.id), window.location.href).href;
    await copyWithToast(recordSnippet(record, restoredBy, { link, timeZone }), 'Post-mortem snippet copied');
  }
  useShortcuts({
    m: {
      label: 'Copy as post-mortem snippet',
      hint: 'post-mortem snippet',
      run: ({ repeat }) => (repeat ? undefined : void copy()),
    },
  });
  return (
    <Button size="small" tone="quiet" glyph="copy" kbd="m" onClick={() => void copy()}>
      Copy as post-mortem snippet
    </Button>
  );
}
