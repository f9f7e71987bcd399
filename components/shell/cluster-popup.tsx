'use client';

import { useState } from 'react';
import Link from 'next/link';
import { Popover } from '@base-ui/react/popover';
import { Button } from '@/components/ui/button';
import { Glyph } from '@/components/ui/glyph';
import { Input } from '@/components/ui/input';
import { type ClusterItem } from '@/lib/api/cluster';
import { capitalize } from '@/lib/format/text';

/** More than this are searched. */
const UNSEARCHED_MAX = 8;

/** The clusters to choose from, by stage. It imports Base UI, so load it lazily. */
export function ClusterPopup({
  id,
  open,
  onOpenChange,
  anchor,
  clusters,
  chosen,
  onChoose,
}: {
  id: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  anchor: React.RefObject<HTMLButtonElement | null>;
  clusters: readonly ClusterItem[];
  /** Names. */
  chosen: ReadonlySet<string>;
  onChoose: (names: readonly string[]) => void;
}) {
  const [text, setText] = useState('');
  const words = text.trim().toLowerCase();
  const found = clusters.filter(({ name, title }) => `${name} ${title}`.toLowerCase().includes(words));
  const stages = [...Map.groupBy(found, ({ stage }) => stage)];
  const namesOf = (some: readonly ClusterItem[]) => some.map(({ name }) => name);
  /** In the order of the configuration; without any of them all. */
  const toggle = (name: string) => {
    const next = namesOf(clusters).filter((each) => chosen.has(each) !== (each === name));
    onChoose(next.length === 0 ? namesOf(clusters) : next);
  };
  return (
    <Popover.Root
      open={open}
      onOpenChange={(next, { reason, event }) => {
        // A press on the button itself already closes it.
        const isOnAnchor = event.target instanceof Node && anchor.current?.contains(event.target) === true;
        if (reason !== 'outside-press' || !isOnAnchor) onOpenChange(next);
      }}
    >
      <Popover.Portal>
        <Popover.Positioner
          anchor={anchor}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          className="z-50"
        >
          <Popover.Popup
            id={id}
            finalFocus={anchor}
            className="flex max-h-(--available-height) w-[300px] max-w-[calc(100vw-16px)] flex-col overflow-hidden rounded-3 bg-raised shadow-menu outline-none"
          >
            <Popover.Title className="sr-only">Clusters of the lists</Popover.Title>
            {clusters.length > UNSEARCHED_MAX && (
              <div className="flex-none p-2 pb-0">
                <Input
                  aria-label="Search clusters"
                  placeholder="Search clusters"
                  autoComplete="off"
                  value={text}
                  onChange={(event) => setText(event.target.value)}
                  className="w-full"
                />
              </div>
            )}
            <div className="min-h-0 flex-1 overflow-y-auto py-1">
              <Row
                label="All clusters"
                checked={chosen.size === clusters.length}
                isPartial={chosen.size < clusters.length}
                onToggle={() => onChoose(namesOf(clusters))}
              />
              {stages.map(([stage, members]) => (
                <section key={stage ?? ''} aria-label={stage ?? 'No stage'}>
                  {(stage !== null || stages.length > 1) && (
                    <h3 className="flex min-h-7 items-center justify-between border-t border-hair px-3 pt-1 text-micro text-ink-3">
                      {stage === null ? 'No stage' : capitalize(stage)}
                      {stages.length > 1 && (
                        <Only label={stage ?? 'no stage'} onClick={() => onChoose(namesOf(members))} />
                      )}
                    </h3>
                  )}
                  {members.map((cluster) => (
                    <Row
                      key={cluster.name}
                      label={cluster.name}
                      hint={cluster.title}
                      isAway={cluster.state === 'unreachable'}
                      checked={chosen.has(cluster.name)}
                      onToggle={() => toggle(cluster.name)}
                      onOnly={() => onChoose([cluster.name])}
                    />
                  ))}
                </section>
              ))}
              {found.length === 0 && <p className="px-3 py-2 text-ink-3">No cluster matches.</p>}
            </div>
            <Link
              href="/clusters"
              onClick={() => onOpenChange(false)}
              className="flex-none border-t border-line px-3 py-2 text-accent hover:underline focus-visible:-outline-offset-2 max-desk:py-3"
            >
              Clusters…
            </Link>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function Row({
  label,
  hint,
  isAway = false,
  checked,
  isPartial = false,
  onToggle,
  onOnly,
}: {
  label: string;
  hint?: string;
  isAway?: boolean;
  checked: boolean;
  isPartial?: boolean;
  onToggle: () => void;
  onOnly?: () => void;
}) {
  return (
    <div className="group flex min-h-[30px] items-center pr-2 hover:bg-hover max-desk:min-h-11">
      <label className="flex min-w-0 flex-1 items-center gap-2 self-stretch pl-3">
        <input
          type="checkbox"
          checked={checked}
          ref={(box) => {
            if (box) box.indeterminate = isPartial;
          }}
          onChange={onToggle}
          className="size-[14px] flex-none accent-(--accent) max-desk:size-5"
        />
        <span className="max-w-[70%] flex-none truncate">{label}</span>
        {hint !== label && <span className="min-w-0 truncate text-small text-ink-3">{hint}</span>}
        {isAway && (
          <span className="ml-auto inline-flex flex-none text-degraded" title="Unreachable">
            <Glyph name="degraded" size={12} />
            <span className="sr-only">unreachable</span>
          </span>
        )}
      </label>
      {onOnly && <Only label={label} isQuiet onClick={onOnly} />}
    </div>
  );
}

/** On a desk next to the pointer or the focus alone. */
function Only({
  label,
  isQuiet = false,
  onClick,
}: {
  label: string;
  isQuiet?: boolean;
  onClick: () => void;
}) {
  return (
    <Button
      size="small"
      tone="quiet"
      aria-label={`Only ${label}`}
      onClick={onClick}
      className={
        isQuiet
          ? 'h-6! flex-none desk:opacity-0 desk:group-hover:opacity-100 desk:focus-visible:opacity-100 desk:group-focus-within:opacity-100'
          : '-mr-1 h-6! flex-none'
      }
    >
      Only
    </Button>
  );
}
