'use client';

import { Chip } from '@/components/ui/chip';
import { Choice } from '@/components/ui/choice';
import { FilterFrame } from '@/components/ui/filter-frame';
import { MenuButton } from '@/components/ui/menu-button';
import { type MenuEntry } from '@/components/ui/menu-entry';
import {
  openStates,
  rolloutAppearance,
  settledStates,
  systemName,
} from '@/components/rollouts/rollout-labels';
import { hasFilters, noFilters, type RolloutsAddress } from '@/components/rollouts/rollouts-address';
import { type RolloutList } from '@/lib/api/rollouts';
import { type RolloutState, rolloutStates } from '@/lib/api/rollout-values';

type Change = (change: Partial<RolloutsAddress>) => void;

/** States and menus; the address holds all of it. `end` is placed after the chips. */
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
    <FilterFrame hasFilters={hasFilters(address)} onClear={() => onChange(noFilters)} end={end}>
      <Chip
        data-first-chip=""
        pressed={state === null}
        count={counts?.total}
        onClick={() => onChange({ state: null })}
      >
        All
      </Chip>
      <Chip pressed={state === 'open'} count={sum(openStates)} onClick={() => toggle('open')}>
        In progress
      </Chip>
      <Chip pressed={state === 'waiting'} count={sum(['waiting'])} onClick={() => toggle('waiting')}>
        Waiting for approval
      </Chip>
      <Chip pressed={state === 'settled'} count={sum(settledStates)} onClick={() => toggle('settled')}>
        Finished
      </Chip>
      <MenuButton
        variant="chip"
        pressed={isSingle(state) && state !== 'waiting'}
        items={stateItems(state, counts, onChange)}
      >
        {isSingle(state) && state !== 'waiting' ? rolloutAppearance[state].word : 'State'}
      </MenuButton>
      <Choice
        label="Namespace"
        any="All namespaces"
        terse
        value={namespace}
        options={namespaces.map((value) => ({ value, label: value }))}
        onChange={(value) => onChange({ namespace: value })}
      />
      <Choice
        label="System"
        any="All systems"
        terse
        value={system}
        options={systems.map((value) => ({ value, label: systemName(value) }))}
        onChange={(value) => onChange({ system: value })}
      />
    </FilterFrame>
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
      label: rolloutAppearance[each].word,
      hint: counts?.byState[each] ?? 0,
      checked: state === each,
      onSelect: () => onChange({ state: each }),
    })),
  ];
}
