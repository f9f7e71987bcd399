import type { JsonObject } from './scene';
import objects from './objects.json' with { type: 'json' };

type Values = Readonly<Record<string, unknown>>;
type Filler = (values: Values) => unknown;

const fillers = new Map(Object.entries(objects).map(([name, shape]) => [name, fillerOf(shape)]));

/**
 * An object of `objects.json` with values in the place of `$names`, which may be paths. One that is undefined is left
 * out, and where its name ends with a question mark also 0 and false.
 */
export function fill<T = JsonObject>(name: keyof typeof objects, values: Values): T {
  return fillers.get(name)?.(values) as T;
}

function fillerOf(shape: unknown): Filler {
  if (typeof shape === 'string' && shape.startsWith('$')) return readerOf(shape.slice(1));
  if (typeof shape !== 'object' || shape === null) return () => shape;
  const members = Object.entries(shape).map(([key, member]) => [key, fillerOf(member)] as const);
  if (Array.isArray(shape)) return (values) => members.map(([, filler]) => filler(values));
  return (values) => Object.fromEntries(members.map(([key, filler]) => [key, filler(values)]));
}

function readerOf(name: string): Filler {
  const isOptional = name.endsWith('?');
  const path = name.replace('?', '').split('.');
  return (values) => {
    const value = path.reduce<unknown>((at, key) => (at as Values | undefined)?.[key], values);
    return isOptional && !value ? undefined : value;
  };
}
