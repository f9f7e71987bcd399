import type { PathStep } from '@/lib/diff/path';

const ORDINAL_SUFFIXES: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd', other: 'th' };
const ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' });

/** A JSON field name as words: `runAsUser` is "run as user", `hostPID` "host PID", `periodSeconds` "period". */
export function fieldLabel(field: string): string {
  const parts = field.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/);
  if (parts.length > 1 && parts.at(-1) === 'Seconds') parts.pop();
  return parts.map((part) => (/^[A-Z]{2,}$/.test(part) ? part : part.toLowerCase())).join(' ');
}

/** 1 is "1st". */
export function ordinal(position: number): string {
  return `${position}${ORDINAL_SUFFIXES[ORDINALS.select(position)] ?? 'th'}`;
}

/** "role prefill": a list is named after one of its entries. */
export function stepText({ kind, name }: PathStep, next: PathStep | undefined): string {
  if (kind !== 'field') return name;
  const terms = fieldLabel(name);
  return next?.kind === 'entry' ? terms.replace(/ies$/, 'y').replace(/(?<=[^s])s$/, '') : terms;
}
