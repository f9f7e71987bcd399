'use client';

import { Chip, ChipRow, ClearFilters } from '@/components/ui/chip';
import { MenuButton, type MenuEntry } from '@/components/ui/menu-button';
import { openStates, rolloutFaces, settledStates, systemName } from '@/components/rollouts/rollout-words';
import { hasFilters, noFilters, type RolloutsAddress } from '@/components/rollouts/rollouts-address';
import { type RolloutList } from '@/lib/api/rollouts';
import { type RolloutState, rolloutStates } from '@/lib/rollout/rollout';

type Change = (change: Partial<RolloutsAddress>) => void;

/** States and menus; all of it is in the address. `end` stands behind the chips. */
export function RolloutsFilterBar({
  address,
  onChange,
  counts,
  namespaces,
  systems,
  end,
}: {
  address: RolloutsAddress;
  onChange: Change;
  counts: RolloutList['counts'] | undefined;
  namespaces: readonly string[];
  systems: readonly string[];
  end: React.ReactNode;
}) {
  const { state, namespace, system } = address;
  const toggle = (value: NonNullable<RolloutsAddress['state']>) =>
    onChange({ state: state === value ? null : value });
  const sum = (states: readonly RolloutState[]) =>
    counts && states.reduce((total, each) => total + (counts.byState[each] ?? 0), 0);
  return (
    <div
      role="search"
      className="flex flex-wrap items-start gap-x-3 gap-y-2 py-2.5 max-desk:flex-col max-desk:flex-nowrap max-desk:items-stretch"
    >
      <ChipRow label="Filters" className="min-w-0 flex-1 py-0.5">
        <Chip
          data-first-chip=""
          pressed={state === null}
          count={counts?.total}
          onClick={() => onChange({ state: null })}
        >
          All
        </Chip>
        <Chip pressed={state === 'open'} count={sum(openStates)} onClick={() => toggle('open')}>
          Under way
        </Chip>
        <Chip pressed={state === 'waiting'} count={sum(['waiting'])} onClick={() => toggle('waiting')}>
          Held for approval
        </Chip>
        <Chip pressed={state === 'settled'} count={sum(settledStates)} onClick={() => toggle('settled')}>
          Settled
        </Chip>
        <MenuButton
          look="chip"
          pressed={isSingle(state) && state !== 'waiting'}
          items={stateItems(state, counts, onChange)}
        >
          {isSingle(state) && state !== 'waiting' ? rolloutFaces[state].word : 'State'}
        </MenuButton>
        <MenuButton
          look="chip"
          pressed={namespace !== null}
          items={choices('All namespaces', namespace, namespaces, (value) => onChange({ namespace: value }))}
        >
          {namespace ?? 'Namespace'}
        </MenuButton>
        <MenuButton
          look="chip"
          pressed={system !== null}
          items={choices('All systems', system, systems, (value) => onChange({ system: value }), systemName)}
        >
          {system === null ? 'System' : systemName(system)}
        </MenuButton>
        {hasFilters(address) && <ClearFilters onClear={() => onChange(noFilters)} />}
      </ChipRow>
      {end}
    </div>
  );
}

function isSingle(state: RolloutsAddress['state']): state is RolloutState {
  return state !== null && state !== 'open' && state !== 'settled';
}

function stateItems(
  state: RolloutsAddress['state'],
  counts: RolloutList['counts'] | undefined,
  onChange: Change,
): MenuEntry[] {
  const present = rolloutStates.filter((each) => each === state || (counts?.byState[each] ?? 0) > 0);
  return [
    { label: 'Every state', checked: !isSingle(state), onSelect: () => onChange({ state: null }) },
    'separator',
    ...present.map((each): MenuEntry => ({
      label: rolloutFaces[each].word,
      hint: counts?.byState[each] ?? 0,
      checked: state === each,
      onSelect: () => onChange({ state: each }),
    })),
  ];
}

function choices(
  all: string,
  chosen: string | null,
  known: readonly string[],
  onChoose: (value: string | null) => void,
  nameOf: (value: string) => string = (value) => value,
): MenuEntry[] {
  const values = [...new Set([...known, ...(chosen === null ? [] : [chosen])])].sort();
  return [
    { label: all, checked: chosen === null, onSelect: () => onChoose(null) },
    'separator',
    ...values.map((value): MenuEntry => ({
      label: nameOf(value),
      checked: chosen === value,
      onSelect: () => onChoose(value),
    })),
  ];
}
