/** A change as a reflector reports it. */
export type StoreChange<T> =
  | { type: 'added'; value: T }
  | { type: 'updated'; value: T; previous: T }
  | { type: 'deleted'; value: T; previous: T };

/** The object before and after a change. */
export function statesOf<T>(change: StoreChange<T>): readonly T[] {
  return change.type === 'added' ? [change.value] : [change.previous, change.value];
}
