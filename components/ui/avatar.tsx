import { clsx } from 'clsx';

/** Without the red, the green, and the amber in which a state would be read. */
const tones = [
  'bg-accent-soft text-accent',
  'bg-held-soft text-held',
  'bg-back-soft text-back',
  'bg-changed-soft text-changed',
  'bg-fill text-ink-2',
] as const;

const sizes = {
  text: 'size-4 text-[8px]/none',
  row: 'size-5 text-[9px]/none',
  control: 'size-6 text-[10px]/none max-desk:size-8 max-desk:text-[13px]/none',
} as const;

/**
 * A person as a picture made of initials, for the eye alone: the name is beside it, or in the label of its control. The
 * letters are no text of the page, so that a copied sentence does not have them.
 * `<Avatar name={by} /> <bdi>{by}</bdi>`
 */
export function Avatar({
  name,
  size = 'text',
  className,
}: {
  name: string;
  /** Within a line of text, at the head of a row, or as a button. */
  size?: keyof typeof sizes;
  className?: string;
}) {
  return (
    <span
      aria-hidden="true"
      data-initials={initialsOf(name)}
      className={clsx(
        'inline-grid flex-none place-items-center rounded-full align-text-bottom inset-ring inset-ring-line font-semibold before:content-[attr(data-initials)] print:hidden',
        sizes[size],
        toneOf(name),
        className,
      )}
    />
  );
}

/**
 * Two letters of a name in the forms that clusters use: `maja.lind@shop.example`,
 * `system:serviceaccount:ci:deployer`, `kubernetes-admin`.
 */
export function initialsOf(name: string): string {
  const localName = name.split(':').at(-1)?.split('@')[0] ?? '';
  const words = localName.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const [first = '?', ...rest] = words.map((word) => [...word]);
  const last = rest.at(-1);
  const letters = last === undefined ? [...first].slice(0, 2) : [first[0], last[0]];
  return letters.join('').toUpperCase();
}

/** The same for one name on every page and in every browser. */
export function toneOf(name: string): string | undefined {
  const sum = [...name].reduce((total, character) => total + character.charCodeAt(0), 0);
  return tones[sum % tones.length];
}
