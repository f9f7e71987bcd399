/** Reads one value of an address; written, it is the text of the value. */
interface Parser<Value, Default extends Value | null> {
  /** Null for a text that is no such value: as if the address did not have it. */
  parse: (text: string) => Value | null;
  /** The value of an address without it, which therefore never states it. */
  defaultValue: Default;
}

interface OptionalParser<Value> extends Parser<Value, null> {
  withDefault: (defaultValue: Value) => Parser<Value, Value>;
}

export type AddressValue = string | number | boolean;

/** The values of an address by name. */
export type AddressParsers = Readonly<Record<string, Parser<AddressValue, AddressValue | null>>>;

export type AddressValues<Parsers> = {
  [Name in keyof Parsers]: Parsers[Name] extends Parser<infer Value, infer Default> ? Value | Default : never;
};

export const parseAsString = optional((text): string => text);

export const parseAsInteger = optional((text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : null));

export const parseAsBoolean = optional((text) => text === 'true');

export function parseAsStringLiteral<const Literal extends string>(
  literals: readonly Literal[],
): OptionalParser<Literal> {
  return optional((text) => literals.find((literal) => literal === text) ?? null);
}

function optional<Value>(parse: (text: string) => Value | null): OptionalParser<Value> {
  return { parse, defaultValue: null, withDefault: (defaultValue) => ({ parse, defaultValue }) };
}

export function readAddress<Parsers extends AddressParsers>(
  parsers: Parsers,
  search: URLSearchParams,
): AddressValues<Parsers> {
  return Object.fromEntries(
    Object.entries(parsers).map(([name, { parse, defaultValue }]) => {
      const text = search.get(name);
      return [name, (text === null ? null : parse(text)) ?? defaultValue];
    }),
  ) as AddressValues<Parsers>;
}

/** What the address states of the values; null where it states nothing. */
export function writeAddress(
  parsers: AddressParsers,
  values: Readonly<Record<string, AddressValue | null | undefined>>,
): Map<string, string | null> {
  return new Map(
    Object.entries(values).flatMap(([name, value]) => {
      if (value === undefined) return [];
      return [[name, value === null || value === parsers[name]?.defaultValue ? null : String(value)]];
    }),
  );
}
