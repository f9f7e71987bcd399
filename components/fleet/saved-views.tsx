'use client';

import { useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { type FleetAddress, fleetParsers } from '@/components/fleet/fleet-address';
import {
  isSameView,
  readStoredViews,
  storeViews,
  useStoredViews,
  type ViewFilters,
  VIEW_NAME_MAX,
  VIEWS_MAX,
} from '@/components/fleet/stored-views';
import { type AddressChange, type ListAddress } from '@/components/list/list-address';
import { useStickyClusterFilter } from '@/components/shared/cluster-filter';
import { Input } from '@/components/ui/input';
import { MenuButton } from '@/components/ui/menu-button';
import { type MenuEntry } from '@/components/ui/menu-entry';
import { showToast } from '@/components/ui/toast';

/** Filters with a name, kept by this browser; one of them can be what the page opens with. */
export function SavedViews({ list }: { list: ListAddress<FleetAddress> }) {
  const stored = useStoredViews();
  const [isNaming, setNaming] = useState(false);
  const place = useRef<HTMLSpanElement>(null);
  const [clusters, choosePlace] = useStickyClusterFilter();
  const filters = filtersOf({ ...list.stated, ...clusters });
  const apply = ({ filters: chosen }: { filters: ViewFilters }) => {
    choosePlace({ cluster: chosen.cluster, stage: chosen.stage });
    list.change(addressOf(chosen));
  };
  const current = list.isFiltered
    ? stored.views.find((view) => isSameView(view.filters, filters))
    : undefined;
  useInitialView(list, choosePlace);

  function save(name: string) {
    // The field is gone, and with it the focus.
    flushSync(() => setNaming(false));
    place.current?.querySelector('button')?.focus();
    if (name === '') return;
    const others = stored.views.filter((view) => view.name !== name);
    if (others.length >= VIEWS_MAX)
      return showToast({ title: `${VIEWS_MAX} views are saved. Delete one first`, tone: 'bad' });
    if (!storeViews({ ...stored, views: [...others, { name, filters }] }))
      showToast({ title: 'This browser does not allow saving views', tone: 'bad' });
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
    const isInitial = current !== undefined && stored.initial === current.name;
    const views = stored.views.map((view) => ({
      label: view.name,
      hint: view.name === stored.initial ? 'opens first' : undefined,
      checked: view === current,
      onSelect: () => apply(view),
    }));
    if (current === undefined) {
      const save = {
        label: 'Save this view…',
        disabledReason: list.isFiltered ? null : 'Set filters first',
        onSelect: () => setNaming(true),
      };
      return [...views, ...(views.length > 0 ? ['separator' as const] : []), save];
    }
    return [
      ...views,
      'separator',
      {
        label: 'Open Workloads with this view',
        checked: isInitial,
        onSelect: () => storeViews({ ...stored, initial: isInitial ? null : current.name }),
      },
      {
        label: 'Delete this view',
        tone: 'danger',
        onSelect: () =>
          storeViews({
            views: stored.views.filter((view) => view !== current),
            initial: isInitial ? null : stored.initial,
          }),
      },
    ];
  }
}

/** Once per visit of the page, and only where the address has no filters of its own. */
function useInitialView(
  { isFiltered, change }: ListAddress<FleetAddress>,
  choosePlace: ReturnType<typeof useStickyClusterFilter>[1],
): void {
  const isDone = useRef(false);
  useEffect(() => {
    if (isDone.current) return;
    isDone.current = true;
    const { views, initial } = readStoredViews();
    const view = views.find(({ name }) => name === initial);
    if (view === undefined || isFiltered) return;
    change(addressOf(view.filters), 'typing');
    const { cluster, stage } = view.filters;
    if (cluster !== undefined || stage !== undefined) choosePlace({ cluster, stage });
  }, [isFiltered, change, choosePlace]);
}

function NameField({ onDone, onLeave }: { onDone: (name: string) => void; onLeave: () => void }) {
  const [name, setName] = useState('');
  return (
    <Input
      aria-label="Name of the view"
      placeholder="Name of the view, then Enter"
      autoFocus
      autoComplete="off"
      maxLength={VIEW_NAME_MAX}
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
