import 'server-only';
import { hash } from 'node:crypto';
import { type RolloutItem, type RolloutPodItem } from '@/lib/api/rollouts';
import {
  type ReleaseRevision,
  type Rollout,
  type RolloutAction,
  type RolloutPod,
} from '@/lib/rollout/rollout';
import { type Cluster } from '@/server/cluster/cluster';
import { withKeptJson } from '@/server/kept-json';
import { type Keys } from '@/server/keys';
import { maskText } from '@/server/mask';
import { maskTraffic } from '@/server/reads/mask-traffic';
import { sidesOfRollout } from '@/server/reads/rollout-sides';
import { type RolloutRefusals } from '@/server/reads/rollout-refusals';
import { type RolloutView } from '@/server/reads/rollout-view';
import { lastTemplateWrite } from '@/server/reads/view';
import { type Summaries } from '@/server/reads/summaries';

/** What the viewer may see beside the rollout itself, and may not do to it. */
export interface RolloutRights {
  /** Of the objects that carry the workload's revisions. */
  mayTemplates: boolean;
  mayPods: boolean;
  refusals: RolloutRefusals;
}

/** Clocks of two machines differ a little. */
const LEEWAY_MS = 2_000;
/** A controller takes a release up within moments of the write that asks for it. */
const TAKEN_UP_WITHIN_MS = 60_000;

interface Parts {
  cluster: Cluster;
  keys: Keys;
  summaries: Summaries;
}

/** Made of a view so far: many ask for the same, and a view never changes. */
const made = new WeakMap<RolloutView, Map<string, RolloutItem>>();

/** A rollout as an answer holds it: masked, cut to `podsMax` pods, and without what the viewer may not see. */
export async function rolloutItem(
  parts: Parts,
  view: RolloutView,
  rights: RolloutRights,
  podsMax: number,
): Promise<RolloutItem> {
  const items = made.get(view) ?? new Map<string, RolloutItem>();
  const key = JSON.stringify([parts.cluster.identity.id, rights, podsMax]);
  const known = items.get(key);
  if (known !== undefined) return known;
  const summary = rights.mayTemplates ? await summaryOf(parts.cluster, parts.summaries, view) : null;
  const item = withKeptJson(makeItem(parts, view, rights, { podsMax, summary }));
  items.set(key, item);
  made.set(view, items);
  return item;
}

function makeItem(
  { cluster, keys }: Parts,
  view: RolloutView,
  { mayTemplates, mayPods, refusals }: RolloutRights,
  { podsMax, summary }: { podsMax: number; summary: string | null },
): RolloutItem {
  const { rollout } = view;
  const budget = { left: mayPods ? podsMax : 0 };
  const { stable, updated } = rollout.revisions;
  const { unassignedPods, comparison: _, plan, sources, ...rest } = rollout;
  return {
    ...rest,
    ...(plan !== undefined && { plan: [...plan] }),
    ...(sources !== undefined && { sources: [...sources] }),
    cluster: cluster.identity.id,
    release: { ...rollout.release, writer: starterOf(view) },
    reported: {
      message: masked(rollout.reported.message, keys),
      stepState: rollout.reported.stepState,
      conditions: rollout.reported.conditions.map((condition) => ({
        ...condition,
        message: masked(condition.message, keys),
      })),
    },
    revisions: {
      stable: revisionOf(stable, mayTemplates),
      updated: revisionOf(updated, mayTemplates),
      summary,
      compare: mayTemplates ? comparisonOf(rollout) : null,
    },
    steps: rollout.steps.map(({ pods, traffic, ...step }) => ({
      ...step,
      traffic: {
        planned: maskTraffic(traffic.planned, keys),
        actual: maskTraffic(traffic.actual, keys),
        evidence: traffic.evidence,
      },
      podCount: pods.length,
      pods: take(pods, budget),
    })),
    unassignedPods: take(unassignedPods, budget),
    unassignedPodCount: unassignedPods.length,
    auxiliaries: [...rollout.auxiliaries],
    routes: [...rollout.routes],
    beside: rollout.beside.map((entry) => ({ ...entry, message: masked(entry.message, keys) })),
    notes: [...rollout.notes],
    actions: rollout.actions.map((action) => actionOf(action, refusals[action.name])),
    seen: seenOf(cluster, keys, view),
  };
}

/**
 * Who wrote the template as the release began. Whoever writes again moves the time on; then nothing is proven, and an
 * approval or a label must not make somebody the one who began it.
 */
function starterOf({ rollout, input }: RolloutView): RolloutItem['release']['writer'] {
  const { startedAt } = rollout.release;
  if (startedAt === null || input.workload.state !== 'found') return null;
  const { workload } = input.workload.facts;
  const write = lastTemplateWrite(workload);
  if (write?.time == null) return null;
  // Of two within one second either may have been the later one.
  if (workload.writes.some((other) => other !== write && other.template && other.time === write.time))
    return null;
  const lateMs = Date.parse(startedAt) - Date.parse(write.time);
  if (lateMs < -LEEWAY_MS || lateMs > TAKEN_UP_WITHIN_MS) return null;
  return { manager: write.manager, operation: write.operation, time: write.time };
}

/** Stands for everything that an action on the rollout depends on. */
export function seenOf(
  { identity }: Pick<Cluster, 'identity'>,
  keys: Keys,
  { system, input }: Pick<RolloutView, 'system' | 'input'>,
): string {
  return keys.seen(identity.id, input.object.uid, hash('sha256', system.seenText(input), 'base64url'));
}

/** What the state forbids is said before what the viewer may not. */
function actionOf(action: RolloutAction, refusal: string | undefined): RolloutItem['actions'][number] {
  if (action.allowed && refusal !== undefined)
    return { name: action.name, allowed: false, reason: refusal, consequence: null, steps: null };
  return { ...action, steps: action.steps === null ? null : [...action.steps] };
}

function take(pods: readonly RolloutPod[], budget: { left: number }): RolloutPodItem[] {
  const taken = pods.slice(0, budget.left);
  budget.left -= taken.length;
  return taken;
}

function revisionOf(
  revision: ReleaseRevision | null,
  mayTemplates: boolean,
): RolloutItem['revisions']['stable'] {
  if (revision === null) return null;
  return { ...revision, images: mayTemplates ? [...revision.images] : [] };
}

/** As the diff of the workload takes them. */
function comparisonOf({
  comparison,
  revisions: { stable, updated },
}: Rollout): RolloutItem['revisions']['compare'] {
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
  summaries: Summaries,
  view: RolloutView,
): Promise<string | null> {
  const sides = sidesOfRollout(view);
  if (sides === null || sides.before === sides.after) return null;
  return (await summaries.between(cache, sides.before, sides.after))?.text ?? null;
}

function masked(text: string | null, keys: Keys): string | null {
  return text === null ? null : maskText(text, keys);
}
