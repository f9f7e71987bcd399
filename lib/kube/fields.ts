/** Reads tables of Kubernetes' API types; `pod-template-fields.ts` has one, and explains their notation. */

/**
 * How Kubernetes identifies the entries of a list, or how a reader may where Kubernetes replaces the entire
 * list.
 */
interface ListKeys {
  /** `map`: by keys, `set`: by value, `atomic`: not at all (keys, if any, are for display). */
  kind: 'map' | 'set' | 'atomic';
  /** Field names, or dotted paths, within an entry; empty when none is known. */
  keys: readonly string[];
}

/** The type of one field. `nullable` marks a pointer in Go: absent differs from the zero value. */
export type Field =
  | { shape: 'scalar'; nullable: boolean }
  | { shape: 'intOrString' }
  | { shape: 'quantity'; nullable: boolean }
  | { shape: 'map'; of: 'string' | 'quantity' }
  | { shape: 'struct'; nullable: boolean; of: Struct }
  | { shape: 'list'; of: Struct | null; list: ListKeys }
  | { shape: 'opaque' };

/** A Go struct: its fields by JSON name. */
export interface Struct {
  name: string;
  fields: Map<string, Field>;
}

/** Throws Error. */
export function structNamed(name: string, structs: Map<string, Struct>): Struct {
  const struct = structs.get(name);
  if (struct === undefined) throw new Error(`the field table has no struct ${name}`);
  return struct;
}

/** Every struct of the table, by its name. What `+` inherits comes first. Throws Error on a struct that is missing. */
export function readStructs(table: string): Map<string, Struct> {
  const entries = table
    .trim()
    .split(/\n(?! )/)
    .map((entry) => entry.split(/:?\s+/));
  const structs = new Map(entries.map(([name = '']) => [name, { name, fields: new Map<string, Field>() }]));
  for (const [name = '', ...codes] of entries) {
    const { fields } = structNamed(name, structs);
    for (const code of codes) {
      if (code.startsWith('+')) {
        for (const inherited of structNamed(code.slice(1), structs).fields) fields.set(...inherited);
      } else {
        const [, field = '', type = ''] = /^(\w+)(.*)$/.exec(code) ?? [];
        fields.set(field, readField(type, structs));
      }
    }
  }
  return structs;
}

function readField(type: string, structs: Map<string, Struct>): Field {
  const [, prefix = '', name = '', suffix = ''] = /^([*=#?]|\[\]|\{%?\}|%)?(\w*)(.*)$/.exec(type) ?? [];
  const nullable = prefix === '*';
  switch (prefix) {
    case '[]':
      return {
        shape: 'list',
        of: name === '' ? null : structNamed(name, structs),
        list: readListKeys(suffix),
      };
    case '{}':
      return { shape: 'map', of: 'string' };
    case '{%}':
      return { shape: 'map', of: 'quantity' };
    case '#':
      return { shape: 'intOrString' };
    case '?':
      return { shape: 'opaque' };
    default:
      if (prefix === '%' || suffix === '%') return { shape: 'quantity', nullable };
      if (name === '') return { shape: 'scalar', nullable };
      return { shape: 'struct', nullable, of: structNamed(name, structs) };
  }
}

function readListKeys(suffix: string): ListKeys {
  const [, keys = ''] = /\((.*)\)/.exec(suffix) ?? [];
  const kind = suffix === '!' ? 'set' : suffix.startsWith('(') ? 'map' : 'atomic';
  return { kind, keys: keys === '' ? [] : keys.split(',') };
}
