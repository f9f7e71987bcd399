import { type Change } from '@/lib/diff/change';
import { type Concern } from '@/lib/api/diff-values';
import { type Difference } from '@/lib/diff/walk';
import { stepText } from '@/lib/diff/field-text';

/** Members that contain everything, so that their names add no information. */
const CONTAINER_MEMBERS: ReadonlySet<string> = new Set(['data', 'spec', 'template']);

/** The concern of a member, by names that most APIs share. */
const CONCERNS: Readonly<Record<string, Concern>> = {
  image: 'image',
  images: 'image',
  env: 'env',
  resources: 'resources',
  replicas: 'resources',
  volumes: 'volumes',
  volumeClaimTemplates: 'volumes',
  storage: 'volumes',
  affinity: 'scheduling',
  tolerations: 'scheduling',
  nodeSelector: 'scheduling',
  labels: 'metadata',
  annotations: 'metadata',
};

/**
 * Describes a change with unknown effects: its place, by its own member names. "role prefill replicas",
 * "preset name".
 */
export function describeData({
  steps,
}: Pick<Difference, 'steps'>): Pick<Change, 'label' | 'concern' | 'risk'> {
  const terms = steps.filter(({ kind, name }) => kind !== 'field' || !CONTAINER_MEMBERS.has(name));
  const entry = terms.findLastIndex(({ kind }) => kind === 'entry');
  // An entry has a name; without one two members are needed to identify the place.
  const shown =
    entry < 0
      ? terms.slice(-2)
      : [...terms.slice(Math.max(0, entry - 1), entry + 1), ...terms.slice(entry + 1).slice(-2)];
  const concern = steps.map(({ name }) => CONCERNS[name]).find((found) => found !== undefined);
  return {
    label: shown.map((step, index) => stepText(step, shown[index + 1])).join(' ') || 'all of it',
    concern: concern ?? 'other',
    risk: null,
  };
}
