import type { Metadata } from 'next';
import { ButtonLink } from '@/components/ui/button';
import { EmptyState } from '@/components/ui/empty-state';

export const metadata: Metadata = { title: 'Page not found' };

export default function NotFound() {
  return (
    <div className="pt-8">
      <EmptyState
        heading="h1"
        title="Page not found"
        glyph="unknown"
        actions={
          <ButtonLink href="/" size="small">
            Open Workloads
          </ButtonLink>
        }
      >
        The address is wrong, or what it showed was deleted. Search finds workloads by name, namespace and
        image.
      </EmptyState>
    </div>
  );
}
