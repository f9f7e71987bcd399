import { IconButton } from '@/components/ui/button';

/** Above the record under review on a phone: its position in the queue, and its neighbors. */
export function QueueSteps({
  ids,
  hasMore,
  index,
  onChoose,
}: {
  ids: readonly string[];
  hasMore: boolean;
  /** Index of the record under review; -1 where it is not in the queue. */
  index: number;
  onChoose: (id: string | undefined) => void;
}) {
  if (ids.length === 0) return null;
  return (
    <div className="flex items-center gap-1 pt-2">
      <span className="mr-auto text-small text-ink-3">
        {index === -1 ? 'Not in the queue' : `${index + 1} of ${ids.length}${hasMore ? '+' : ''} to review`}
      </span>
      <IconButton
        glyph="chevron-left"
        label="Previous record"
        disabled={index <= 0}
        onClick={() => onChoose(ids[index - 1])}
      />
      <IconButton
        glyph="chevron-right"
        label="Next record"
        disabled={index === ids.length - 1}
        onClick={() => onChoose(ids[index + 1])}
      />
    </div>
  );
}
