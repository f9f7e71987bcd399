'use client';

import { Command } from 'cmdk';
import { placeIn } from '@/components/queries/cluster';
import { recordPagePath } from '@/components/queries/records';
import { workloadPagePath } from '@/components/queries/workload-ref';
import { Glyph, type GlyphName } from '@/components/ui/glyph';
import type { WorkloadItem } from '@/lib/api/workloads';

/** What can be done with one workload; Escape and the left arrow lead back to the search. */
export function PaletteActions({
  workload,
  onOpen,
  onBack,
}: {
  workload: WorkloadItem;
  onOpen: (href: string) => void;
  onBack: () => void;
}) {
  return (
    <Command
      label={`Actions of ${workload.name}`}
      loop
      shouldFilter={false}
      autoFocus
      tabIndex={-1}
      ref={(element) => element?.focus()}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowLeft' && event.key !== 'Escape' && event.key !== 'Backspace') return;
        event.preventDefault();
        event.stopPropagation();
        onBack();
      }}
      className="flex min-h-0 flex-1 flex-col outline-none"
    >
      <Command.List className="min-h-0 flex-1 overflow-y-auto p-1.5">
        <Command.Group
          heading={
            <GroupHeading>
              {workload.name} · {workload.namespace}
              {placeIn(workload.cluster)}
            </GroupHeading>
          }
        >
          {workloadActions(workload).map(({ label, glyph, href }) => (
            <Command.Item key={label} value={label} onSelect={() => onOpen(href)} className={itemClass}>
              <Glyph name={glyph} className="text-ink-3" />
              {label}
            </Command.Item>
          ))}
        </Command.Group>
      </Command.List>
    </Command>
  );
}

interface WorkloadAction {
  label: string;
  glyph: GlyphName;
  href: string;
}

/** An action and the beginning of a workload's name as they are typed: "roll back acc". */
const ACTION_OF = /^(roll ?back|compare|record)\s+(\S.*)$/i;

/** The typed words without the action that they begin with, and that action of a workload. */
export function readAction(text: string): {
  words: string;
  actionOf: ((workload: WorkloadItem) => WorkloadAction | undefined) | null;
} {
  const [, verb = '', words = text] = ACTION_OF.exec(text) ?? [];
  if (verb === '') return { words: text, actionOf: null };
  const glyph = /^roll/i.test(verb) ? 'back' : /^compare/i.test(verb) ? 'compare' : 'archive';
  return {
    words,
    actionOf: (workload) => workloadActions(workload).find((action) => action.glyph === glyph),
  };
}

/** What can be opened of a workload besides its page. */
function workloadActions(workload: WorkloadItem): readonly WorkloadAction[] {
  const { lastRollout, targetId } = workload;
  const from = lastRollout?.from ?? null;
  const record = lastRollout?.record ?? null;
  const comparison = new URLSearchParams({ from: String(from), to: targetId ?? 'live' });
  return [
    ...(from === null
      ? []
      : [
          {
            label: 'Compare with the previous revision',
            glyph: 'compare' as const,
            href: workloadPagePath(workload, `/compare?${comparison}`),
          },
        ]),
    { label: 'Roll back…', glyph: 'back', href: workloadPagePath(workload, '?rollback=default') },
    ...(record === null
      ? []
      : [
          {
            label: 'Open the last rollout record',
            glyph: 'archive' as const,
            href: recordPagePath(record.id),
          },
        ]),
  ];
}

export function GroupHeading({ children }: { children: React.ReactNode }) {
  return <span className="block px-2.5 pt-2 pb-1 text-micro text-ink-3">{children}</span>;
}

export const itemClass =
  'flex min-h-[34px] cursor-default items-center gap-2.5 rounded-3 px-2.5 whitespace-nowrap data-[selected=true]:bg-selected max-desk:min-h-12';
