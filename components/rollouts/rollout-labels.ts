import type { GlyphName } from '@/components/ui/glyph';
import type { RolloutItem, RolloutRevision, RolloutStepItem } from '@/lib/api/rollouts';
import { imageVersion } from '@/lib/kube/image';
import type { Traffic } from '@/lib/api/rollout-fields';
import type { RolloutState, StepState } from '@/lib/api/rollout-values';

export interface Appearance {
  word: string;
  glyph: GlyphName;
  color: string;
}

/** Label and appearance of a state. `progressing` and `waiting` are drawn as rings where there is room. */
export const rolloutAppearance: Readonly<Record<RolloutState, Appearance>> = {
  idle: { word: 'No rollout yet', glyph: 'minus', color: 'text-ink-3' },
  starting: { word: 'Starting', glyph: 'restart', color: 'text-rolling' },
  progressing: { word: 'In progress', glyph: 'restart', color: 'text-rolling' },
  waiting: { word: 'Waiting for approval', glyph: 'waiting', color: 'text-held' },
  paused: { word: 'Paused', glyph: 'paused', color: 'text-paused' },
  stalled: { word: 'Stalled', glyph: 'stuck', color: 'text-stuck' },
  completing: { word: 'Completing', glyph: 'restart', color: 'text-rolling' },
  completed: { word: 'Completed', glyph: 'complete', color: 'text-complete' },
  rollingBack: { word: 'Rolling back', glyph: 'back', color: 'text-back' },
  rolledBack: { word: 'Rolled back', glyph: 'back', color: 'text-back' },
  failed: { word: 'Failed', glyph: 'failed', color: 'text-stuck' },
  disabling: { word: 'Being disabled', glyph: 'minus', color: 'text-paused' },
  disabled: { word: 'Disabled', glyph: 'minus', color: 'text-paused' },
  terminating: { word: 'Being deleted', glyph: 'trash', color: 'text-degraded' },
  missing: { word: 'Workload missing', glyph: 'degraded', color: 'text-degraded' },
  unknown: { word: 'Unknown', glyph: 'unknown', color: 'text-unknown' },
};

export const stepAppearance: Readonly<Record<StepState, Appearance>> = {
  planned: { word: 'Pending', glyph: 'minus', color: 'text-ink-3' },
  starting: { word: 'Starting', glyph: 'restart', color: 'text-rolling' },
  upgrading: { word: 'Updating pods', glyph: 'restart', color: 'text-rolling' },
  routing: { word: 'Routing traffic', glyph: 'restart', color: 'text-rolling' },
  analysing: { word: 'Analysis running', glyph: 'restart', color: 'text-rolling' },
  waiting: { word: 'Waiting', glyph: 'waiting', color: 'text-held' },
  pausing: { word: 'Timed pause', glyph: 'waiting', color: 'text-held' },
  approved: { word: 'Approved', glyph: 'check', color: 'text-complete' },
  done: { word: 'Done', glyph: 'complete', color: 'text-complete' },
  skipped: { word: 'Skipped', glyph: 'superseded', color: 'text-ink-3' },
  abandoned: { word: 'Stopped', glyph: 'back', color: 'text-back' },
  failed: { word: 'Failed', glyph: 'failed', color: 'text-stuck' },
  unknown: { word: 'Unknown', glyph: 'unknown', color: 'text-unknown' },
};

/** States in which nothing changes by itself. */
export const settledStates = [
  'idle',
  'completed',
  'rolledBack',
  'disabled',
] as const satisfies readonly RolloutState[];

/** Whether the rollout was ever observed to move through steps that can be drawn. */
export function hasStarted({ step }: Pick<RolloutItem, 'step'>): boolean {
  return step.index > 0 && step.state !== 'planned';
}

const systems: Readonly<Record<string, { name: string; object: string }>> = {
  openkruise: { name: 'OpenKruise', object: 'OpenKruise Rollout' },
  argo: { name: 'Argo Rollouts', object: 'Argo Rollout' },
  flagger: { name: 'Flagger', object: 'Flagger Canary' },
  oam: { name: 'OAM', object: 'OAM Rollout' },
  'oam-approllout': { name: 'KubeVela', object: 'OAM AppRollout' },
  'oam-appdeployment': { name: 'KubeVela', object: 'OAM AppDeployment' },
  'oam-applicationdeployment': { name: 'KubeVela', object: 'OAM ApplicationDeployment' },
  'oam-rollouttrait': { name: 'KubeVela', object: 'OAM RolloutTrait' },
};

export function systemName(system: string): string {
  return systems[system]?.name ?? system;
}

/** `OpenKruise Rollout`: the name of its object's kind. */
export function systemObject(system: string): string {
  return systems[system]?.object ?? `${system} Rollout`;
}

/** Whether the pods of the new revision run alongside all stable ones instead of replacing them. */
export function runsAlongsideStable({
  style,
  replacesPods,
}: Pick<RolloutItem, 'style' | 'replacesPods'>): boolean {
  return replacesPods !== true && (style === 'canary' || style === 'blueGreen');
}

/** "88", or the system's own name of it where it has no number. */
export function revisionText(revision: RolloutRevision | null): string {
  if (revision === null) return 'unknown';
  if (revision.number !== null) return String(revision.number);
  if (revision.pending) return versionText(revision) ?? 'the new template';
  return revision.hash ?? revision.name ?? 'unknown';
}

/** "rev 88", or the result of {@link revisionText} for one without a number. */
export function revisionTag(revision: RolloutRevision | null): string {
  return revision?.number == null ? revisionText(revision) : `rev ${revision.number}`;
}

/** Version of the first image; null where it states none. */
function versionText(revision: RolloutRevision | null): string | null {
  return imageVersion(revision?.images[0]?.image ?? '') || null;
}

/** "20%", or "requests with header user-agent = beta". */
export function trafficText(traffic: Traffic): string {
  switch (traffic.kind) {
    case 'weight':
      return `${traffic.percent}%`;
    case 'matches':
      return `requests with ${traffic.rules.join(' or ')}`;
    default:
      return traffic satisfies never;
  }
}

/** How many pods the step adds to the previous one; null where that is unknown. */
export function addedPods(steps: readonly RolloutStepItem[], step: RolloutStepItem): number | null {
  const before = steps.find(({ index }) => index === step.index - 1);
  const planned = step.replicas.planned;
  if (planned === null || (before !== undefined && before.replicas.planned === null)) return null;
  return planned - (before?.replicas.planned ?? 0);
}

/** "1 pod", "12 pods". */
export function podCountText(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'pod' : 'pods'}`;
}
