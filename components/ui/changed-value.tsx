import { Fragment } from 'react';
import type { ComparedPart } from '@/components/ui/changed-words';

/** One side of a changed value, with the differences highlighted. The parts come from `changedWords`. */
export function ChangedValue({ side, parts }: { side: 'before' | 'after'; parts: readonly ComparedPart[] }) {
  const Mark = side === 'before' ? 'del' : 'ins';
  return parts.map(({ text, changed }, index) =>
    changed ? (
      <Mark key={index} className="-mx-px rounded-[2px] px-[2px] py-px text-ink">
        {text}
      </Mark>
    ) : (
      <Fragment key={index}>{text}</Fragment>
    ),
  );
}
