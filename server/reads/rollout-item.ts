import 'server-only';
import type { Answer } from '@/lib/api/common';
import type { RolloutAction, RolloutPod, RolloutRevision, Wait, rolloutItemSchema } from '@/lib/api/rollouts';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { Cluster } from '@/server/cluster/cluster';
import { withCachedJson } from '@/server/shared/response-cache';
import type { Keys } from '@/server/shared/keys';
import type { Masked } from '@/lib/masked';
import type { Mask } from '@/server/shared/mask';
import { maskedWriter } from '@/server/shared/masked-actor';
import { maskedTraffic } from '@/server/shared/masked-traffic';
import { refusalIn, type RolloutRefusals } from '@/server/reads/rollout-refusals';
import { type RolloutView, sidesOfRollout } from '@/server/views/rollout-view';
import { rolloutPreconditionToken } from '@/server/views/precondition-token';
import { lastTemplateWrite } from '@/server/views/workload-view';
import type { ChangeSummaries } from '@/server/views/change-summaries';

/** What the viewer can see besides the rollout itself, and the actions that are not allowed. */
export interface RolloutRights {
  /** Of the objects that carry the workload's revisions. */
  mayTemplates: boolean;
  mayPods: boolean;
  refusals: RolloutRefusals;
}

/** Clocks of two machines differ a little. */
const LEEWAY_MS = 2_000;
/** A controller starts a rollout within moments of the write that triggers it. */
const START_WINDOW_MS = 60_000;

interface ItemContext {
  cluster: Cluster;
  keys: Keys;
  summaries: ChangeSummaries;
}

/** Per view: many requests read the same one, and a view never changes. */
const itemsByView = new WeakMap<RolloutView, Map<string, Answer<typeof rolloutItemSchema>>>();

/** A rollout as an answer contains it: masked, cut to `podsMax` pods, and without what the viewer can't see. */
export async function rolloutItem(
  context: ItemContext,
  view: RolloutView,
  rights: RolloutRights,
  podsMax: number,
): Promise<Answer<typeof rolloutItemSchema>> {
  const items = itemsByView.get(view) ?? new Map<string, Answer<typeof rolloutItemSchema>>();
  const key = JSON.stringify([context.cluster.identity.id, rights, podsMax]);
  const known = items.get(key);
  if (known !== undefined) return known;
  const summary = rights.mayTemplates ? await summaryOf(context.cluster, context.summaries, view) : null;
  const item = withCachedJson(buildItem(context, view, rights, { podsMax, summary }));
  items.set(key, item);
  itemsByView.set(view, items);
  return item;
}

function buildItem(
  { cluster, keys }: ItemContext,
  view: RolloutView,
  { mayTemplates, mayPods, refusals }: RolloutRights,
  { podsMax, summary }: { podsMax: number; summary: Masked<string> | null },
): Answer<typeof rolloutItemSchema> {
  const { rollout } = view;
  const { mask } = keys;
  const budget = { left: mayPods ? podsMax : 0 };
  const { stable, updated } = rollout.revisions;
  const { unassignedPods, comparison: _, messageWithoutPods = rollout.message, ...shown } = rollout;
  const rest: Omit<typeof shown, 'plan'> = shown;
  return {
    ...rest,
    message: mask.text(mayPods ? rollout.message : messageWithoutPods),
    waitsFor: maskedWait(rollout.waitsFor, mask),
    ...(shown.plan && { plan: shown.plan.map((sentence) => mask.text(sentence)) }),
    cluster: cluster.identity.id,
    run: { ...rollout.run, writer: writerAtStart(view, mask) },
    reported: {
      message: mask.text(rollout.reported.message),
      stepState: rollout.reported.stepState,
      conditions: rollout.reported.conditions.map((condition) => ({
        ...condition,
        message: mask.text(condition.message),
      })),
    },
    revisions: {
      stable: revisionOf(stable, mayTemplates, mask),
      updated: revisionOf(updated, mayTemplates, mask),
      summary,
      compare: mayTemplates ? comparisonOf(rollout) : null,
    },
    steps: rollout.steps.map(({ pods, traffic, ...step }) => ({
      ...step,
      does: mask.text(step.does),
      waitsFor: maskedWait(step.waitsFor, mask),
      traffic: {
        planned: maskedTraffic(traffic.planned, mask),
        actual: maskedTraffic(traffic.actual, mask),
        evidence: mask.text(traffic.evidence),
      },
      podCount: pods.length,
      pods: takePods(pods, budget),
    })),
    unassignedPods: takePods(unassignedPods, budget),
    unassignedPodCount: unassignedPods.length,
    relatedObjects: rollout.relatedObjects.map((entry) => ({ ...entry, message: mask.text(entry.message) })),
    notes: rollout.notes.map((note) => mask.text(note)),
    actions: rollout.actions.map((action) => actionOf(action, refusalIn(refusals, action.name), mask)),
    seen: rolloutPreconditionToken(cluster, keys, view),
  };
}

/**
 * Who wrote the template as the rollout began. A later write by the same manager moves its time; then nothing is
 * proven, and an approval or a label must not count as the start.
 */
function writerAtStart(
  { rollout, input }: RolloutView,
  mask: Mask,
): Answer<typeof rolloutItemSchema>['run']['writer'] {
  const { startedAt } = rollout.run;
  if (startedAt === null || input.workload.state !== 'found') return null;
  const { workload } = input.workload.facts;
  const write = lastTemplateWrite(workload);
  if (write?.time == null) return null;
  // Of two within one second either may have been the later one.
  if (workload.writes.some((other) => other !== write && other.template && other.time === write.time))
    return null;
  const lateMs = Date.parse(startedAt) - Date.parse(write.time);
  if (lateMs < -LEEWAY_MS || lateMs > START_WINDOW_MS) return null;
  return maskedWriter(write, mask);
}

/** A reason in the state precedes a missing right of the viewer. */
function actionOf(
  action: RolloutAction,
  refusal: string | null,
  mask: Mask,
): Answer<typeof rolloutItemSchema>['actions'][number] {
  if (action.allowed && refusal !== null)
    return { name: action.name, allowed: false, reason: mask.text(refusal), consequence: null, steps: null };
  return { ...action, reason: mask.text(action.reason), consequence: mask.text(action.consequence) };
}

/** It may quote what the controller said, and name what people named. */
function maskedWait(wait: Wait | null, mask: Mask): Answer<typeof rolloutItemSchema>['waitsFor'] {
  return wait === null ? null : { ...wait, text: mask.text(wait.text) };
}

function takePods(pods: readonly RolloutPod[], budget: { left: number }): readonly RolloutPod[] {
  const shownPods = pods.slice(0, budget.left);
  budget.left -= shownPods.length;
  return shownPods;
}

function revisionOf(
  revision: RolloutRevision | null,
  mayTemplates: boolean,
  mask: Mask,
): Answer<typeof rolloutItemSchema>['revisions']['stable'] {
  if (revision === null) return null;
  return { ...revision, images: mayTemplates ? mask.images(revision.images) : [] };
}

/** The refs of the workload's diff. */
function comparisonOf({
  comparison,
  revisions: { stable, updated },
}: ProgressiveRollout): Answer<typeof rolloutItemSchema>['revisions']['compare'] {
  if (comparison !== undefined) {
    if (comparison === null) return null;
    const { resource, name, from, to } = comparison;
    return { from, to, of: { resource, name } };
  }
  const to = updated === null ? null : updated.pending ? 'live' : updated.id;
  return stable?.id == null || to === null || to === stable.id ? null : { from: stable.id, to };
}

async function summaryOf(
  { cache }: Cluster,
  summaries: ChangeSummaries,
  view: RolloutView,
): Promise<Masked<string> | null> {
  const sides = sidesOfRollout(view);
  if (sides === null || sides.before === sides.after) return null;
  return (await summaries.between(cache, sides.before, sides.after))?.text ?? null;
}
