import { type Change } from '@/lib/diff/change';
import { type Risk } from '@/lib/api/diff';
import { type Concern } from '@/lib/api/diff-values';
import { type Difference } from '@/lib/diff/walk';
import { fieldLabel } from '@/lib/diff/field-text';
import { shortImage } from '@/lib/kube/image';
import { type Json } from '@/lib/kube/json';
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

const REBUILDS: Risk = { code: 'groups_rebuilt', reason: 'every group is rebuilt in another size' };
const IMMUTABLE = 'a living object refuses this change';

const SETTINGS: Readonly<Record<string, Setting>> = {
  size: {
    label: 'group size',
    concern: 'resources',
    note: 'pods of a group, its leader among them',
    risk: REBUILDS,
  },
  restartPolicy: { label: 'restart policy of groups', concern: 'other', note: null },
  subGroupPolicy: { label: 'sub-group policy', concern: 'scheduling', note: IMMUTABLE },
  subGroupSize: { label: 'sub-group size', concern: 'scheduling', note: IMMUTABLE },
  subGroupPolicyType: {
    label: 'sub-group type',
    concern: 'scheduling',
    note: 'whether the leader belongs to a sub-group',
  },
  networkConfig: { label: 'network', concern: 'other', note: null },
  subdomainPolicy: {
    label: 'subdomain policy',
    concern: 'other',
    note: 'decides under which names pods find each other: one Service for all groups, or one for each',
  },
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
        ? 'leaders ran the template of the workers before'
        : 'leaders run the template of the workers from now on',
  };
}

function imagesIn(template: Json): string {
  const images = objectsAt(template, 'spec', 'containers').map((container) =>
    shortImage(textAt(container, 'image') ?? ''),
  );
  return images.length === 0 ? 'a template of its own' : images.join(', ');
}

function describeClaimTemplate(steps: Difference['steps']): ChangeText {
  const name = steps.find(({ kind }) => kind === 'entry')?.name ?? '';
  const last = steps.at(-1);
  const detail = last === undefined || last.kind === 'entry' ? '' : ` ${fieldLabel(last.name)}`;
  return {
    label: `claim template ${name}${detail}`.trim(),
    concern: 'volumes',
    note: 'the StatefulSets of a living object refuse this change, and the rollout stands still',
  };
}
