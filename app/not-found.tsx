import { type Metadata } from 'next';
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
            To the fleet
          </ButtonLink>
        }
      >
        The URL is wrong, or what it named was deleted. Search finds a workload by its name, image or
        namespace.
      </EmptyState>
    </div>
  );
}
