import { Chip } from '@/components/ui/chip';
import { Glyph } from '@/components/ui/glyph';

/** A filter that only links set, as a chip that removes it; nothing where it is not set. */
export function ExactFilter({
  label,
  value,
  onRemove,
}: {
  /** What it filters by. */
  label: string;
  value: string | null;
  onRemove: () => void;
}) {
  if (value === null) return null;
  return (
    <Chip pressed aria-label={`${label} ${value}: take this filter away`} onClick={onRemove}>
      {label} {value} <Glyph name="close" size={10} />
    </Chip>
  );
}
