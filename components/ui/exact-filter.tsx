import { Chip } from '@/components/ui/chip';
import { Glyph } from '@/components/ui/glyph';

/** A filter that only links set, as a chip that takes it away; nothing where it is not set. */
export function ExactFilter({
  word,
  value,
  onRemove,
}: {
  /** What it filters by. */
  word: string;
  value: string | null;
  onRemove: () => void;
}) {
  if (value === null) return null;
  return (
    <Chip pressed aria-label={`${word} ${value}: take this filter away`} onClick={onRemove}>
      {word} {value} <Glyph name="close" size={10} />
    </Chip>
  );
}
