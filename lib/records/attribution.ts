import { isSameTemplate } from '@/lib/records/template-meaning';
import { ms } from '@/lib/records/times';
import type { RecordingTools, Observation, ShiplogAction, TemplateWrite } from '@/lib/records/observation';
import type { Actor } from '@/lib/api/common';
import type { ArchivedActivation } from '@/lib/api/incarnation';

/** The write precedes the revision; times are rounded down, and clocks of two API servers differ a little. */
const CLOCK_TOLERANCE_MS = 2_000;
const SECOND_MS = 1_000;

export interface Attribution {
  actor: Actor;
  action: ShiplogAction | null;
}

/**
 * Who wrote the template of an activation: the only write between the previous activation and this one. Every
 * later write of the same manager moves its time, so often nothing is proven; then the answer is null, not a
 * guess. `earlier` are the activations before it, oldest first.
 */
export function attributeActivation(
  activation: ArchivedActivation,
  earlier: readonly ArchivedActivation[],
  { writes, actions }: Pick<Observation, 'writes' | 'actions'>,
  tools: Pick<RecordingTools, 'meaning'>,
): Attribution | null {
  if (activation.from === null) return null;
  const previous = earlier.at(-1);
  const until = ms(activation.from) + CLOCK_TOLERANCE_MS;
  const since = Math.floor(ms(previous?.from ?? previous?.fromNotAfter ?? null) / 1000) * 1000;
  const fits = (time: string) => ms(time) <= until && !(ms(time) <= since);
  const [newest, ...older] = actions
    .filter(({ startedAt }) => fits(startedAt))
    .toSorted((a, b) => ms(b.startedAt) - ms(a.startedAt));
  // The time of a write is rounded down, so that the next one may have the same; that of an action is exact.
  const isNext = ms(activation.from) - since < 2 * SECOND_MS;
  const fitting = writes.filter(
    ({ time, isShiplog }) =>
      fits(time) || (ms(time) === since && (isShiplog ? newest !== undefined : isNext)),
  );
  const rollback = [newest, ...older].find((action) => isReturnTo(action, activation, earlier, tools));
  // A restart does not identify what a later action did.
  const action = rollback ?? (newest?.to === null ? newest : undefined);
  // A write that only removes fields leaves no trace in the template, so a rollback is identified by its
  // target.
  if (
    rollback !== undefined &&
    !fitting.some(({ isShiplog, time }) => !isShiplog && ms(time) > ms(rollback.startedAt))
  )
    return byAction(rollback);
  const write = newestOf(fitting);
  if (write === null) return null;
  return write.isShiplog && action !== undefined ? byAction(action) : byManager(write);
}

/** A pruned template returns under another id, if it already has one, with the same template. */
function isReturnTo(
  action: ShiplogAction | undefined,
  { revision }: ArchivedActivation,
  earlier: readonly ArchivedActivation[],
  tools: Pick<RecordingTools, 'meaning'>,
): boolean {
  const to = action?.to ?? null;
  if (to === null) return false;
  if (to.id === revision.id || to.hash === revision.hash) return true;
  return earlier.some(
    ({ revision: before }) => before.id === to.id && isSameTemplate(before, revision, tools),
  );
}

function byAction(action: ShiplogAction): Attribution {
  return { actor: { name: action.actor, source: 'shiplog', manager: null }, action };
}

function byManager({ manager }: TemplateWrite): Attribution {
  return { actor: { name: manager, source: 'managedFields', manager }, action: null };
}

/** Null where two writes share the second: either may have been the later one. */
function newestOf(writes: readonly TemplateWrite[]): TemplateWrite | null {
  const [newest, next] = writes.toSorted((a, b) => ms(b.time) - ms(a.time));
  if (newest === undefined || (next !== undefined && ms(next.time) === ms(newest.time))) return null;
  return newest;
}
