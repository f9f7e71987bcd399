import { compareTimes } from '@/lib/history/revision-order';
import type { RevisionSource, Workload } from '@/lib/history/workload';

/** The sources of a workload that it did not create. */
export interface Adoption {
  /** By uid of each, the numbers that it had before the workload controlled it, ascending. */
  before: ReadonlyMap<string, readonly number[]>;
  /** When the workload was created. */
  at: string;
  /** The last creation of such a source; empty where there is none. */
  lastCreatedAt: string;
}

/** Of a controller that creates all its sources. */
export const nothingAdopted: Adoption = { before: new Map(), at: '', lastCreatedAt: '' };

/**
 * How much older a source may seem than the workload that created it. Clocks of API servers differ: etcd warns from a
 * second on. Times are cut to whole seconds, which adds another.
 * https://github.com/etcd-io/etcd/blob/main/server/etcdserver/api/rafthttp/probing_status.go
 */
const CLOCK_DIFFERENCE_MAX_MS = 2_000;

/**
 * Sources that are older than their workload by more than clocks explain, or that another client created: an earlier
 * incarnation left them as orphans, or a backup restored them, and the controller adopted them. It numbers upward, so
 * what has a number below those of the workload's own sources got it before, as did what another client numbered.
 * `keepsFormerNumbers`: the lowest number of a source is its first.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/controller_ref_manager.go
 */
export function findAdoption(
  sources: readonly RevisionSource[],
  { createdAt }: Pick<Workload, 'createdAt'>,
  keepsFormerNumbers: boolean,
): Adoption {
  const isAdopted = (source: RevisionSource) =>
    source.claimed === true || Date.parse(createdAt) - Date.parse(source.createdAt) > CLOCK_DIFFERENCE_MAX_MS;
  const { adopted = [], own = [] } = Object.groupBy(sources, (source) =>
    isAdopted(source) ? 'adopted' : 'own',
  );
  const firstOwn = Math.min(...own.flatMap(numbersOf));
  const controllers = new Set(own.flatMap(numberersOf));
  const before = adopted.map((source): [string, number[]] => {
    const numberers = numberersOf(source);
    const isNumberedBefore = numberers.length > 0 && !numberers.some((manager) => controllers.has(manager));
    const numbers = numbersOf(source).filter(
      (number, index) => isNumberedBefore || number <= firstOwn || (keepsFormerNumbers && index === 0),
    );
    return [source.uid, numbers];
  });
  const times = adopted.map((source) => source.createdAt).sort(compareTimes);
  return { before: new Map(before), at: createdAt, lastCreatedAt: times.at(-1) ?? '' };
}

/**
 * The numbers under which the workload made the source its target. A source that older ones with lower numbers joined
 * later was renumbered by their adoption, which moved nothing.
 */
export function numbersHere(source: RevisionSource, adoption: Adoption): number[] {
  const before = adoption.before.get(source.uid);
  const numbers = numbersOf(source);
  if (before !== undefined) return numbers.filter((number) => !before.includes(number));
  if (!wasJoined(source, adoption)) return numbers;
  const taken = new Set([...adoption.before.values()].flat());
  return numbers.filter((number, index) => {
    const next = numbers[index + 1];
    if (next === undefined) return true;
    const between = [...taken].filter((each) => each > number && each < next).length;
    return between === 0 || between < next - number - 1;
  });
}

/** Whether the workload numbered this source again after it had adopted others that were created later. */
export function wasJoined(source: RevisionSource, { before, lastCreatedAt }: Adoption): boolean {
  const { uid, createdAt, formerNumbers, writes } = source;
  const isNumberedAgain =
    formerNumbers.length > 0 ||
    writes.some(({ revision, time }) => revision && time !== null && compareTimes(time, createdAt) > 0);
  return (
    lastCreatedAt !== '' && !before.has(uid) && isNumberedAgain && compareTimes(lastCreatedAt, createdAt) >= 0
  );
}

/** The field managers that have numbered the source. */
export function numberersOf({ writes }: RevisionSource): string[] {
  return writes.flatMap(({ revision, manager }) => (revision ? [manager] : []));
}

function numbersOf({ number, formerNumbers }: RevisionSource): number[] {
  if (number.kind !== 'number') return [];
  return [...new Set([...formerNumbers, number.value])].sort((a, b) => a - b);
}
