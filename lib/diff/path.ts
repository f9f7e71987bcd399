/** One part of a path: a field of a struct, a key of a map, or an entry of a list. */
export interface PathStep {
  kind: 'field' | 'key' | 'entry';
  name: string;
}

/** The current place of the walk; formatted only when a difference is found there. */
export interface PathNode {
  parent: PathNode | null;
  step: PathStep;
  /** Position of a list entry. */
  index: number | null;
  depth: number;
  vanishes: number | null;
  /** Depth of the pod template that it lies in, of several in recorded data; null outside of them. */
  part: number | null;
}

/** The template itself. */
export const ROOT: PathNode = {
  parent: null,
  step: { kind: 'field', name: '' },
  index: null,
  depth: 0,
  vanishes: null,
  part: null,
};

/** One step further down. */
export function childNode(
  parent: PathNode,
  kind: PathStep['kind'],
  name: string,
  index: number | null = null,
): PathNode {
  const { vanishes, part } = parent;
  return { parent, step: { kind, name }, index, depth: parent.depth + 1, vanishes, part };
}

interface ExpandedPath {
  steps: readonly PathStep[];
  pointer: readonly (string | number)[];
  vanishes: number | null;
  part: number | null;
}

/** The full place; `pointer` has the position of a list entry where `steps` have its name. */
export function expandPath(place: PathNode): ExpandedPath {
  const steps: PathStep[] = [];
  const pointer: (string | number)[] = [];
  for (let at = place; at.parent !== null; at = at.parent) {
    steps.unshift(at.step);
    pointer.unshift(at.index ?? at.step.name);
  }
  return { steps, pointer, vanishes: place.vanishes, part: place.part };
}

/** The reverse of {@link expandPath}. */
export function nodeAt({ steps, pointer, vanishes, part }: Readonly<ExpandedPath>): PathNode {
  const node = steps.reduce<PathNode>((parent, { kind, name }, at) => {
    const index = pointer[at];
    return childNode(parent, kind, name, typeof index === 'number' ? index : null);
  }, ROOT);
  return { ...node, vanishes, part };
}

/** `spec.containers[app].env[LOG_LEVEL].value` */
export function pathOf(steps: readonly PathStep[]): string {
  return steps
    .map(({ kind, name }, index) => {
      const isPlain = kind === 'field' || (kind === 'key' && /^[\w-]+$/.test(name));
      return isPlain ? `${index === 0 ? '' : '.'}${name}` : `[${name}]`;
    })
    .join('');
}
