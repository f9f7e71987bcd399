import { ms } from '@/lib/ledger/moments';
import { type Observation, type OwnAction, type TemplateWrite } from '@/lib/ledger/observation';
import { type Actor, type ArchivedActivation } from '@/lib/ledger/record';

/** The write comes before the revision; a time is rounded down, and clocks of two API servers differ a little. */
const LEEWAY_MS = 2_000;

export interface Attribution {
  actor: Actor;
  action: OwnAction | null;
}

/**
 * Who wrote the template of an activation: the one write between the activation before and this one. The time of a write
 * moves on with every later write of the same manager, so that often nothing is proven; then it is null, not a guess.
 */
export function attribute(
  activation: ArchivedActivation,
  previous: ArchivedActivation | undefined,
  { writes, actions }: Pick<Observation, 'writes' | 'actions'>,
): Attribution | null {
  if (activation.from === null) return null;
  const until = ms(activation.from) + LEEWAY_MS;
  const since = ms(previous?.from ?? previous?.fromNotAfter ?? null);
  const fits = (time: string) =>
    ms(time) <= until && (Number.isNaN(since) || ms(time) > Math.floor(since / 1000) * 1000);
  const fitting = writes.filter(({ time }) => fits(time));
  const action = actions
    .filter(({ startedAt, toId }) => fits(startedAt) && (toId === null || toId === activation.revision.id))
    .toSorted((a, b) => ms(b.startedAt) - ms(a.startedAt))[0];
  // A write that only takes fields away leaves no mark in the template, so a return is known by where it led.
  const isReturn = action !== undefined && action.toId !== null;
  if (isReturn && !fitting.some(({ ours, time }) => !ours && ms(time) > ms(action.startedAt)))
    return byAction(action);
  const write = newestOf(fitting);
  if (write === null) return null;
  return write.ours && action !== undefined ? byAction(action) : byManager(write);
}

function byAction(action: OwnAction): Attribution {
  return { actor: { name: action.actor, source: 'shiplog', manager: null }, action };
}

function byManager({ manager }: TemplateWrite): Attribution {
  return { actor: { name: manager, source: 'managedFields', manager }, action: null };
}

/** Null where two share the second: either may have been the later one. */
function newestOf(writes: readonly TemplateWrite[]): TemplateWrite | null {
  const [newest, next] = writes.toSorted((a, b) => ms(b.time) - ms(a.time));
  if (newest === undefined || (next !== undefined && ms(next.time) === ms(newest.time))) return null;
  return newest;
}
