/** One line of the report: the measurement, the reference, and the budget. */
export interface Metric {
  what: string;
  value: string;
  /** What two builds are compared by. Undefined where the value is several numbers, or is the same for every build. */
  quantity?: Quantity;
  /** Undefined where the figure only explains another one. */
  aim?: { text: string; met: boolean };
}

interface Quantity {
  amount: number;
  write: (amount: number) => string;
  /** The same line with another amount. */
  of: (amount: number) => Metric;
}

type Line = (what: string, amount: number, aim: number, write: (amount: number) => string) => Metric;

/** A ratio that should not be above its budget. */
export const atMost: Line = (what, amount, aim, write) => ({
  ...line(what, amount, write, (other) => atMost(what, other, aim, write)),
  aim: { text: `at most ${write(aim)}`, met: amount <= aim },
});

export const atLeast: Line = (what, amount, aim, write) => ({
  ...line(what, amount, write, (other) => atLeast(what, other, aim, write)),
  aim: { text: `at least ${write(aim)}`, met: amount >= aim },
});

export function measured(what: string, amount: number, write: (amount: number) => string): Metric {
  return line(what, amount, write, (other) => measured(what, other, write));
}

function line(what: string, amount: number, write: Quantity['write'], of: Quantity['of']): Metric {
  return { what, value: write(amount), quantity: { amount, write, of } };
}

export function plain(what: string, value: string): Metric {
  return { what, value };
}

export const times = (value: number): string => `${digits(value)} times`;
export const milliseconds = (value: number): string =>
  value >= 1_000 ? `${digits(value / 1_000)} s` : `${digits(value)} ms`;
export const kilobytes = (bytes: number): string => `${digits(bytes / 1024)} KB`;
export const megabytes = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(0)} MB`;
export const count = (value: number): string => value.toLocaleString('en');

/** Two significant digits; the rest is noise. */
function digits(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
