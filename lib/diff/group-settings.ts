import type { Change } from '@/lib/diff/change';
import type { Risk } from '@/lib/api/diff';
import type { Concern } from '@/lib/api/diff-values';
import type { Difference } from '@/lib/diff/walk';
import { fieldLabel } from '@/lib/diff/field-name-text';
import { shortImage } from '@/lib/kube/image';
import type { Json } from '@/lib/kube/json';
import { objectsAt, textAt } from '@/lib/kube/read';

type ChangeText = Pick<Change, 'label' | 'concern' | 'note'> &
  Partial<Pick<Change, 'beforeText' | 'afterText' | 'risk'>>;

/** The description of a member of the group's template besides its values. */
interface Setting {
  label: string;
  concern: Concern;
  note: string | null;
  risk?: Risk;
}

const REBUILDS: Risk = { code: 'groups_rebuilt', reason: 'every group is recreated with another size' };
const IMMUTABLE = 'immutable field';

// prettier-ignore
const SETTINGS: Readonly<Record<string, Setting>> = {
  size: { label: 'group size', concern: 'resources', note: 'pods per group, including the leader', risk: REBUILDS },
  restartPolicy: { label: 'restart policy of groups', concern: 'other', note: null },
  subGroupPolicy: { label: 'subgroup policy', concern: 'scheduling', note: IMMUTABLE },
  subGroupSize: { label: 'subgroup size', concern: 'scheduling', note: IMMUTABLE },
  subGroupPolicyType: { label: 'subgroup type', concern: 'scheduling', note: 'whether the leader is part of a subgroup' },
  networkConfig: { label: 'network', concern: 'other', note: null },
  subdomainPolicy: { label: 'subdomain policy', concern: 'other', note: 'decides the DNS names of pods: one Service for all groups, or one per group' },
  persistentVolumeClaimRetentionPolicy: { label: 'retention of claims', concern: 'volumes', note: null },
  whenDeleted: { label: 'retention of claims when deleted', concern: 'volumes', note: null },
  whenScaled: { label: 'retention of claims when scaled down', concern: 'volumes', note: null },
};

/** Describes a change that concerns groups and not the template of their pods. */
export function describeGroupSetting({ steps }: Pick<Difference, 'steps'>, change: Change): ChangeText {
  const fields = steps.filter(({ kind }) => kind === 'field').map(({ name }) => name);
  if (fields[1] === 'leaderTemplate') return describeLeaderTemplate(change);
  if (fields[1] === 'volumeClaimTemplates') return describeClaimTemplate(steps);
  const setting = SETTINGS[fields.at(-1) ?? ''];
  if (setting === undefined) return { ...change };
  return { ...setting, risk: setting.risk ?? null };
}

/** A leader without a template of its own is a worker with another role. */
function describeLeaderTemplate({ kind, before, after }: Change): ChangeText {
  const base = { label: 'leader template', concern: 'other' } as const;
  // A value of another type: no template, on one side at least.
  if (before !== undefined && after !== undefined) return { ...base, note: null };
  return {
    ...base,
    beforeText: before === undefined ? null : imagesIn(before),
    afterText: after === undefined ? null : imagesIn(after),
    note:
      kind === 'added'
        ? 'leaders used the worker template before'
        : 'leaders use the worker template from now on',
  };
}

function imagesIn(template: Json): string {
  const images = objectsAt(template, 'spec', 'containers').map((container) =>
    shortImage(textAt(container, 'image') ?? ''),
  );
  return images.length === 0 ? 'own template' : images.join(', ');
}

function describeClaimTemplate(steps: Difference['steps']): ChangeText {
  const name = steps.find(({ kind }) => kind === 'entry')?.name ?? '';
  const last = steps.at(-1);
  const detail = last === undefined || last.kind === 'entry' ? '' : ` ${fieldLabel(last.name)}`;
  return {
    label: `claim template ${name}${detail}`.trim(),
    concern: 'volumes',
    note: 'immutable in the StatefulSets of the groups: the rollout would stall',
  };
}
