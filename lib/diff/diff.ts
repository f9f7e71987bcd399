import type { Change, Noise, TemplateChanges, TemplateDiff } from '@/lib/diff/change';
import type { ChangeKind, Concern } from '@/lib/api/diff-values';
import { rankOfPart } from '@/lib/diff/application-text';
import { describeDifference, withRole } from '@/lib/diff/describe';
import { findNoise } from '@/lib/diff/noise';
import { normalizeTemplate, withoutRecordingMetadata } from '@/lib/diff/normalize';
import { isRestartOnly, summarizeChanges } from '@/lib/diff/summary';
import { findDifferences } from '@/lib/diff/walk';
import { isApplicationBody } from '@/lib/kube/application-body';
import { deepEqual, isJsonObject, type JsonObject, memberOf } from '@/lib/kube/json';
import { isRecordedData } from '@/lib/kube/recorded-data';
import { isGroupTemplate, podTemplatesOf } from '@/lib/kube/pod-templates';
import { type Sliced, exceedsSlice } from '@/lib/kube/slices';
import { formatCount } from '@/lib/format/text';
import type { Masked } from '@/lib/masked';

/** Order of the concerns on screen. */
const CONCERNS: readonly Concern[] = [
  'image',
  'env',
  'resources',
  'probes',
  'volumes',
  'security',
  'scheduling',
  'other',
  'metadata',
];

const KINDS: readonly ChangeKind[] = ['removed', 'added', 'changed', 'moved'];

/** How many differences without meaning an explanation names. */
const NOISE_NAMED_MAX = 3;

/** The number of differences described in one slice. */
const DESCRIBED_PER_SLICE = 500;

/**
 * What differs between two pod templates (`spec.template` of a workload, or what a revision recorded), in the
 * terms of the workload. Neither is changed. It includes both verdicts, since controllers differ in how they
 * compare. Sliced: two templates of maximum size take several times as long as a server may block.
 */
export function* diffInSlices(
  before: Masked<JsonObject>,
  after: Masked<JsonObject>,
): Sliced<TemplateDiff<string>> {
  const [storedBefore, storedAfter] = [withoutRecordingMetadata(before), withoutRecordingMetadata(after)];
  if (deepEqual(storedBefore, storedAfter)) return { ...noChanges, ...sameBytes };
  const normalized = yield* bothNormalized(before, after);
  const found = yield* changesInSlices(normalized.before, normalized.after);
  const equal = found.tooLarge === null && found.changes.length === 0;
  const noise = found.tooLarge === null ? findNoise(storedBefore, storedAfter, normalized) : [];
  return { ...found, equal, rawEqual: false, noise, explanation: equal ? explain(noise, after) : null };
}

function* bothNormalized<Template extends JsonObject>(
  before: Template,
  after: Template,
): Sliced<{ before: Template; after: Template }> {
  const isSliced = exceedsSlice(before, after);
  const normalizedBefore = normalizeTemplate(before);
  if (isSliced) yield;
  const normalizedAfter = normalizeTemplate(after);
  if (isSliced) yield;
  return { before: normalizedBefore, after: normalizedAfter };
}

/** The changes between two normalized templates alone, without a verdict on the bytes, and without the noise. */
export function* changesInSlices(
  before: Masked<JsonObject>,
  after: Masked<JsonObject>,
): Sliced<TemplateChanges<string>> {
  const isSliced = exceedsSlice(before, after);
  const found = findDifferences(before, after);
  if (found.isTooLarge) return tooLarge(found.count);
  const options = {
    namesRoles: hasRoles(before) || hasRoles(after),
    isApplication: isApplicationBody(after),
  };
  const described: Change[] = [];
  for (const [index, difference] of found.list.entries()) {
    if (index % DESCRIBED_PER_SLICE === DESCRIBED_PER_SLICE - 1) yield;
    described.push(describeDifference(difference, options));
  }
  if (isSliced) yield;
  const changes = sortChanges(described, before, after);
  const summary = summarizeChanges(changes, before, after);
  if (isSliced) yield;
  return { summary, changes, tooLarge: null, restartOnly: isRestartOnly(changes) };
}

/** Both verdicts alone, for templates as they are stored: nothing of them is shown. */
export function* compareInSlices(
  before: JsonObject,
  after: JsonObject,
): Sliced<Pick<TemplateDiff, 'equal' | 'rawEqual'>> {
  if (deepEqual(withoutRecordingMetadata(before), withoutRecordingMetadata(after)))
    return { equal: true, rawEqual: true };
  const normalized = yield* bothNormalized(before, after);
  return { equal: findDifferences(normalized.before, normalized.after).count === 0, rawEqual: false };
}

const noChanges = { summary: 'no change', changes: [], tooLarge: null, restartOnly: false };
const sameBytes = { equal: true, rawEqual: true, noise: [], explanation: null };

function tooLarge(count: number): TemplateChanges<string> {
  const summary = `too large to compare: ${count.toLocaleString('en-US')} changes`;
  return { ...noChanges, summary, tooLarge: count };
}

/** Container by container in the order of the pod, then the pod itself; within each by concern. */
function sortChanges(changes: readonly Change[], before: JsonObject, after: JsonObject): Change[] {
  const rankByContainer = new Map<string | null, number>();
  for (const name of [...containerNames(after), ...containerNames(before)]) {
    if (name !== undefined && !rankByContainer.has(name)) rankByContainer.set(name, rankByContainer.size);
  }
  const rankOf = ({ container }: Change): number =>
    container === null ? rankByContainer.size : (rankByContainer.get(container) ?? -1);
  return [...changes].sort(
    (a, b) =>
      rankOfPart(a.containerKind) - rankOfPart(b.containerKind) ||
      rankOf(a) - rankOf(b) ||
      CONCERNS.indexOf(a.concern) - CONCERNS.indexOf(b.concern) ||
      KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind),
  );
}

function hasRoles(template: JsonObject): boolean {
  return podTemplatesOf(template).length > 1;
}

function containerNames(template: JsonObject): (string | undefined)[] {
  if (isApplicationBody(template)) {
    const { components } = template.application;
    return Array.isArray(components)
      ? components.map((component) => {
          const name = memberOf(component, 'name');
          return typeof name === 'string' ? name : undefined;
        })
      : [];
  }
  return podTemplatesOf(template).flatMap(({ role, template: { spec } }) => {
    const { containers, initContainers, ephemeralContainers } = isJsonObject(spec) ? spec : {};
    return [containers, initContainers, ephemeralContainers].flatMap((list) =>
      Array.isArray(list)
        ? list.map((container) => {
            const name = isJsonObject(container) ? container.name : undefined;
            return typeof name === 'string' ? withRole(role, name) : undefined;
          })
        : [],
    );
  });
}

/** Why the stored bytes differ without a difference in meaning. */
function explain(noise: readonly Noise[], after: JsonObject): string {
  const reasons = [...new Set(noise.map((entry) => entry.reason))];
  const named = reasons.slice(0, NOISE_NAMED_MAX).join(', ');
  const rest =
    reasons.length > NOISE_NAMED_MAX ? ` and ${formatCount(reasons.length - NOISE_NAMED_MAX, 'other')}` : '';
  return `Only formatting differs: ${named}${rest}. ${howControllersCompare(after)}`;
}

function howControllersCompare(template: JsonObject): string {
  if (isRecordedData(template)) return 'How its controller compares templates is unknown.';
  if (isApplicationBody(template))
    return 'KubeVela compares stored content, so it created a revision for this.';
  if (isGroupTemplate(template)) {
    return 'LeaderWorkerSet before 0.9 compares stored content, so groups may have been replaced.';
  }
  return (
    'A Deployment treats both as one revision; a StatefulSet or DaemonSet compares stored content, ' +
    'so it may have replaced pods.'
  );
}
