import 'server-only';
import type { RolloutRecord } from '@/lib/api/record';
import type { RecordPart } from '@/lib/api/record-values';
import type { ListedRecord } from '@/server/archive/records';
import { canAt, canReadTemplates, type RecordScopeOf } from '@/server/views/archive-access';
import type { Fleet, RecordPlace } from '@/server/views/fleet';
import { can } from '@/server/views/rights';

export interface ShownRecord extends ListedRecord {
  hidden: readonly RecordPart[];
}

const core = (plural: string) => ({ group: '', plural });

/**
 * Decides which parts of records are hidden from the viewer: those that the pages of the workload would not show either.
 * One check for each cluster, resource and namespace.
 */
function hiddenParts({
  placeOf,
}: Pick<Fleet, 'placeOf'>): (workload: RecordScopeOf) => Promise<readonly RecordPart[]> {
  const answers = new Map<string, Promise<readonly RecordPart[]>>();
  return (workload) => {
    const key = `${workload.cluster} ${workload.resource} ${workload.namespace}`;
    const known = answers.get(key);
    if (known !== undefined) return known;
    const hidden = placeOf(workload.cluster).then((place) => hiddenIn(place, workload));
    answers.set(key, hidden);
    return hidden;
  };
}

async function hiddenIn(place: RecordPlace, workload: RecordScopeOf): Promise<readonly RecordPart[]> {
  const mayList = (plural: string) =>
    canAt(place, (cluster, viewer) => can(cluster, viewer, 'list', core(plural), workload.namespace));
  const [pods, events, templates] = await Promise.all([
    mayList('pods'),
    mayList('events'),
    canReadTemplates(place, workload),
  ]);
  return [
    ...(pods ? [] : (['pods'] as const)),
    ...(events ? [] : (['events'] as const)),
    ...(templates ? [] : (['templates'] as const)),
  ];
}

/** These records without the parts that are hidden from the viewer, and which those are. */
export function shownRecords(
  fleet: Pick<Fleet, 'placeOf'>,
  listed: readonly ListedRecord[],
): Promise<ShownRecord[]> {
  const hiddenOf = hiddenParts(fleet);
  return Promise.all(listed.map((one) => shownWith(hiddenOf, one)));
}

/** One of them, as {@link shownRecords}. */
export function shownRecord(fleet: Pick<Fleet, 'placeOf'>, listed: ListedRecord): Promise<ShownRecord> {
  return shownWith(hiddenParts(fleet), listed);
}

async function shownWith(
  hiddenOf: ReturnType<typeof hiddenParts>,
  listed: ListedRecord,
): Promise<ShownRecord> {
  const hidden = await hiddenOf(listed.record.workload);
  return { ...listed, record: withoutParts(listed.record, hidden), hidden };
}

/** The record without these parts; pods that are left out are counted. */
function withoutParts(record: RolloutRecord, hidden: readonly RecordPart[]): RolloutRecord {
  if (hidden.length === 0) return record;
  return {
    ...record,
    ...(hidden.includes('pods') && {
      steps: record.steps.map(stepWithoutPods),
      progressiveRollout: record.progressiveRollout && {
        ...record.progressiveRollout,
        unassigned: [],
        unlistedUnassigned: [],
        moreUnassigned:
          record.progressiveRollout.unassigned.length + (record.progressiveRollout.moreUnassigned ?? 0),
      },
    }),
    ...(hidden.includes('events') && { events: [] }),
    // The sentence of that moment may quote either, and can't be derived again.
    spans: quotes(hidden) ? record.spans.map((span) => ({ ...span, reason: HIDDEN_REASON })) : record.spans,
    ...(hidden.includes('templates') && { summary: '', images: [] }),
  };
}

const HIDDEN_REASON =
  'The reason is not shown: it may quote pods or events, which you are not allowed to list.';

function quotes(hidden: readonly RecordPart[]): boolean {
  return hidden.includes('pods') || hidden.includes('events');
}

function stepWithoutPods(step: RolloutRecord['steps'][number]): RolloutRecord['steps'][number] {
  return {
    ...step,
    pods: [],
    unlisted: [],
    more: step.pods.length + (step.more ?? 0),
    removed: [],
    moreRemoved: step.removed.length + (step.moreRemoved ?? 0),
  };
}
