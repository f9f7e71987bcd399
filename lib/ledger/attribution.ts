import { isSameTemplate } from '@/lib/ledger/meaning';
import { ms } from '@/lib/ledger/moments';
import {
  type LedgerTools,
  type Observation,
  type OwnAction,
  type TemplateWrite,
} from '@/lib/ledger/observation';
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
 * `earlier` are the activations before it, oldest first.
 */
export function attribute(
  activation: ArchivedActivation,
  earlier: readonly ArchivedActivation[],
  { writes, actions }: Pick<Observation, 'writes' | 'actions'>,
  tools: Pick<LedgerTools, 'meaning'>,
): Attribution | null {
  if (activation.from === null) return null;
  const previous = earlier.at(-1);
  const until = ms(activation.from) + LEEWAY_MS;
  const since = Math.floor(ms(previous?.from ?? previous?.fromNotAfter ?? null) / 1000) * 1000;
  const fits = (time: string) => ms(time) <= until && !(ms(time) <= since);
  const [newest, ...older] = actions
    .filter(({ startedAt }) => fits(startedAt))
    .toSorted((a, b) => ms(b.startedAt) - ms(a.startedAt));
  // The time of a write is rounded down; that of the action through Shiplog behind it is exact.
  const fitting = writes.filter(
    ({ time, ours }) => fits(time) || (ours && newest !== undefined && ms(time) === since),
  );
  const back = [newest, ...older].find((action) => isReturnTo(action, activation, earlier, tools));
  // A restart says nothing of what a later action did.
  const action = back ?? (newest?.to === null ? newest : undefined);
  // A write that only takes fields away leaves no mark in the template, so a return is known by where it led.
  if (back !== undefined && !fitting.some(({ ours, time }) => !ours && ms(time) > ms(back.startedAt)))
    return byAction(back);
  const write = newestOf(fitting);
  if (write === null) return null;
  return write.ours && action !== undefined ? byAction(action) : byManager(write);
}

/** What the cluster had pruned comes back under another id, if it has one yet, with the same template. */
function isReturnTo(
  action: OwnAction | undefined,
  { revision }: ArchivedActivation,
  earlier: readonly ArchivedActivation[],
  tools: Pick<LedgerTools, 'meaning'>,
): boolean {
  const to = action?.to ?? null;
  if (to === null) return false;
  if (to.id === revision.id || to.hash === revision.hash) return true;
  return earlier.some(
    ({ revision: before }) => before.id === to.id && isSameTemplate(before, revision, tools),
  );
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
