/** One part of a path: a field of a struct, a key of a map, or an entry of a list. */
export interface Step {
  kind: 'field' | 'key' | 'entry';
  name: string;
}

/** Where the walk is; spelled out only when a difference is found there. */
export interface Place {
  parent: Place | null;
  step: Step;
  /** Position of a list entry. */
  index: number | null;
  depth: number;
  vanishes: number | null;
  /** Depth of the pod template that it lies in, of several in recorded data; null outside of them. */
  part: number | null;
}

/** The template itself. */
export const ROOT: Place = {
  parent: null,
  step: { kind: 'field', name: '' },
  index: null,
  depth: 0,
  vanishes: null,
  part: null,
};

/** One step further down. */
export function into(parent: Place, kind: Step['kind'], name: string, index: number | null = null): Place {
  const { vanishes, part } = parent;
  return { parent, step: { kind, name }, index, depth: parent.depth + 1, vanishes, part };
}

/** The place in full; `pointer` has the position of a list entry where `steps` have its name. */
export function spellOut(place: Place): {
  steps: Step[];
  pointer: (string | number)[];
  vanishes: number | null;
  part: number | null;
} {
  const steps: Step[] = [];
  const pointer: (string | number)[] = [];
  for (let at = place; at.parent !== null; at = at.parent) {
    steps.unshift(at.step);
    pointer.unshift(at.index ?? at.step.name);
  }
  return { steps, pointer, vanishes: place.vanishes, part: place.part };
}

/** `spec.containers[app].env[LOG_LEVEL].value` */
export function pathOf(steps: readonly Step[]): string {
  return steps
    .map(({ kind, name }, index) => {
      const isPlain = kind === 'field' || (kind === 'key' && /^[\w-]+$/.test(name));
      return isPlain ? `${index === 0 ? '' : '.'}${name}` : `[${name}]`;
    })
    .join('');
}
