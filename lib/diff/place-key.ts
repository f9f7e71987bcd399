import type { Change } from '@/lib/diff/change';
import { entryName } from '@/lib/diff/entry';
import { CONTAINER_TYPE, type Difference, type Lists } from '@/lib/diff/walk';
import { canonicalJson, type Json } from '@/lib/kube/json';

/** {@link Change.place} of a difference. */
export function placeKeyOf({ kind, steps, struct }: Pick<Difference, 'kind' | 'steps' | 'struct'>): string {
  const named = steps.map((step) => [step.kind, step.name]);
  // Which of two lists a container leaves depends on the direction; the container does not.
  if (struct === CONTAINER_TYPE) return JSON.stringify([...named.slice(0, -2), named.at(-1), ['type']]);
  // Which entry of a list moved is ambiguous; that its order has changed is not.
  return JSON.stringify(kind === 'moved' ? [...named.slice(0, -1), ['order']] : named);
}

/**
 * {@link Change.order} of a difference: one object for all entries of a list, since it is as long as the
 * list.
 */
export function orderOf({ kind, lists, struct }: Difference): Change['order'] {
  if (kind !== 'moved' || lists === null) return null;
  const known = orders.get(lists);
  if (known !== undefined) return known;
  const order = compareOrder(lists, struct);
  orders.set(lists, order);
  return order;
}

const orders = new WeakMap<Lists, Order>();

type Order = NonNullable<Change['order']>;

function compareOrder(lists: Lists, struct: string | null): Order {
  const nameOf = (entry: Json): string => entryName(struct, entry) ?? canonicalJson(entry);
  const [before, after] = [lists.before.map(nameOf), lists.after.map(nameOf)];
  const [known, remaining] = [new Set(before), new Set(after)];
  return {
    before: before.filter((name) => remaining.has(name)),
    after: after.filter((name) => known.has(name)),
  };
}
