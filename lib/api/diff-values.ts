export const changeKinds = ['added', 'removed', 'changed', 'moved'] as const;

export type ChangeKind = (typeof changeKinds)[number];

/** In the order in which a screen groups them. */
export const concerns = [
  'image',
  'resources',
  'env',
  'probes',
  'volumes',
  'security',
  'scheduling',
  'metadata',
  'other',
] as const;

export type Concern = (typeof concerns)[number];

/** Containers of pods, and the parts of an Application. */
export const containerKinds = [
  'container',
  'init',
  'ephemeral',
  'component',
  'policy',
  'step',
  'workflow',
  'definition',
  'object',
] as const;

export type ContainerKind = (typeof containerKinds)[number];

/** Whether it is a part of an Application, and so not of a pod. */
export function isApplicationPartKind(
  kind: ContainerKind | null,
): kind is Exclude<ContainerKind, 'container' | 'init' | 'ephemeral'> {
  return kind !== null && kind !== 'container' && kind !== 'init' && kind !== 'ephemeral';
}
