import { useShortcuts } from '@/components/ui/shortcuts';
import type { QueueSection } from '@/components/review/queue-order';
import type { QueueSelection } from '@/components/review/queue-selection';

/** Keys that select records of the queue: one, its neighbors, its group, the quick successes, all. */
export function useSelectionKeys({
  sections,
  ids,
  quick,
  current,
  selection,
  onChoose,
  onClear,
}: {
  /** Empty where the viewer cannot write: then no key is bound. */
  sections: readonly QueueSection[];
  /** The queue in its order. */
  ids: readonly string[];
  quick: readonly string[];
  current: string | null;
  selection: QueueSelection;
  onChoose: (id: string | undefined) => void;
  /** Undefined where nothing is selected. */
  onClear: (() => void) | undefined;
}): void {
  const index = current === null ? -1 : ids.indexOf(current);
  const groups = sections.flatMap((section) => section.groups);
  function extend(by: 1 | -1) {
    const neighbor = ids[index + by];
    if (index === -1 || current === null || neighbor === undefined) return;
    selection.add([current, neighbor]);
    onChoose(neighbor);
  }
  useShortcuts(
    {
      x: {
        label: 'Select the record',
        hint: 'select, with its group',
        run: ({ repeat }) =>
          repeat || index === -1 || current === null ? undefined : selection.toggle([current]),
      },
      X: {
        label: 'Select the group',
        hint: 'select, with its group',
        run: ({ repeat }) => {
          const group = groups.find(({ records }) => records.some(({ id }) => id === current));
          if (!repeat && group) selection.toggle(group.records.map(({ id }) => id));
        },
      },
      J: { label: 'Extend the selection to the next record', run: () => extend(1) },
      K: { label: 'Extend the selection to the previous record', run: () => extend(-1) },
      ...(quick.length > 1 && {
        a: {
          label: 'Select all quick successes',
          hint: 'quick successes',
          run: ({ repeat }: KeyboardEvent) => (repeat ? undefined : selection.toggle(quick)),
        },
      }),
      A: {
        label: 'Select the whole queue',
        run: ({ repeat }) => (repeat ? undefined : selection.toggle(ids)),
      },
    },
    { enabled: ids.length > 0 && sections.length > 0 },
  );
  useShortcuts(
    {
      escape: {
        label: 'Clear the selection',
        // In a field it leaves the field first.
        run: ({ target }) => {
          if (!(target instanceof HTMLElement && target.closest('input:not([type=checkbox]), textarea')))
            onClear?.();
        },
      },
    },
    { enabled: onClear !== undefined },
  );
}
