import type { GlyphName } from '@/components/ui/glyph';
import type { RolloutHistoryItem } from '@/lib/api/rollout-histories';

interface Appearance {
  word: string;
  glyph: GlyphName;
  color: string;
}

/** Label and appearance of a state of such a record. */
export const stateAppearance: Readonly<Record<RolloutHistoryItem['state'], Appearance>> = {
  completed: { word: 'Completed', glyph: 'complete', color: 'text-complete' },
  running: { word: 'In progress', glyph: 'restart', color: 'text-rolling' },
  neverCompleted: { word: 'Never completed', glyph: 'failed', color: 'text-degraded' },
  unknown: { word: 'Unknown', glyph: 'unknown', color: 'text-unknown' },
};

type FindingCode = RolloutHistoryItem['findings'][number]['code'];

const findingLabels: Readonly<Record<FindingCode, string>> = {
  ghost: 'Stale',
  pendingDead: 'Never completed',
  duplicate: 'Duplicate ID',
  reusedId: 'Reused ID',
  rollback: 'Rollback',
  withoutPods: 'No pods recorded',
  withoutRoute: 'No route recorded',
  unknownPhase: 'Unknown phase',
  rolloutGone: 'Rollout deleted',
  idMismatch: 'ID mismatch',
  planChanged: 'Plan changed',
  unlabelled: 'Labels missing',
  shiplog: 'Written by Shiplog',
};

/** A finding in a word or two. */
export function findingLabel(code: FindingCode): string {
  return findingLabels[code];
}

type Source = NonNullable<RolloutHistoryItem['rolloutId']>['source'];

const sourceLabels: Readonly<Record<Source, string>> = {
  rolloutHistory: 'the object',
  labels: 'labels',
  managedFields: 'managedFields',
  rollout: 'Rollout with the same name',
  revisions: 'comparison of pod templates',
  record: 'Shiplog’s record',
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

/** Meanings for the legend, in the words that fit every object. */
export const findingMeanings: readonly (readonly [FindingCode, string])[] = [
  ['pendingDead', 'The rollout was rolled back or superseded, or OpenKruise failed to complete the object.'],
  ['ghost', 'Created by mistake with the ID of the previous rollout.'],
  ['rollback', 'Created during a rollback.'],
  ['duplicate', 'Another object has the same Rollout and ID.'],
  ['reusedId', 'A later rollout reused the ID without a new object.'],
  ['withoutPods', 'Completed, but without pods: canary pods are deleted before OpenKruise records them.'],
  ['withoutRoute', 'Completed, but without an Ingress or HTTPRoute.'],
  ['idMismatch', 'The IDs in label and content differ.'],
  ['planChanged', 'The number of recorded steps differs from the plan.'],
  ['rolloutGone', 'The Rollout was deleted.'],
  ['unknownPhase', 'OpenKruise has no such phase.'],
  ['unlabelled', 'The labels that OpenKruise sets are missing.'],
  ['shiplog', 'Written by Shiplog, not by OpenKruise.'],
];

/** Findings after which the content still describes its rollout correctly. */
const harmless: ReadonlySet<FindingCode> = new Set(['shiplog', 'rolloutGone']);

/** Whether the object says what happened in its rollout. */
export function usableLabel({
  state,
  findings,
}: Pick<RolloutHistoryItem, 'state' | 'findings'>): 'Yes' | 'Partly' | 'No' | 'Not yet' {
  if (state === 'running') return 'Not yet';
  if (state !== 'completed') return 'No';
  return findings.every(({ code }) => harmless.has(code)) ? 'Yes' : 'Partly';
}
