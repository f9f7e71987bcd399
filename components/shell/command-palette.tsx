'use client';

import { useDeferredValue, useState } from 'react';
import { useClusters } from '@/components/queries/cluster';
import { rowKeyOf, workloadPagePath } from '@/components/queries/workload-ref';
import { nameKey } from '@/lib/kube/name-key';
import { useRouter } from 'next/navigation';
import { Dialog as Base } from '@base-ui/react/dialog';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Command } from 'cmdk';
import { type Destination, useDestinations } from '@/components/shell/destinations';
import { showOverlay } from '@/components/shell/overlay';
import { GroupHeading, itemClass, PaletteActions, readAction } from '@/components/shell/palette-actions';
import { useFailing, useFoundRecords, useFoundRollouts } from '@/components/shell/palette-queries';
import { recentWorkloads } from '@/components/shell/recent-workloads';
import { setTheme, themes } from '@/components/shell/theme';
import { takeTyped } from '@/components/shell/typed-ahead';
import { errorText } from '@/components/ui/error-state';
import { useFinalFocus } from '@/components/ui/final-focus';
import { Glyph, type GlyphName } from '@/components/ui/glyph';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';
import { Kbd } from '@/components/ui/kbd';
import { stateColor, StateGlyph, stateLabel } from '@/components/shared/state-label';
import { ClusterTag } from '@/components/shared/cluster-tag';
import { copyWithToast } from '@/components/shared/copy-with-toast';
import { apiFetch } from '@/components/queries/client';
import type { WorkloadItem } from '@/lib/api/workloads';
import { recordPagePath } from '@/components/queries/records';
import { rolloutPagePath } from '@/components/queries/rollouts';
import { transitionText } from '@/lib/view/record-text';
import { matchRank, splitWords } from '@/lib/view/match-rank';

/** As many as fit without scrolling; another letter narrows the results. */
const FOUND_MAX = 12;

/** Search over all workloads, and the actions that are available on every page, operated by keys alone. */
export function CommandPalette({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const finalFocus = useFinalFocus(open);
  return (
    <Base.Root open={open} onOpenChange={(next) => onOpenChange(next)}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-scrim transition-opacity duration-(--fast) data-[ending-style]:opacity-0 data-[starting-style]:opacity-0" />
        <Base.Popup
          data-modal=""
          finalFocus={finalFocus}
          className="fixed inset-x-0 top-0 z-41 mx-auto flex max-h-dvh w-full flex-col overflow-hidden bg-raised outline-none max-desk:h-dvh desk:top-[12vh] desk:max-h-[70vh] desk:w-[600px] desk:rounded-4 desk:shadow-dialog"
        >
          <Base.Title className="sr-only">Search or jump to</Base.Title>
          <Palette onDone={() => onOpenChange(false)} />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

function Palette({ onDone }: { onDone: () => void }) {
  const router = useRouter();
  const [text, setText] = useState('');
  const { words, actionOf } = readAction(useDeferredValue(text.trim()));
  const [recent] = useState(recentWorkloads);
  const [acting, setActing] = useState<WorkloadItem | null>(null);
  const [hasActed, setActed] = useState(false);
  const found = useQuery({
    queryKey: ['workloads', 'palette', words],
    queryFn: ({ signal }) =>
      apiFetch('GET /api/workloads', {
        query: words === '' ? { keys: namesOf(recent).join(',') } : { q: words, limit: FOUND_MAX },
        signal,
      }),
    enabled: words !== '' || recent.length > 0,
    placeholderData: keepPreviousData,
  });
  // Results for an earlier query are shown only as far as they match the current one.
  const isFor = (item: WorkloadItem) =>
    !found.isPlaceholderData || matchRank(splitWords(words), item.name, [item.namespace]) !== null;
  const matching = found.data?.items.filter(isFor) ?? [];
  const order = (item: WorkloadItem) =>
    Math.max(recent.indexOf(rowKeyOf(item)), recent.indexOf(nameKey(item)));
  const workloads =
    words !== '' ? matching : matching.filter((item) => order(item) >= 0).sort((a, b) => order(a) - order(b));
  const rollouts = useFoundRollouts(actionOf === null ? words : '');
  const records = useFoundRecords(actionOf === null ? words : '');
  const failing = useFailing(words === '').filter((item) => !workloads.some(({ uid }) => uid === item.uid));
  const destinations = useDestinations();
  const commands = listCommands(destinations, useClusters().isSeveral, (href) => router.push(href)).filter(
    ({ label }) => matches(label, words),
  );
  const historySearch = `Search history for “${words}”`;
  if (words !== '')
    commands.push({
      label: historySearch,
      glyph: 'archive',
      run: () => router.push(`/records?${new URLSearchParams({ q: words })}`),
    });
  // Enter must not search the history while the workloads of this name are on their way.
  const isSearching = found.isPending || found.isPlaceholderData;
  const isReady = (entry: string) => !(isSearching && entry === historySearch);
  const [chosen, setChosen] = useState('');
  const values = [
    ...[...failing, ...workloads, ...rollouts].map(rowKeyOf),
    ...records.map(({ id }) => id),
    ...commands.map(({ label }) => label),
  ];
  // The selected entry may be missing in newer results; Enter always needs an entry to open.
  const value = values.includes(chosen) ? chosen : (values.find(isReady) ?? '');
  const goTo = (href: string) => {
    onDone();
    router.push(href);
  };
  if (acting !== null)
    return (
      <PaletteActions
        workload={acting}
        onOpen={goTo}
        onBack={() => {
          setActed(true);
          setActing(null);
        }}
      />
    );

  return (
    <Command
      shouldFilter={false}
      loop
      label="Search or jump to"
      value={value}
      onValueChange={(entry) => isReady(entry) && setChosen(entry)}
      className="flex min-h-0 flex-1 flex-col"
    >
      <div className="flex flex-none items-center gap-2.5 border-b border-line px-4">
        <Glyph name="search" className="text-ink-3" />
        <Command.Input
          // The dialog itself focuses it only once.
          autoFocus={hasActed}
          value={text}
          onValueChange={setText}
          onFocus={() => setText((last) => last + takeTyped())}
          onKeyDown={(event) => {
            const field = event.currentTarget;
            const workload = [...failing, ...workloads].find((item) => rowKeyOf(item) === value);
            if (event.key !== 'ArrowRight' || field.selectionStart !== text.length || !workload) return;
            event.preventDefault();
            setActing(workload);
          }}
          placeholder="Search workloads, images, people, actions"
          className="h-12 w-full bg-transparent text-lead outline-none max-desk:text-[16px]"
        />
        <Base.Close className="rounded-2 text-small text-ink-3">
          <span className="desk:sr-only">Close</span>
          <Kbd className="max-desk:hidden">escape</Kbd>
        </Base.Close>
      </div>
      <Command.List className="min-h-0 flex-1 overflow-y-auto overscroll-contain p-1.5">
        {found.error === null && words !== '' && values.length === 1 && (
          <p role="presentation" className="px-3 py-6 text-center text-ink-3">
            {found.isFetching ? 'Searching…' : `No results for “${words}”`}
          </p>
        )}
        {found.error && <p className="px-3 py-2 text-small text-stuck">{errorText(found.error)}</p>}
        {failing.length > 0 && (
          <Command.Group heading={<GroupHeading>Needs attention</GroupHeading>}>
            {failing.map((workload) => (
              <WorkloadEntry
                key={rowKeyOf(workload)}
                workload={workload}
                onSelect={() => goTo(workloadPagePath(workload))}
              />
            ))}
          </Command.Group>
        )}
        {workloads.length > 0 && (
          <Command.Group
            heading={<GroupHeading>{words === '' ? 'Recently opened' : 'Workloads'}</GroupHeading>}
          >
            {workloads.map((workload) => {
              const action = actionOf?.(workload);
              return (
                <WorkloadEntry
                  key={rowKeyOf(workload)}
                  workload={workload}
                  action={action?.label}
                  onSelect={() => goTo(action?.href ?? workloadPagePath(workload))}
                />
              );
            })}
          </Command.Group>
        )}
        {rollouts.length > 0 && (
          <Command.Group heading={<GroupHeading>Rollouts</GroupHeading>}>
            {rollouts.map((rollout) => (
              <Command.Item
                key={rowKeyOf(rollout)}
                value={rowKeyOf(rollout)}
                onSelect={() => goTo(rolloutPagePath(rollout))}
                className={itemClass}
              >
                <Glyph name="steps" className="text-ink-3" />
                <b className="flex min-w-0">
                  <MiddleEllipsis text={rollout.name} />
                </b>
                <ClusterTag cluster={rollout.cluster} className="flex-none" />
                <span className="min-w-0 max-w-[45%] shrink-[4] truncate text-small text-ink-3">
                  {rollout.namespace}
                </span>
                <span className="ml-auto min-w-0 shrink-[99] truncate text-small text-ink-3 max-desk:hidden">
                  {rollout.message}
                </span>
              </Command.Item>
            ))}
          </Command.Group>
        )}
        {records.length > 0 && (
          <Command.Group heading={<GroupHeading>History</GroupHeading>}>
            {records.map((record) => (
              <Command.Item
                key={record.id}
                value={record.id}
                onSelect={() => goTo(recordPagePath(record.id))}
                className={itemClass}
              >
                <Glyph name="archive" className="text-ink-3" />
                <b className="flex min-w-0">
                  <MiddleEllipsis text={record.workload.name} />
                </b>
                <span className="flex-none rev">{transitionText(record)}</span>
                <ClusterTag cluster={record.workload.cluster} className="flex-none" />
                <span className="ml-auto min-w-0 shrink-[99] truncate text-small text-ink-3 max-desk:hidden">
                  {record.summary}
                </span>
              </Command.Item>
            ))}
          </Command.Group>
        )}
        {commands.length > 0 && (
          <Command.Group heading={<GroupHeading>On every page</GroupHeading>}>
            {commands.map(({ label, glyph, kbd, run }) => (
              <Command.Item
                key={label}
                value={label}
                onSelect={() => {
                  onDone();
                  run();
                }}
                className={itemClass}
              >
                <Glyph name={glyph} className="text-ink-3" />
                {label}
                {kbd && <Kbd className="ml-auto max-desk:hidden">{kbd}</Kbd>}
              </Command.Item>
            ))}
          </Command.Group>
        )}
      </Command.List>
    </Command>
  );
}

function WorkloadEntry({
  workload,
  action,
  onSelect,
}: {
  workload: WorkloadItem;
  /** What it opens instead of its page. */
  action?: string;
  onSelect: () => void;
}) {
  return (
    <Command.Item value={rowKeyOf(workload)} onSelect={onSelect} className={itemClass}>
      <StateGlyph state={workload.state} awaitsApproval={workload.awaitsApproval} />
      {action !== undefined && <span className="flex-none">{action}</span>}
      <b className="flex min-w-0">
        <MiddleEllipsis text={workload.name} />
      </b>
      <ClusterTag cluster={workload.cluster} className="flex-none" />
      <span className="min-w-0 max-w-[45%] shrink-[4] truncate text-small text-ink-3">
        {workload.namespace} · {workload.kind}
      </span>
      <span className="ml-auto min-w-0 shrink-[99] truncate text-small text-ink-3 max-desk:hidden">
        <span className={stateColor(workload.state)}>{stateLabel(workload)}</span> {workload.message}
      </span>
      <span className="hidden flex-none items-center gap-1.5 text-small text-ink-3 in-[[aria-selected=true]]:inline-flex max-desk:hidden!">
        <Kbd>arrowright</Kbd> actions
      </span>
    </Command.Item>
  );
}

/** Without their clusters, which the API takes apart from them. */
function namesOf(recent: readonly string[]): readonly string[] {
  return [...new Set(recent.map((key) => key.split('/').slice(-3).join('/')))];
}

interface Choice {
  label: string;
  glyph: GlyphName;
  kbd?: string;
  run: () => void;
}

function listCommands(
  destinations: readonly Destination[],
  isSeveral: boolean,
  goTo: (href: string) => void,
): Choice[] {
  // prettier-ignore
  return [
    ...destinations.map(({ label, glyph, keys, href }) => ({ label: `Go to ${label}`, glyph, kbd: keys, run: () => goTo(href) })),
    { label: 'Go to OpenKruise RolloutHistory', glyph: 'archive', run: () => goTo('/rollout-histories') },
    { label: 'Copy link to this view', glyph: 'copy', run: () => void copyWithToast(window.location.href, 'Link copied') },
    ...(isSeveral ? [{ label: 'Go to Clusters', glyph: 'plug' as const, run: () => goTo('/clusters') }] : []),
    { label: 'Open the glossary', glyph: 'info', run: () => goTo('/help/glossary') },
    { label: 'Show keyboard shortcuts', glyph: 'keyboard', kbd: '?', run: () => showOverlay('shortcuts') },
    ...themes.map(({ value, label }) => ({ label: `Theme: ${label.toLowerCase()}`, glyph: themeGlyphs[value], run: () => setTheme(value) })),
  ];
}

const themeGlyphs = { system: 'system', light: 'sun', dark: 'moon' } as const;

function matches(label: string, words: string): boolean {
  const text = label.toLowerCase();
  return splitWords(words).every((word) => text.includes(word));
}
