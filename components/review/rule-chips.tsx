'use client';

import { Chip, ChipRow, ClearFilters } from '@/components/ui/chip';
import { MenuButton } from '@/components/ui/menu-button';
import type { MenuEntry } from '@/components/ui/menu-entry';
import type { RuleChange } from '@/components/review/review-address';
import type { ReviewQueue, ReviewRules } from '@/lib/api/review-queue';
import { formatAge } from '@/lib/format/duration';
import { capitalize } from '@/lib/format/text';

/** The filters of the queue. The address holds them. */
export function RuleChips({
  queue,
  isChanged,
  onChange,
}: {
  queue: Pick<ReviewQueue, 'rules' | 'namespaces' | 'teamLabel'>;
  /** Whether the address differs from the operator's defaults. */
  isChanged: boolean;
  onChange: (change: RuleChange) => void;
}) {
  const { rules, namespaces, teamLabel } = queue;
  return (
    <ChipRow label="Filters of the queue" className="pb-2">
      <Chip
        pressed={rules.only === 'failed'}
        title="Failed, rolled back or later reverted"
        onClick={() => onChange({ only: rules.only === 'failed' ? 'all' : 'failed' })}
      >
        Failed
      </Chip>
      <Chip
        pressed={rules.only === 'rollbacks'}
        title="Rolled back or later reverted"
        onClick={() => onChange({ only: rules.only === 'rollbacks' ? 'all' : 'rollbacks' })}
      >
        Rollbacks
      </Chip>
      <MenuButton variant="chip" pressed={isNarrow(rules)} items={itemsOf(rules, namespaces, onChange)}>
        {formatRules(rules)}
      </MenuButton>
      {rules.teams.map((team) => (
        <Chip
          key={team}
          pressed
          glyph="close"
          aria-label={`${team}: remove filter ${teamLabel}`}
          onClick={() => onChange({ team: rules.teams.filter((other) => other !== team).join(',') })}
        >
          {team}
        </Chip>
      ))}
      {isChanged && (
        <ClearFilters
          onClear={() => onChange({ namespace: null, team: null, only: null, restarts: null, age: null })}
        />
      )}
    </ChipRow>
  );
}

const ages = [
  { value: '0', label: 'Immediately', ms: 0 },
  { value: '1h', label: '1 h after completion', ms: 3_600_000 },
  { value: '1d', label: '1 day after completion', ms: 86_400_000 },
];

function itemsOf(
  { namespaces: chosen, restarts, minAgeMs }: ReviewRules,
  available: readonly string[],
  onChange: (change: RuleChange) => void,
): MenuEntry[] {
  const names = [...new Set([...chosen, ...available])].sort();
  return [
    { heading: 'Namespaces' },
    { label: 'All', checked: chosen.length === 0, onSelect: () => onChange({ namespace: '' }) },
    ...names.map((name) => {
      const isOn = chosen.includes(name);
      const next = isOn ? chosen.filter((other) => other !== name) : [...chosen, name];
      return { label: name, checked: isOn, onSelect: () => onChange({ namespace: next.join(',') }) };
    }),
    'separator',
    {
      label: 'Include completed restarts',
      checked: restarts,
      onSelect: () => onChange({ restarts: restarts ? '0' : '1' }),
    },
    { heading: 'Review' },
    ...ages.map(({ value, label, ms }) => ({
      label,
      checked: minAgeMs === ms,
      onSelect: () => onChange({ age: value }),
    })),
  ];
}

function isNarrow({ namespaces, restarts, minAgeMs }: ReviewRules): boolean {
  return namespaces.length > 0 || restarts || minAgeMs > 0;
}

function formatRules({ namespaces, restarts, minAgeMs }: ReviewRules): string {
  const names = namespaces.length > 2 ? `${namespaces.length} namespaces` : namespaces.join(', ');
  const others = [
    restarts ? 'with restarts' : '',
    minAgeMs > 0 ? `${formatAge(minAgeMs)} after completion` : '',
  ].filter((part) => part !== '');
  if (names === '') return others.length === 0 ? 'Filters' : capitalize(others.join(', '));
  return [names, ...others].join(', ');
}
