import 'server-only';
import { type RolloutRecord } from '@/lib/api/record';
import { type RecordPart } from '@/lib/api/record-values';
import { type ListedRecord } from '@/server/archive/records';
import { canReadTemplates } from '@/server/reads/archive-access';
import { knownIdOf } from '@/server/reads/connected-cluster';
import { type Fleet, type ViewedCluster } from '@/server/reads/context';
import { can } from '@/server/reads/rights';

export interface ShownRecord extends ListedRecord {
  hidden: readonly RecordPart[];
}

type Place = Pick<RolloutRecord['workload'], 'cluster' | 'resource' | 'namespace'>;

const core = (plural: string) => ({ group: '', plural });

/**
 * Decides which parts of records are hidden from the viewer: those that the pages of the workload would not show either.
 * One check for each cluster, resource and namespace.
 */
function hiddenParts({
  clusters,
}: Pick<Fleet, 'clusters'>): (place: Place) => Promise<readonly RecordPart[]> {
  const byId = new Map(clusters.map((viewed) => [knownIdOf(viewed.context.cluster), viewed]));
  const answers = new Map<string, Promise<readonly RecordPart[]>>();
  return (place) => {
    const key = `${place.cluster} ${place.resource} ${place.namespace}`;
    const known = answers.get(key);
    if (known !== undefined) return known;
    const viewed = byId.get(place.cluster);
    // Who sees the records of a removed cluster at all sees all of them.
    const hidden = viewed === undefined ? Promise.resolve([]) : hiddenIn(viewed, place);
    answers.set(key, hidden);
    return hidden;
  };
}

async function hiddenIn(viewed: ViewedCluster, place: Place): Promise<readonly RecordPart[]> {
  const { context, viewer } = viewed;
  const mayList = (plural: string) => can(context.cluster, viewer, 'list', core(plural), place.namespace);
  const [pods, events, templates] = await Promise.all([
    mayList('pods'),
    mayList('events'),
    canReadTemplates(viewed, place),
  ]);
  return [
    ...(pods ? [] : (['pods'] as const)),
    ...(events ? [] : (['events'] as const)),
    ...(templates ? [] : (['templates'] as const)),
  ];
}

/** These records without the parts that are hidden from the viewer, and which those are. */
export function shownRecords(
  fleet: Pick<Fleet, 'clusters'>,
  listed: readonly ListedRecord[],
): Promise<ShownRecord[]> {
  const hiddenOf = hiddenParts(fleet);
  return Promise.all(listed.map((one) => shownWith(hiddenOf, one)));
}

/** One of them, as {@link shownRecords}. */
export function shownRecord(fleet: Pick<Fleet, 'clusters'>, listed: ListedRecord): Promise<ShownRecord> {
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
      release: record.release && {
        ...record.release,
        unassigned: [],
        unlistedUnassigned: [],
        moreUnassigned: record.release.unassigned.length + (record.release.moreUnassigned ?? 0),
      },
    }),
    ...(hidden.includes('events') && { events: [] }),
    ...(hidden.includes('templates') && { summary: '', images: [] }),
  };
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
