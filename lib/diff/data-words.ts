import { type Change, type Concern } from '@/lib/diff/change';
import { type Step } from '@/lib/diff/path';
import { type Difference } from '@/lib/diff/walk';
import { fieldWords } from '@/lib/diff/words';

/** Members that everything stands in, so that they tell nothing. */
const FRAME: ReadonlySet<string> = new Set(['data', 'spec', 'template']);

/** What a member is about, by names that most APIs use alike. */
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
 * How a change is told of which nobody knows what it does: where it is, in the words of its own members. "role prefill
 * replicas", "preset name".
 */
export function describeData({
  steps,
}: Pick<Difference, 'steps'>): Pick<Change, 'label' | 'concern' | 'risk'> {
  const words = steps.filter(({ kind, name }) => kind !== 'field' || !FRAME.has(name));
  const entry = words.findLastIndex(({ kind }) => kind === 'entry');
  // An entry says which one it is; without one two members are needed to tell what is meant.
  const shown =
    entry < 0
      ? words.slice(-2)
      : [...words.slice(Math.max(0, entry - 1), entry + 1), ...words.slice(entry + 1).slice(-2)];
  const concern = steps.map(({ name }) => CONCERNS[name]).find((found) => found !== undefined);
  return {
    label: shown.map((step, index) => wordOf(step, shown[index + 1])).join(' ') || 'all of it',
    concern: concern ?? 'other',
    risk: null,
  };
}

/** "role prefill": a list is called by what one of it is. */
function wordOf({ kind, name }: Step, next: Step | undefined): string {
  if (kind !== 'field') return name;
  const words = fieldWords(name);
  return next?.kind === 'entry' ? words.replace(/ies$/, 'y').replace(/(?<=[^s])s$/, '') : words;
}
