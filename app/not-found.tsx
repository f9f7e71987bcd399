import { ButtonLink } from '@/components/ui/button';
import { EmptyState } from '@/components/ui/empty-state';

export default function NotFound() {
  return (
    <div className="pt-8">
      <EmptyState
        heading="h1"
        title="There is no such page"
        glyph="unknown"
        actions={
          <ButtonLink href="/" size="small">
            To the fleet
          </ButtonLink>
        }
      >
        The address may be mistyped, or what it named is gone. Search finds a workload by its name, image or
        namespace.
      </EmptyState>
    </div>
  );
}
