import type { z } from 'zod';
import type { capacitySchema } from '@/lib/api/actions';
import { isActive } from '@/lib/history/assemble';
import type { PodSummary } from '@/lib/history/pod';
import { formatCount } from '@/lib/format/text';
import type { Immutable } from '@/lib/immutable';

/** What a plan that replaces pods does to the number of pods that serve. */
export type Capacity = Immutable<z.infer<typeof capacitySchema>>;

interface CapacityInput {
  unit?: 'pod' | 'group';
  /** Those that are replaced or updated; the ones that already run the target are left alone. */
  replaced: number;
  /** Default: "replaced". */
  verb?: string;
  /** Those that stay on another revision, and by what: "held by partition 2". */
  held?: { count: number; by: string };
  /** How many stay ready at any time, at least; null where nothing bounds it. */
  serving: number | null;
}

/** The phrases of a kind in one form: "4 pods replaced", "at least 3 serving". */
export function capacityOf({
  unit = 'pod',
  replaced,
  verb = 'replaced',
  held,
  serving,
}: CapacityInput): Capacity {
  const phrases = [`${replaced === 0 ? `No ${unit}` : formatCount(replaced, unit)} ${verb}`];
  if (held !== undefined && held.count > 0) phrases.push(`${held.count} ${held.by}`);
  if (replaced === 0) return { replaced, serving: null, phrases };
  if (serving === 0) phrases.push('none serving meanwhile');
  else if (serving !== null) phrases.push(`at least ${serving} serving`);
  return { replaced, serving, phrases };
}

/** Of a plan that replaces nothing: `count` pods stay, by what: "held by the pause". */
export function capacityHeld(count: number, by: string): Capacity {
  return capacityOf({ replaced: 0, held: { count, by }, serving: null });
}

/** Of a plan whose pods another controller replaces step by step. */
export function capacityInSteps(by: string): Capacity {
  return { replaced: 0, serving: null, phrases: [`Pods replaced in steps by ${by}`] };
}

/**
 * A controller that counts the pods that are not ready anyway never goes below its limit, nor replaces ready ones while
 * fewer are ready already.
 */
export function servingAtLeast(ready: number, desired: number, unavailable: number): number {
  return Math.max(0, Math.min(ready, desired - unavailable));
}

export function readyCountOf(pods: readonly PodSummary[]): number {
  return pods.filter((pod) => isActive(pod) && pod.ready).length;
}
