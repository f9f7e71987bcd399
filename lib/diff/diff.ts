import { type Change, type ChangeKind, type Concern, type Noise, type TemplateDiff } from '@/lib/diff/change';
import { rankOfPart } from '@/lib/diff/application-words';
import { describeDifference, ofRole } from '@/lib/diff/describe';
import { findNoise } from '@/lib/diff/noise';
import { normaliseTemplate, withoutRecordMarks } from '@/lib/diff/normalise';
import { isRestartOnly, summarise } from '@/lib/diff/summary';
import { findDifferences } from '@/lib/diff/walk';
import { plural } from '@/lib/diff/words';
import { isApplicationBody } from '@/lib/kube/application-body';
import { deepEqual, isJsonObject, type JsonObject, memberOf } from '@/lib/kube/json';
import { isRecordedData } from '@/lib/kube/recorded-data';
import { isGroupTemplate, templateParts } from '@/lib/kube/template-parts';
import { atOnce, type InPieces, isLarge } from '@/lib/pieces';

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

/** So many differences are put into words in one piece. */
const WORDED_IN_A_PIECE = 500;

/**
 * What differs between two pod templates (`spec.template` of a workload, or what a revision recorded), in the terms of
 * the workload. Neither is changed. Both verdicts are told, since controllers differ in how they compare.
 */
export function diffTemplates(before: JsonObject, after: JsonObject): TemplateDiff {
  return atOnce(diffInPieces(before, after));
}

/** The same, in pieces: two templates of an object's full size take several times what a server may be busy with at once. */
export function* diffInPieces(before: JsonObject, after: JsonObject): InPieces<TemplateDiff> {
  const [storedBefore, storedAfter] = [withoutRecordMarks(before), withoutRecordMarks(after)];
  if (deepEqual(storedBefore, storedAfter)) return noDiff();
  const isLong = isLarge(before, after);
  const normalisedBefore = normaliseTemplate(before);
  if (isLong) yield;
  const normalised = { before: normalisedBefore, after: normaliseTemplate(after) };
  if (isLong) yield;
  const found = findDifferences(normalised.before, normalised.after);
  if (found.isTooLarge) return tooLarge(found.count);
  const options = {
    namesRoles: hasRoles(before) || hasRoles(after),
    isApplication: isApplicationBody(after),
  };
  const told: Change[] = [];
  for (const [index, difference] of found.list.entries()) {
    if (index % WORDED_IN_A_PIECE === WORDED_IN_A_PIECE - 1) yield;
    told.push(describeDifference(difference, options));
  }
  if (isLong) yield;
  const noise = findNoise(storedBefore, storedAfter, normalised);
  if (isLong) yield;
  const changes = sortChanges(told, before, after);
  const equal = changes.length === 0;
  return {
    equal,
    rawEqual: false,
    summary: summarise(changes, before, after),
    changes,
    tooLarge: null,
    restartOnly: isRestartOnly(changes),
    noise,
    explanation: equal ? explain(noise, after) : null,
  };
}

function noDiff(): TemplateDiff {
  return {
    equal: true,
    rawEqual: true,
    summary: 'no change',
    changes: [],
    tooLarge: null,
    restartOnly: false,
    noise: [],
    explanation: null,
  };
}

function tooLarge(count: number): TemplateDiff {
  const summary = `too large to compare: ${count.toLocaleString('en-US')} changes`;
  return { ...noDiff(), equal: false, rawEqual: false, summary, tooLarge: count };
}

/** Container by container as they stand in the pod, then the pod itself; within each by concern. */
function sortChanges(changes: readonly Change[], before: JsonObject, after: JsonObject): Change[] {
  const places = new Map<string | null, number>();
  for (const name of [...containerNames(after), ...containerNames(before)]) {
    if (name !== undefined && !places.has(name)) places.set(name, places.size);
  }
  const place = ({ container }: Change): number =>
    container === null ? places.size : (places.get(container) ?? -1);
  return [...changes].sort(
    (a, b) =>
      rankOfPart(a.containerKind) - rankOfPart(b.containerKind) ||
      place(a) - place(b) ||
      CONCERNS.indexOf(a.concern) - CONCERNS.indexOf(b.concern) ||
      KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind),
  );
}

function hasRoles(template: JsonObject): boolean {
  return templateParts(template).length > 1;
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
  return templateParts(template).flatMap(({ role, template: { spec } }) => {
    const { containers, initContainers, ephemeralContainers } = isJsonObject(spec) ? spec : {};
    return [containers, initContainers, ephemeralContainers].flatMap((list) =>
      Array.isArray(list)
        ? list.map((container) => {
            const name = isJsonObject(container) ? container.name : undefined;
            return typeof name === 'string' ? ofRole(role, name) : undefined;
          })
        : [],
    );
  });
}

/** Why nothing differs and yet the stored bytes do. */
function explain(noise: readonly Noise[], after: JsonObject): string {
  const reasons = [...new Set(noise.map((entry) => entry.reason))];
  const named = reasons.slice(0, NOISE_NAMED_MAX).join(', ');
  const rest =
    reasons.length > NOISE_NAMED_MAX ? ` and ${plural(reasons.length - NOISE_NAMED_MAX, 'other')}` : '';
  return `No effective change, only defaults and spellings: ${named}${rest}. ${controllersView(after)}`;
}

function controllersView(template: JsonObject): string {
  if (isRecordedData(template)) return 'How its controller compares them is not known.';
  if (isApplicationBody(template)) return 'KubeVela compares what was stored, and made a revision for this.';
  if (isGroupTemplate(template)) {
    return 'Releases of LeaderWorkerSet before 0.9 compare what was stored, so groups may have been replaced for this.';
  }
  return (
    'A Deployment takes the two for one revision; a StatefulSet or DaemonSet compares what was stored, ' +
    'so it may have replaced pods for this.'
  );
}
