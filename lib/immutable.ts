/**
 * `T` with all members and lists readonly, at any depth; any `T` is one. Schemas infer types that may be written to,
 * and `z.readonly` would freeze what it parses.
 */
export type Immutable<T> = T extends string
  ? T
  : T extends object
    ? { readonly [K in keyof T]: Immutable<T[K]> }
    : T;
