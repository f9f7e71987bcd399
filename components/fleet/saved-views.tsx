'use client';

import { useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { type FleetAddress, fleetParsers } from '@/components/fleet/fleet-address';
import type { AddressChange, ListAddress } from '@/components/list/list-address';
import { useStickyClusterFilter } from '@/components/shared/cluster-filter';
import { usePreferences } from '@/components/shared/use-preferences';
import { Input } from '@/components/ui/input';
import { MenuButton } from '@/components/ui/menu-button';
import type { MenuEntry } from '@/components/ui/menu-entry';
import { showToast } from '@/components/ui/toast';
import { VIEW_NAME_CHARS_MAX, VIEWS_MAX } from '@/lib/api/preference-values';
import type { Preferences } from '@/lib/api/preferences';
import { readStored, store } from '@/components/ui/browser-storage';

/** Views used to belong to a browser, and not to a person. */
const STORAGE_KEY = 'shiplog.views';

type Views = Pick<Preferences, 'views' | 'initial'>;

/** Those that this browser still has; null where there are none. */
function readBrowserViews(): Views | null {
  const text = readStored(STORAGE_KEY, 'browser');
  if (text === null) return null;
  try {
    const { views, initial = null } = JSON.parse(text) as Partial<Views>;
    if (Array.isArray(views) && views.length > 0) return { views, initial };
  } catch {
    // Another program wrote it.
  }
  deleteBrowserViews();
  return null;
}

function deleteBrowserViews(): void {
  store(STORAGE_KEY, null, 'browser');
}

/** By the names of the address: all of them text. */
type ViewFilters = Preferences['views'][number]['filters'];

/** Filters with a name, of the viewer in every browser; one of them can be what the page opens with. */
export function SavedViews({ list }: { list: ListAddress<FleetAddress> }) {
  const own = usePreferences();
  const { preferences, refusal, change } = own;
  const { views, initial } = preferences;
  const [isNaming, setNaming] = useState(false);
  const place = useRef<HTMLSpanElement>(null);
  const [clusters, choosePlace] = useStickyClusterFilter();
  const filters = filtersOf({ ...list.stated, ...clusters });
  const apply = ({ filters: chosen }: { filters: ViewFilters }) => {
    choosePlace({ cluster: chosen.cluster, stage: chosen.stage });
    list.change(addressOf(chosen));
  };
  const current = list.isFiltered ? views.find((view) => isSameView(view.filters, filters)) : undefined;
  useInitialView(list, preferences, choosePlace);
  useMovedViews(own);

  function save(name: string) {
    // The field is gone, and with it the focus.
    flushSync(() => setNaming(false));
    place.current?.querySelector('button')?.focus();
    if (name === '') return;
    if (othersThan(name, views).length >= VIEWS_MAX)
      return showToast({ title: `${VIEWS_MAX} views are saved. Delete one first`, tone: 'bad' });
    void change((now) => ({ views: [...othersThan(name, now.views), { name, filters }] }));
  }

  if (isNaming) return <NameField onDone={save} onLeave={() => setNaming(false)} />;
  return (
    <span ref={place} className="contents">
      <MenuButton variant="chip" pressed={current !== undefined} items={entries()}>
        {current === undefined ? 'Views' : `View ${current.name}`}
      </MenuButton>
    </span>
  );

  function entries(): MenuEntry[] {
    const isInitial = current !== undefined && initial === current.name;
    const saved = views.map((view) => ({
      label: view.name,
      hint: view.name === initial ? 'opens first' : undefined,
      checked: view === current,
      onSelect: () => apply(view),
    }));
    if (current === undefined) {
      const save = {
        label: 'Save this view…',
        disabledReason: refusal ?? (list.isFiltered ? null : 'Set filters first'),
        onSelect: () => setNaming(true),
      };
      return [...saved, ...(saved.length > 0 ? ['separator' as const] : []), save];
    }
    const { name } = current;
    return [
      ...saved,
      'separator',
      {
        label: 'Open Workloads with this view',
        checked: isInitial,
        disabledReason: refusal,
        onSelect: () => void change(() => ({ initial: isInitial ? null : name })),
      },
      {
        label: 'Delete this view',
        tone: 'danger',
        disabledReason: refusal,
        onSelect: () =>
          void change((now) => ({
            views: othersThan(name, now.views),
            initial: now.initial === name ? null : now.initial,
          })),
      },
    ];
  }
}

function othersThan(name: string, views: Preferences['views']): Preferences['views'] {
  return views.filter((view) => view.name !== name);
}

/** Two sets of filters that select the same. */
function isSameView(a: ViewFilters, b: ViewFilters): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/** Once per visit of the page, and only where the address has no filters of its own. */
function useInitialView(
  { isFiltered, change }: ListAddress<FleetAddress>,
  { views, initial }: Preferences,
  choosePlace: ReturnType<typeof useStickyClusterFilter>[1],
): void {
  const isDone = useRef(false);
  useEffect(() => {
    if (isDone.current) return;
    isDone.current = true;
    const view = views.find(({ name }) => name === initial);
    if (view === undefined || isFiltered) return;
    change(addressOf(view.filters), 'typing');
    const { cluster, stage } = view.filters;
    if (cluster !== undefined || stage !== undefined) choosePlace({ cluster, stage });
  }, [isFiltered, change, choosePlace, views, initial]);
}

/** Gives the viewer, who has saved none, the views of this browser. */
function useMovedViews({ preferences, refusal, change }: ReturnType<typeof usePreferences>): void {
  const isNew = refusal === null && preferences.version === 0;
  useEffect(() => {
    const found = isNew ? readBrowserViews() : null;
    if (found === null) return;
    void change(() => found).then((isKept) => {
      if (isKept) deleteBrowserViews();
    });
  }, [isNew, change]);
}

function NameField({ onDone, onLeave }: { onDone: (name: string) => void; onLeave: () => void }) {
  const [name, setName] = useState('');
  return (
    <Input
      aria-label="Name of the view"
      placeholder="Name of the view, then Enter"
      autoFocus
      autoComplete="off"
      maxLength={VIEW_NAME_CHARS_MAX}
      value={name}
      onChange={(event) => setName(event.target.value)}
      onBlur={onLeave}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== 'Escape') return;
        // Escape clears no filters, and Enter does not press the button that gets the focus.
        event.preventDefault();
        onDone(event.key === 'Enter' ? name.trim() : '');
      }}
      className="h-[26px]! w-[210px] rounded-full! max-desk:h-[34px]!"
    />
  );
}

function filtersOf(stated: object): ViewFilters {
  return Object.fromEntries(Object.entries(stated).map(([name, value]) => [name, String(value)]));
}

/** All filters of the address: those that the view does not have are reset. */
function addressOf(filters: ViewFilters): AddressChange<FleetAddress> {
  return Object.fromEntries(
    Object.entries(fleetParsers).flatMap(([name, parser]) => {
      const text = filters[name];
      return name === 'at' ? [] : [[name, text === undefined ? null : parser.parse(text)]];
    }),
  );
}
