'use client';

import { useDeferredValue, useEffect, useState } from 'react';
import { Chip, ChipRow, ClearFilters } from '@/components/ui/chip';
import { Input } from '@/components/ui/input';
import { MenuButton, type MenuEntry } from '@/components/ui/menu-button';
import { SearchField } from '@/components/ui/search-field';
import {
  type ChangeAddress,
  hasFilters,
  noFilters,
  outcomeFilters,
  type TimelineAddress,
} from '@/components/fleet-timeline/timeline-address';
import { type RolloutChoice, type RowOrder } from '@/lib/timeline/fleet-rows';

/** What the menus offer. */
export interface TimelineOptions {
  namespaces: readonly string[];
  kinds: readonly { resource: string; kind: string }[];
  people: readonly string[];
}

/** Browsers refuse more than a few changes of the address a second, and each is a question to the server. */
const TYPING_MS = 250;

const choices: readonly { value: RolloutChoice; label: string }[] = [
  { value: 'all', label: 'What changed' },
  { value: 'began', label: 'Began in it' },
  { value: 'look', label: 'Not well' },
  { value: 'open', label: 'Still open' },
];

const orders: readonly { value: RowOrder; label: string }[] = [
  { value: 'trouble', label: 'trouble first' },
  { value: 'latest', label: 'latest first' },
  { value: 'place', label: 'by namespace' },
];

const outcomeLabels: Record<(typeof outcomeFilters)[number], string> = {
  open: 'still open',
  completed: 'completed',
  rolledBack: 'rolled back',
  superseded: 'superseded',
  failed: 'failed',
  unknown: 'not watched to its end',
};

/** Search, chips and menus; all of it is in the address. */
export function TimelineFilterBar({
  address,
  onChange,
  counts,
  options,
  selectorError,
  onLeaveSearch,
}: {
  address: TimelineAddress;
  onChange: ChangeAddress;
  counts: Readonly<Record<RolloutChoice, number>> | undefined;
  options: TimelineOptions;
  selectorError: string | null;
  onLeaveSearch: () => void;
}) {
  const { show, order } = address;
  return (
    <div
      role="search"
      className="flex flex-wrap items-start gap-x-3 gap-y-2 py-2.5 max-desk:flex-col max-desk:flex-nowrap max-desk:items-stretch"
    >
      <Settled value={address.q} onSettle={(q) => onChange({ q }, 'typing')}>
        {(value, type) => (
          <SearchField
            label="Search the timeline"
            placeholder="Workload, image, person, cause"
            value={value}
            onChange={type}
            onLeave={onLeaveSearch}
            className="desk:w-[268px] desk:flex-none"
          />
        )}
      </Settled>
      <ChipRow label="Filters" className="min-w-0 flex-1 py-0.5">
        {choices.map(({ value, label }) => (
          <Chip
            key={value}
            data-first-chip={value === 'all' ? '' : undefined}
            pressed={show === value}
            count={counts?.[value]}
            onClick={() => onChange({ show: show === value ? 'all' : value })}
          >
            {label}
          </Chip>
        ))}
        <Choice
          label="Namespace"
          value={address.namespace}
          options={options.namespaces.map((value) => ({ value, label: value }))}
          onChange={(namespace) => onChange({ namespace })}
        />
        <Choice
          label="Kind"
          value={address.resource}
          options={options.kinds.map(({ resource, kind }) => ({ value: resource, label: kind }))}
          onChange={(resource) => onChange({ resource })}
        />
        <Choice
          label="Who"
          value={address.actor}
          options={options.people.map((value) => ({ value, label: value }))}
          onChange={(actor) => onChange({ actor })}
        />
        <Choice
          label="Outcome"
          value={address.outcome}
          options={outcomeFilters.map((value) => ({ value, label: outcomeLabels[value] }))}
          onChange={(outcome) =>
            onChange({ outcome: outcomeFilters.find((each) => each === outcome) ?? null })
          }
        />
        <Selector
          value={address.labelSelector}
          error={selectorError}
          onSettle={(labelSelector) => onChange({ labelSelector }, 'typing')}
        />
        <MenuButton
          look="chip"
          items={orders.map(({ value, label }) => ({
            label,
            checked: order === value,
            onSelect: () => onChange({ order: value }),
          }))}
        >
          Order: {orders.find(({ value }) => value === order)?.label}
        </MenuButton>
        {hasFilters(address) && <ClearFilters onClear={() => onChange(noFilters)} />}
      </ChipRow>
    </div>
  );
}

function Choice({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string | null;
  options: readonly { value: string; label: string }[];
  onChange: (value: string | null) => void;
}) {
  const items: MenuEntry[] = [
    { label: 'Any', checked: value === null, onSelect: () => onChange(null) },
    'separator',
    ...options.map((option) => ({
      label: option.label,
      checked: option.value === value,
      onSelect: () => onChange(option.value === value ? null : option.value),
    })),
  ];
  return (
    <MenuButton look="chip" pressed={value !== null} items={items}>
      {value === null ? label : `${label} ${options.find((each) => each.value === value)?.label ?? value}`}
    </MenuButton>
  );
}

function Selector({
  value,
  error,
  onSettle,
}: {
  value: string;
  error: string | null;
  onSettle: (value: string) => void;
}) {
  const [open, setOpen] = useState(false);
  if (!open && value === '') {
    return (
      <Chip pressed={false} onClick={() => setOpen(true)}>
        Labels
      </Chip>
    );
  }
  return (
    <span className="inline-flex flex-none items-center gap-2">
      <Settled value={value} onSettle={onSettle}>
        {(typed, type) => (
          <Input
            aria-label="Label selector"
            aria-invalid={error !== null || undefined}
            placeholder="app=cart,tier in (web)"
            autoFocus={open && value === ''}
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => type(event.target.value)}
            onBlur={() => setOpen(false)}
            onKeyDown={(event) => event.key === 'Escape' && type('')}
            className="h-[26px]! w-[200px] rounded-full! literal max-desk:h-[34px]!"
          />
        )}
      </Settled>
      {error !== null && <span className="text-small text-stuck">{error}</span>}
    </span>
  );
}

/** What is typed shows at once and is told once the typing rests. */
function Settled({
  value,
  onSettle,
  children,
}: {
  value: string;
  onSettle: (value: string) => void;
  children: (typed: string, type: (value: string) => void) => React.ReactNode;
}) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  const settled = useDeferredValue(typed);
  useEffect(() => {
    if (settled === value) return;
    const timer = setTimeout(() => onSettle(settled), TYPING_MS);
    return () => clearTimeout(timer);
  }, [settled, value, onSettle]);
  return children(typed, setTyped);
}
