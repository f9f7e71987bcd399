/**
 * A Kubernetes quantity as an exact number: `digits × 10^exponent`, with `digits` free of trailing zeros, so
 * that equal amounts have equal members. `format` is the family it was written in and does not belong to the
 * amount.
 */
export interface Quantity {
  digits: bigint;
  exponent: number;
  format: 'binary' | 'decimal' | 'scientific';
}

const SYNTAX = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:(n|u|m|k|M|G|T|P|E|)|([KMGTPE])i|[eE]([+-]?\d+))$/;
const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const NANO = -9;
/**
 * No quantity that a server stores is as large; the limit keeps hostile text like `1e999999999` from using up
 * memory.
 */
const MAX_EXPONENT = 400;
const MAX_BINARY = 2n ** 63n - 1n;

/**
 * Parses a quantity as the API server does: all suffixes, exponents and signs, finer than nano rounded away
 * from zero, a binary amount capped at 2^63 - 1. A JSON number is accepted too. Undefined if it is none.
 * https://github.com/kubernetes/apimachinery/blob/master/pkg/api/resource/quantity.go
 */
export function parseQuantity(value: string | number): Quantity | undefined {
  const match = SYNTAX.exec(String(value).trim());
  if (match === null || String(value).length > MAX_EXPONENT) return undefined;
  const [, sign, whole = '', fraction = match[4] ?? '', , suffix = '', binary, power] = match;
  const magnitude = BigInt(whole + fraction);
  const digits = sign === '-' ? -magnitude : magnitude;
  if (binary !== undefined) {
    const factor = 1024n ** BigInt('KMGTPE'.indexOf(binary) + 1);
    const amount = roundAway(reduce(digits * factor, -fraction.length), NANO);
    return { ...(exceeds(amount, MAX_BINARY) ? reduce(MAX_BINARY, 0) : amount), format: 'binary' };
  }
  const shift = power === undefined ? (DECIMAL_SUFFIXES.indexOf(suffix) - 3) * 3 : Number(power);
  if (Math.abs(shift) > MAX_EXPONENT) return undefined;
  const format = power === undefined ? 'decimal' : 'scientific';
  return { ...roundAway(reduce(digits, shift - fraction.length), NANO), format };
}

/** Negative, zero or positive as the first amount is smaller than, equal to or greater than the second. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  const exponent = Math.min(a.exponent, b.exponent);
  const difference = integerAt(a, exponent) - integerAt(b, exponent);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The amount rounded up to thousandths, as the API server rounds every entry of limits and requests. */
export function roundUpToMilli(quantity: Quantity): Quantity {
  return { ...roundAway(quantity, -3), format: quantity.format };
}

/** How much smaller `after` is than `before`, in whole percent; 0 if it is not smaller. */
export function percentLowered(before: Quantity, after: Quantity): number {
  const exponent = Math.min(before.exponent, after.exponent);
  const [from, to] = [integerAt(before, exponent), integerAt(after, exponent)];
  if (from <= 0n || to >= from) return 0;
  const percent = Number(((from - to) * 1000n) / from) / 10;
  return Math.max(1, Math.round(percent));
}

/** The text that the API server stores: same family, no fraction, largest suffix. Undefined if it is no quantity. */
export function canonicalQuantity(value: string | number): string | undefined {
  const quantity = parseQuantity(value);
  return quantity === undefined ? undefined : formatQuantity(quantity);
}

/**
 * The shortest text for the amount whatever its family, so that equal amounts give equal text: `1Gi` for 1024Mi and
 * for 1073741824, `500m` for 0.5. Undefined if it is no quantity.
 */
export function prettyQuantity(value: string | number): string | undefined {
  const quantity = parseQuantity(value);
  return quantity === undefined ? undefined : formatPretty(quantity);
}

/** As {@link prettyQuantity}, of a parsed amount. */
export function formatPretty(quantity: Quantity): string {
  const decimal = formatQuantity({ ...quantity, format: 'decimal' });
  const binary = formatQuantity({ ...quantity, format: 'binary' });
  return binary.replace(/i$/, '').length < decimal.length ? binary : decimal;
}

function formatQuantity(quantity: Quantity): string {
  const { digits, exponent, format } = quantity;
  if (digits === 0n) return '0';
  if (format === 'binary' && exponent >= 0) {
    const amount = integerAt(quantity, 0);
    if (amount >= 1024n || amount <= -1024n) return formatBinary(amount);
  }
  const step = Math.floor(exponent / 3) * 3;
  const mantissa = integerAt(quantity, step);
  const suffix = format === 'scientific' ? undefined : DECIMAL_SUFFIXES[step / 3 + 3];
  return `${mantissa}${suffix ?? (step === 0 ? '' : `e${step}`)}`;
}

function formatBinary(amount: bigint): string {
  let step = 0;
  let rest = amount;
  while (rest % 1024n === 0n && step < BINARY_SUFFIXES.length - 1) {
    rest /= 1024n;
    step += 1;
  }
  return `${rest}${BINARY_SUFFIXES[step] ?? ''}`;
}

type Amount = Pick<Quantity, 'digits' | 'exponent'>;

function reduce(digits: bigint, exponent: number): Amount {
  if (digits === 0n) return { digits, exponent: 0 };
  let rest = digits;
  let shift = exponent;
  while (rest % 10n === 0n) {
    rest /= 10n;
    shift += 1;
  }
  return { digits: rest, exponent: shift };
}

function roundAway({ digits, exponent }: Amount, finest: number): Amount {
  if (exponent >= finest) return { digits, exponent };
  const unit = 10n ** BigInt(finest - exponent);
  const rounded = (digits < 0n ? digits - (unit - 1n) : digits + (unit - 1n)) / unit;
  return reduce(rounded, finest);
}

function exceeds(amount: Amount, limit: bigint): boolean {
  const exponent = Math.min(amount.exponent, 0);
  return integerAt(amount, exponent) > limit * 10n ** BigInt(-exponent);
}

/** The amount as a whole number of `10^exponent`, which must be no coarser than its own exponent. */
function integerAt(amount: Amount, exponent: number): bigint {
  return amount.digits * 10n ** BigInt(amount.exponent - exponent);
}
