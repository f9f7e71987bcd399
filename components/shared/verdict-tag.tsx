import { Tag } from '@/components/ui/tag';
import { verdictLabels } from '@/lib/view/report-text';

const tones = { good: 'good', bad: 'bad', followUp: 'held' } as const;

/** A verdict as a label in its color. */
export function VerdictTag({ verdict, title }: { verdict: keyof typeof tones; title?: string }) {
  return (
    <Tag tone={tones[verdict]} title={title}>
      {verdictLabels[verdict]}
    </Tag>
  );
}
