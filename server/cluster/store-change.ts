/** A change as a reflector reports it. */
export type StoreChange<T> =
  | { type: 'added'; value: T }
  | { type: 'updated'; value: T; previous: T }
  | { type: 'deleted'; value: T; previous: T };
