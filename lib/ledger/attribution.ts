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
  const write = newestOf(writes.filter(({ time }) => fits(time)));
  if (write === null) return null;
  if (!write.ours) return byManager(write);
  const own = actions.filter(({ startedAt }) => fits(startedAt));
  const action = own.toSorted((a, b) => ms(b.startedAt) - ms(a.startedAt))[0];
  if (action === undefined) return byManager(write);
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
