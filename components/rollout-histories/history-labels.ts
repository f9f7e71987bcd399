import { type GlyphName } from '@/components/ui/glyph';
import { type RolloutHistoryItem } from '@/lib/api/rollout-histories';

interface Appearance {
  word: string;
  glyph: GlyphName;
  color: string;
}

/** Label and appearance of a state of such a record. */
export const stateAppearance: Readonly<Record<RolloutHistoryItem['state'], Appearance>> = {
  completed: { word: 'Completed', glyph: 'complete', color: 'text-complete' },
  running: { word: 'Under way', glyph: 'restart', color: 'text-rolling' },
  neverCompleted: { word: 'Never completed', glyph: 'failed', color: 'text-degraded' },
  unknown: { word: 'Unknown', glyph: 'unknown', color: 'text-unknown' },
};

type FindingCode = RolloutHistoryItem['findings'][number]['code'];

const findingLabels: Readonly<Record<FindingCode, string>> = {
  ghost: 'ghost',
  pendingDead: 'left pending',
  duplicate: 'duplicate',
  reusedId: 're-used id',
  rollback: 'rollback',
  withoutPods: 'without pods',
  withoutRoute: 'without route',
  unknownPhase: 'unknown phase',
  rolloutGone: 'Rollout gone',
  idMismatch: 'ids differ',
  planChanged: 'plan changed',
  unlabelled: 'without labels',
  shiplog: 'by Shiplog',
};

/** A finding in a word or two. */
export function findingLabel(code: FindingCode): string {
  return findingLabels[code];
}

type Source = NonNullable<RolloutHistoryItem['releaseId']>['source'];

const sourceLabels: Readonly<Record<Source, string>> = {
  rolloutHistory: 'says the record itself',
  labels: 'from its labels',
  managedFields: 'from its managedFields',
  rollout: 'from the Rollout of its name',
  revisions: 'by comparing templates',
  record: 'from Shiplog’s record',
};

/** The source of a fact. */
export function sourceLabel(source: Source): string {
  return sourceLabels[source];
}

/** "3 pods": those of all steps together. */
export function podsText({ steps }: Pick<RolloutHistoryItem, 'steps'>): string {
  const count = steps.reduce((sum, { podCount }) => sum + podCount, 0);
  return `${count.toLocaleString('en')} ${count === 1 ? 'pod' : 'pods'}`;
}
